#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "experiments/results.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"
#include "polyak/replicates.hpp"

namespace polyak::experiments::internal {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity; it is stored as null.
std::vector<double> numbers(const Json& list) {
  std::vector<double> out;
  for (const Json& item : list)
    out.push_back(item.is_null() ? std::numeric_limits<double>::infinity() : item.get<double>());
  return out;
}

Json to_json(const Curve& c) {
  return {{"median", c.median}, {"p5", c.low}, {"p95", c.high}, {"rms", c.rms}};
}
Curve curve(const Json& j) {
  return {numbers(j.at("median")), numbers(j.at("p5")), numbers(j.at("p95")), numbers(j.at("rms"))};
}

template <class Value>
void put(Json& j, const char* name, const std::optional<Value>& value) {
  if (value) j[name] = *value;
}
template <class Value>
void get(const Json& j, const char* name, std::optional<Value>& value) {
  if (j.contains(name)) value = j.at(name).get<Value>();
}

Json to_json(const RunResult& r) {
  Json out{{"method", r.method}, {"runs", r.runs}};
  put(out, "batch", r.batch);
  put(out, "step_size", r.step_size);
  put(out, "momentum", r.momentum);
  put(out, "ark_mu", r.ark_mu);
  put(out, "ark_nu", r.ark_nu);
  out["sampling"] = r.sampling;
  out["rows_per_iteration"] = r.rows_per_iteration;
  out["seconds"] = r.seconds;
  out["threads"] = r.threads;
  out["build"] = r.build;
  out["iterations"] = r.iterations;
  out["error"] = to_json(r.error);
  out["residual"] = to_json(r.residual);
  out["path"] = r.path;
  if (!r.image.empty()) out["image"] = r.image;
  return out;
}
void from_json(const Json& j, RunResult& r) {
  r.method = j.at("method");
  r.runs = j.at("runs");
  get(j, "batch", r.batch);
  get(j, "step_size", r.step_size);
  get(j, "momentum", r.momentum);
  get(j, "ark_mu", r.ark_mu);
  get(j, "ark_nu", r.ark_nu);
  r.sampling = j.at("sampling");
  r.rows_per_iteration = j.at("rows_per_iteration");
  r.seconds = j.at("seconds");
  r.threads = j.at("threads");
  r.build = j.at("build");
  r.iterations = j.at("iterations").get<std::vector<Index>>();
  r.error = curve(j.at("error"));
  r.residual = curve(j.at("residual"));
  for (const Json& x : j.at("path")) r.path.push_back(numbers(x));
  if (j.contains("image")) r.image = numbers(j.at("image"));
}

Json to_json(const ProblemFacts& f) {
  return {{"rows", f.rows},
          {"cols", f.cols},
          {"nonzeros", f.nonzeros},
          {"matrix", f.matrix},
          {"lambda_min", f.lambda_min},
          {"lambda_max", f.lambda_max},
          {"frobenius2", f.frobenius2},
          {"eta_uniform", f.eta_uniform},
          {"residual_norm", f.residual_norm},
          {"b_norm", f.b_norm},
          {"slow_axis", f.slow_axis},
          {"heuristic", f.heuristic},
          {"seconds", f.seconds}};
}
void from_json(const Json& j, ProblemFacts& f) {
  f.rows = j.at("rows");
  f.cols = j.at("cols");
  f.nonzeros = j.at("nonzeros");
  f.matrix = j.at("matrix");
  f.lambda_min = j.at("lambda_min");
  f.lambda_max = j.at("lambda_max");
  f.frobenius2 = j.at("frobenius2");
  f.eta_uniform = j.at("eta_uniform");
  f.residual_norm = j.at("residual_norm");
  f.b_norm = j.at("b_norm");
  f.slow_axis = numbers(j.at("slow_axis"));
  f.heuristic = j.at("heuristic");
  f.seconds = j.at("seconds");
}

Json to_json(const Steps& s) { return s.count ? Json(*s.count) : Json("never"); }
void from_json(const Json& j, Steps& s) {
  if (j.is_number()) s.count = j.get<double>();
}

Json to_json(const Prediction& p) {
  return {{"batches", p.batches}, {"rms", p.rms}, {"certified", p.certified}};
}
void from_json(const Json& j, Prediction& p) {
  p.batches = numbers(j.at("batches"));
  p.rms = numbers(j.at("rms"));
  p.certified = numbers(j.at("certified"));
}

// FNV-1a, for file names. A collision is harmless: the key is stored in the file and compared.
std::uint64_t hash(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

}  // namespace

Store::Store(const std::string& out, bool ignore_existing)
    : folder_(out + "/.runs"), ignore_existing_(ignore_existing) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error || !std::filesystem::is_directory(folder_))
    throw Error(ErrorCode::io, {.what = "the folder cannot be made",
                                .where = out,
                                .found = error ? error.message() : "a file of that name",
                                .expected = "a folder, or a name that is free"});
}

std::string Store::path(const std::string& key) const {
  return fmt::format("{}/{:016x}.json", folder_, hash(key));
}

bool Store::saved(const std::string& key) const { return saved_.contains(key); }

template <class Value>
std::optional<Value> Store::load(const std::string& key) const {
  if (ignore_existing_ && !saved(key)) return {};
  std::ifstream file(path(key), std::ios::binary);
  const Json j = Json::parse(file, nullptr, false);
  try {
    if (j.is_discarded() || j.at("key") != key) return {};
    Value out;
    from_json(j.at("value"), out);
    return out;
  } catch (const Json::exception&) {
    return {};
  }
}

template <class Value>
void Store::save(const std::string& key, const Value& value) {
  const Json out{{"key", key}, {"value", to_json(value)}};
  write_text(path(key), out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  saved_.insert(key);
}

template std::optional<RunResult> Store::load(const std::string&) const;
template std::optional<ProblemFacts> Store::load(const std::string&) const;
template std::optional<Prediction> Store::load(const std::string&) const;
template std::optional<Steps> Store::load(const std::string&) const;
template void Store::save(const std::string&, const RunResult&);
template void Store::save(const std::string&, const ProblemFacts&);
template void Store::save(const std::string&, const Prediction&);
template void Store::save(const std::string&, const Steps&);

Curve summarise(const std::vector<std::vector<double>>& runs) {
  Curve out;
  if (runs.empty()) return out;
  std::vector<double> column(runs.size());
  for (std::size_t m = 0; m < runs[0].size(); ++m) {
    double squares = 0.0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const double first = runs[r][0];
      column[r] = first > 0.0 ? runs[r][m] / first : runs[r][m];
      squares += column[r] * column[r];
    }
    out.median.push_back(percentile(column, 50));
    out.low.push_back(percentile(column, 5));
    out.high.push_back(percentile(column, 95));
    out.rms.push_back(std::sqrt(squares / static_cast<double>(runs.size())));
  }
  return out;
}

}  // namespace polyak::experiments::internal
