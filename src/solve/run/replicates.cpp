#include "polyak/replicates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/error.hpp"
#include "solve/run/setup.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double finite_or_infinite(double value) { return std::isfinite(value) ? value : infinity; }

double relative_error(ConstView x, ConstView reference) {
  double away = 0.0, size = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double e = x.data[i] - reference.data[i];
    away += e * e;
    size += reference.data[i] * reference.data[i];
  }
  return finite_or_infinite(std::sqrt(size > 0.0 ? away / size : away));
}

void check(const Problem& problem, const ReplicateRequest& request) {
  if (problem.has_reference() && request.runs >= 1 && request.every >= 1 && request.iterations >= 0)
    return;
  throw Error(ErrorCode::usage,
              {.what = "replicates need a reference solution, at least one run and a positive "
                       "interval"});
}

// Errors and iterates are reported in the user's variables, so columns are not scaled.
SolveOptions unscaled(SolveOptions options) {
  options.column_scaling = "none";
  return options;
}

// Makes one set of replicates.
class Runner {
 public:
  Runner(const Problem& problem, const SolveOptions& options, const ReplicateRequest& request)
      : setup_(problem, unscaled(options)), request_(request), stream_(options.stream) {
    for (Index k = 0; k <= request.iterations; k += request.every) out_.iterations.push_back(k);
    out_.errors.resize(to_size(request.runs));
    if (request.residual_norm) out_.residuals.resize(to_size(request.runs));
    out_.used = setup_.plan().used;
    out_.rows_per_iteration = setup_.plan().rows_per_iteration;
  }

  Replicates run() {
    const Index together = setup_.side_by_side(request_.runs);
    for (Index r = 0; r < request_.runs && out_.complete; r += together)
      run_group(r, std::min(together, request_.runs - r));
    return std::move(out_);
  }

 private:
  // Runs first … first + count − 1, side by side.
  void run_group(Index first, Index count) {
    const auto method = setup_.start(stream_ + static_cast<std::uint64_t>(first), count);
    const Index c = setup_.problem().right_hand_sides(), d = setup_.problem().cols();
    Index reached = 0;
    for (std::size_t m = 0; m < out_.iterations.size() && out_.complete; ++m) {
      const Index k = out_.iterations[m];
      method->advance(reached, k);
      reached = k;
      const Block& block = method->whole_x();
      const std::vector<double> numbers = setup_.backend().host_copy(block);
      const ConstView x{numbers.data(), block.vectors(), d, d};
      for (Index r = 0; r < count; ++r) note(first + r, k, {x.row(r * c), c, d, d});
      if (request_.stop && request_.stop(share(first, count, m + 1))) out_.complete = false;
    }
  }

  void note(Index run, Index k, ConstView x) {
    out_.errors[to_size(run)].push_back(relative_error(x, setup_.problem().reference()));
    if (request_.residual_norm)
      out_.residuals[to_size(run)].push_back(finite_or_infinite(request_.residual_norm(x)));
    if (request_.measured) request_.measured(run, k, x);
  }

  double share(Index first, Index count, std::size_t measurements) const {
    const double within =
        static_cast<double>(measurements) / static_cast<double>(out_.iterations.size());
    return (static_cast<double>(first) + static_cast<double>(count) * within) /
           static_cast<double>(request_.runs);
  }

  SolveSetup setup_;
  const ReplicateRequest& request_;
  std::uint64_t stream_;
  Replicates out_;
};

}  // namespace

double percentile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double place = p / 100.0 * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  const double part = place - static_cast<double>(low);
  const bool between = part > 0.0 && values[low] < values[high];  // inf − inf is no number
  return between ? values[low] + part * (values[high] - values[low]) : values[low];
}

std::vector<double> Replicates::percentile(double p) const {
  std::vector<double> out, column(errors.size());
  for (std::size_t m = 0; m < iterations.size(); ++m) {
    for (std::size_t r = 0; r < errors.size(); ++r) column[r] = errors[r][m];
    out.push_back(polyak::percentile(column, p));
  }
  return out;
}

Replicates run_replicates(const Problem& problem, const SolveOptions& options,
                          const ReplicateRequest& request) {
  check(problem, request);
  return Runner(problem, options, request).run();
}

Replicates run_replicates(const Problem& problem, const SolveOptions& options, Index runs,
                          Index iterations, Index every) {
  ReplicateRequest request;
  request.runs = runs;
  request.iterations = iterations;
  request.every = every;
  return run_replicates(problem, options, request);
}

}  // namespace polyak
