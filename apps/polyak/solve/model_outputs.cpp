#include "polyak/io.hpp"
#include "polyak/model.hpp"
#include "ranks.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

std::vector<std::string> targets_of(const SolveRequest& request) {
  if (request.data.rhs_column) return {*request.data.rhs_column};
  return {};
}

LinearModel model_of(const SolveRequest& request, const std::vector<std::string>& names,
                     const Problem* problem, const Report& report) {
  LinearModel out = linear_model(report, request.data.intercept, names, targets_of(request));
  if (problem != nullptr && rank_count() == 1) find_ranges(problem->A(), out);
  return out;
}

// A·x of all rows. The columns of the problem are the unknowns, with that of the intercept.
Array fitted(const Problem& problem, const Report& report, Index threads) {
  const LinearModel model = linear_model(report, false, {}, {});
  return predictions(model, problem.A(), {}, threads);
}

Array minus(ConstView b, ConstView fit) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(b.size()));
  for (Index i = 0; i < b.rows; ++i)
    for (Index k = 0; k < b.cols; ++k) out.push_back(b(i, k) - fit(i, k));
  return Array(std::move(out), b.rows, b.cols);
}

}  // namespace

std::optional<Error> write_model_outputs(const SolveRequest& request,
                                         const std::vector<std::string>& names,
                                         const Problem* problem, Report& report,
                                         std::vector<std::string>& written) {
  const OutputOptions& outputs = request.outputs;
  std::optional<Error> first;
  const auto write = [&](const std::optional<std::string>& path, auto make) {
    if (!path) return;
    try {
      make(*path);
      if (*path != "-") written.push_back(*path);
    } catch (const Error& error) {
      if (!first) first = error;
    }
  };
  write(outputs.model, [&](const std::string& path) {
    write_text(path, to_json(model_of(request, names, problem, report)));
  });
  const bool rows = outputs.fitted || outputs.residuals;
  if (rows && problem == nullptr)
    report.warnings.push_back("no fitted values or residuals: the run was ended within a step");
  if (!rows || problem == nullptr) return first;
  const Array fit = fitted(*problem, report, request.options.threads);
  write(outputs.fitted, [&](const std::string& path) { write_array(path, fit.view()); });
  write(outputs.residuals, [&](const std::string& path) {
    write_array(path, minus(problem->b(), fit.view()).view());
  });
  return first;
}

}  // namespace polyak::cli
