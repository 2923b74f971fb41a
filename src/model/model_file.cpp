#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/file.hpp"
#include "model/rows_and_columns.hpp"
#include "polyak/error.hpp"
#include "polyak/version.hpp"

namespace polyak {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 1;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::bad_data, {.what = "not a model that polyak has written",
                                    .where = path,
                                    .found = why,
                                    .hint = "polyak solve writes one with --model"});
}

double finite(const Json& value) {
  const double v = value.get<double>();
  if (!std::isfinite(v)) throw std::out_of_range("a number that is not finite");
  return v;
}

// Appends its coefficients to `x`.
void read_column(const Json& in, std::vector<double>& x, LinearModel& out) {
  const Json& coefficients = in.at("coefficients");
  if (coefficients.size() != out.targets.size())
    throw std::out_of_range("a column with another number of coefficients than targets");
  for (const Json& value : coefficients) x.push_back(finite(value));
  if (in.contains("name")) out.columns.push_back(in.at("name").get<std::string>());
  if (!in.contains("lowest")) return;
  out.lowest.push_back(finite(in.at("lowest")));
  out.highest.push_back(finite(in.at("highest")));
}

LinearModel parsed(const Json& in) {
  if (const int found = in.at("polyak_model").get<int>(); found != format)
    throw std::out_of_range("format " + std::to_string(found));
  LinearModel out;
  out.targets = in.at("targets").get<std::vector<std::string>>();
  const Json& columns = in.at("columns");
  if (!columns.is_array() || out.targets.empty()) throw std::out_of_range("no columns or targets");
  std::vector<double> x;
  for (const Json& column : columns) read_column(column, x, out);
  out.coefficients = Array(std::move(x), std::ssize(columns), std::ssize(out.targets));
  const bool all_or_none = (out.columns.empty() || out.columns.size() == columns.size()) &&
                           (out.lowest.empty() || out.lowest.size() == columns.size());
  if (!all_or_none) throw std::out_of_range("names or ranges of some columns only");
  for (const Json& value : in.value("intercepts", Json::array()))
    out.intercepts.push_back(finite(value));
  if (!out.intercepts.empty() && out.intercepts.size() != out.targets.size())
    throw std::out_of_range("another number of intercepts than targets");
  out.rows = in.value("rows", Index{0});
  out.method = in.value("method", "");
  out.status = in.value("status", "");
  out.reason = in.value("reason", "");
  return out;
}

}  // namespace

LinearModel linear_model(const Report& report, bool has_intercept,
                         const std::vector<std::string>& names,
                         const std::vector<std::string>& targets) {
  LinearModel out;
  const Index d = report.x.rows() - (has_intercept ? 1 : 0), c = report.x.cols();
  out.targets = targets;
  for (Index k = std::ssize(targets); k < c; ++k)
    out.targets.push_back("y" + std::to_string(k + 1));
  if (!names.empty()) out.columns.assign(names.begin(), names.begin() + d);
  std::vector<double> x;
  for (Index j = 0; j < d; ++j)
    for (Index k = 0; k < c; ++k) x.push_back(report.x(j, k));
  out.coefficients = Array(std::move(x), d, c);
  for (Index k = 0; k < c && has_intercept; ++k) out.intercepts.push_back(report.x(d, k));
  out.rows = report.rows;
  out.method = report.method;
  out.status = to_string(report.status);
  out.reason = report.reason;
  return out;
}

std::string to_json(const LinearModel& model) {
  Json columns = Json::array();
  for (Index j = 0; j < model.coefficients.rows(); ++j) {
    Json column = Json::object();
    if (!model.columns.empty()) column["name"] = model.columns[to_size(j)];
    column["coefficients"] = Json::array();
    for (Index k = 0; k < model.coefficients.cols(); ++k)
      column["coefficients"].push_back(model.coefficients(j, k));
    if (!model.lowest.empty()) {
      column["lowest"] = model.lowest[to_size(j)];
      column["highest"] = model.highest[to_size(j)];
    }
    columns.push_back(std::move(column));
  }
  Json out{{"polyak_model", format}, {"version", version_string}, {"targets", model.targets},
           {"columns", columns},     {"rows", model.rows},        {"method", model.method},
           {"status", model.status}, {"reason", model.reason}};
  if (!model.intercepts.empty()) out["intercepts"] = model.intercepts;
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

LinearModel read_model(const std::string& path) {
  const auto file = io::MappedFile::open(path);
  try {
    return parsed(Json::parse(file->bytes()));
  } catch (const Json::parse_error&) {
    refuse(path, "no JSON");
  } catch (const Json::exception&) {
    refuse(path, "a field is missing or of another type");
  } catch (const std::out_of_range& error) {
    refuse(path, error.what());
  }
}

void find_ranges(const RowMatrix& A, LinearModel& model) {
  if (A.rows() == 0) return;
  const Index d = model.coefficients.rows();
  constexpr double inf = std::numeric_limits<double>::infinity();
  model.lowest.assign(to_size(d), inf);
  model.highest.assign(to_size(d), -inf);
  for_blocks_of_rows(A, [&](ConstView rows) {
    for (Index i = 0; i < rows.rows; ++i)
      for (Index j = 0; j < d; ++j) {
        model.lowest[to_size(j)] = std::min(model.lowest[to_size(j)], rows(i, j));
        model.highest[to_size(j)] = std::max(model.highest[to_size(j)], rows(i, j));
      }
  });
}

}  // namespace polyak
