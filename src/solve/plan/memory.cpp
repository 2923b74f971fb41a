#include "polyak/memory.hpp"

#include <algorithm>

#include "method/record.hpp"
#include "solve/auto/stages.hpp"
#include "solve/plan/basis.hpp"

namespace polyak {
namespace {

WorkingMemory memory_of(const ProblemShape& shape, const SolveOptions& options) {
  return WorkingMemory(shape, options, spectrum_named(options.spectrum));
}

double numbers_of(const WorkingMemory& memory, const std::string& method) {
  const MethodRecord* record = find_record(method);
  const bool norms = uses_row_norms(record, memory.options());
  double sum = memory.every_run() + memory.row_norms(norms);
  if (!record) return sum;
  if (record->memory) return sum + record->memory(memory);
  if (record->info.sampled) sum += memory.sampler(!norms);
  if (record->info.traits & trait::spectrum) sum += memory.spectrum();
  return sum;
}

// solve/report/regression_factor: QR beside b, then its singular values or R⁻¹.
double numbers_of_statistics(const WorkingMemory& m) {
  if (m.d() > static_cast<double>(most_exact_columns)) return m.n() + m.c() * m.d();
  return m.n() + m.factor(m.n(), m.d() + m.c());
}

}  // namespace

double working_bytes(const ProblemShape& shape, const std::string& method,
                     const SolveOptions& options) {
  return 8.0 * numbers_of(memory_of(shape, options), method);
}

// solve/auto/row_subset: the rows, those that check them, and QR.
double subset_bytes(const ProblemShape& shape, Index rows, const SolveOptions& options) {
  const WorkingMemory m = memory_of(shape, options);
  const double solved = static_cast<double>(rows), width = m.d() + m.c();
  const double checked = std::clamp(m.n() / 200.0, 1000.0, 10000.0);
  return 8.0 * ((solved + checked) * width + m.factor(solved, width));
}

double look_bytes(const ProblemShape& shape, const SolveOptions& options) {
  const AutoPlan plan(shape, options);
  return plan.look() ? plan.look()->bytes : 0.0;
}

std::optional<SolveOptions> with_uniform_sampling(const SolveOptions& options) {
  const MethodRecord* record = find_record(options.method);
  if (!uses_row_norms(record, options)) return std::nullopt;
  SolveOptions out = options;
  out.sampling = "uniform";
  if (!(record->info.traits & trait::sampling)) out.method = sgd_record().info.name;
  return out;
}

double solve_bytes(const ProblemShape& shape, const SolveOptions& options) {
  const double statistics =
      options.statistics ? 8.0 * numbers_of_statistics(memory_of(shape, options)) : 0.0;
  const bool automatic = options.method == "auto";
  return std::max(statistics, automatic ? AutoPlan(shape, options).bytes()
                                        : working_bytes(shape, options.method, options));
}

}  // namespace polyak
