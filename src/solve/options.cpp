#include "polyak/options.hpp"

#include <cmath>
#include <limits>

#include "polyak/methods.hpp"

namespace polyak {
namespace {

std::vector<OptionRecord<SolveOptions>> make_table() {
  using O = SolveOptions;
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::string methods = "auto";
  for (const MethodInfo& info : method_table()) methods += "|" + info.name;
  return {
      {.name = "method",
       .field = &O::method,
       .value = methods,
       .sentence = "The algorithm; auto looks at a few rows first and takes the one with the least "
                   "predicted time."},
      {.name = "batch",
       .field = &O::batch_size,
       .value = "N",
       .sentence = "Rows drawn in each iteration, with replacement; auto takes the one with the "
                   "least predicted work, or the paper's B* with --parameters paper.",
       .lowest = 1,
       .highest = 0x1p40,
       .needs = trait::batch},
      {.name = "step-size",
       .field = &O::step_size,
       .value = "ALPHA",
       .sentence = "Constant step; auto is the paper's choice for the method.",
       .lowest = 0,
       .highest = inf,
       .open_below = true,
       .needs = trait::step_size},
      {.name = "momentum",
       .field = &O::momentum,
       .value = "BETA",
       .sentence = "Constant momentum; auto is the paper's choice for the method.",
       .lowest = 0,
       .highest = 1,
       .open_above = true,
       .needs = trait::momentum},
      {.name = "parameters",
       .field = &O::parameters,
       .value = "tuned|paper",
       .sentence = "Where auto step and momentum of minibatch methods come from: tuned for the "
                   "batch, or the paper's (which want a batch near B*).",
       .needs = trait::batch | trait::momentum},
      {.name = "column-scaling",
       .field = &O::column_scaling,
       .value = "auto|none",
       .sentence = "Columns whose sizes differ by more than 4 are brought to about one size by "
                   "powers of two; none, and --parameters paper, work on A as it is, and so do "
                   "steps, momentum or ends of the spectrum that are given."},
      {.name = "lambda-min",
       .field = &O::lambda_min,
       .value = "L",
       .sentence = "Smallest nonzero eigenvalue of A'A if known; auto computes it (see "
                   "--spectrum).",
       .lowest = 0,
       .open_below = true,
       .needs = trait::lambda_min},
      {.name = "lambda-max",
       .field = &O::lambda_max,
       .value = "L",
       .sentence = "Largest eigenvalue of A'A if known; auto computes it.",
       .lowest = 0,
       .open_below = true,
       .needs = trait::lambda_max},
      {.name = "spectrum",
       .field = &O::spectrum,
       .value = "auto|exact|sketch|lanczos",
       .sentence =
           "Where lambda-min and lambda-max come from when they are not given: A'A itself, "
           "a sketch of A with error bars, or Lanczos steps; auto takes what is cheap enough "
           "and sure enough for the plan.",
       .needs = trait::lambda_min},
      {.name = "gamma",
       .field = &O::gamma,
       .value = "G",
       .sentence = "Widening of the spectrum for momentum, as a fraction of lambda-min.",
       .lowest = 0,
       .highest = 1,
       .open_above = true,
       .needs = trait::gamma},
      {.name = "sampling",
       .field = &O::sampling,
       .value = "row-norm|uniform|mixed|given",
       .sentence = "Probability of a row: by its squared norm, equal, or half of each; given "
                   "takes probabilities from the library.",
       .needs = trait::sampling},
      {.name = "tol",
       .field = &O::tol,
       .value = "TOL",
       .sentence =
           "Stop when |a_j'r| <= tol|a_j||r| for every column a_j of A, or |r| <= tol(sum_j "
           "|a_j||x_j| + |b|): the units of columns do not matter.",
       .lowest = 0,
       .highest = 1,
       .open_above = true},
      {.name = "certify",
       .field = &O::certify,
       .value = "full|sampled",
       .sentence = "What the tolerance is checked on by the method auto: every row, or rows drawn "
                   "at random where that is enough to tell; the report says which."},
      {.name = "max-iterations",
       .field = &O::max_iterations,
       .value = "N",
       .sentence = "Most iterations; auto is no limit of its own.",
       .lowest = 0},
      {.name = "max-passes",
       .field = &O::max_passes,
       .value = "P",
       .sentence = "Most rows read by the method, in multiples of all rows; auto is 10000 (and "
                   "never under 10 million rows) unless another limit is given.",
       .lowest = 0},
      {.name = "time-limit",
       .field = &O::time_limit_s,
       .value = "SECONDS",
       .sentence = "Most seconds from start to end, reading included; x is then the best so far.",
       .lowest = 0},
      {.name = "measure-every",
       .field = &O::measure_every,
       .value = "P",
       .sentence = "Measure the true residual every P passes; auto spaces measurements by what "
                   "they cost and when the tolerance is due.",
       .lowest = 0,
       .open_below = true},
      {.name = "seed",
       .field = &O::seed,
       .value = "N",
       .sentence = "Seed of everything random; the same seed gives the same bits."},
      {.name = "threads",
       .field = &O::threads,
       .value = "N",
       .sentence = "Threads; 0 takes all cores. The answer does not depend on it.",
       .lowest = 0,
       .highest = 4096},
      {.name = "device",
       .field = &O::device,
       .value = "NAME",
       .sentence = "Where vectors live and products with A are computed: cpu, the threads of this "
                   "process, or cuda or cuda:N, GPU N; auto takes cpu."},
      {.name = "statistics",
       .field = &O::statistics,
       .value = "",
       .sentence = "Also find residual variance, R squared and the standard errors of x, by a QR "
                   "of A."},
  };
}

// The user has set it: it differs from the default.
bool differs(const OptionRecord<SolveOptions>& record, const SolveOptions& options) {
  static const SolveOptions fresh;
  return std::visit([&](auto member) { return options.*member != fresh.*member; }, record.field);
}

[[noreturn]] void refuse_ignored(const std::string& option, const std::string& method) {
  throw Error(ErrorCode::usage, {.what = "the method " + method + " does not use this option",
                                 .where = option_name(option),
                                 .hint = "leave it out, or choose a method that uses it with " +
                                         option_name("method")});
}

using Record = OptionRecord<SolveOptions>;

void check_value(const Record& record, double value) {
  const bool inside = (record.open_below ? value > record.lowest : value >= record.lowest) &&
                      (record.open_above ? value < record.highest : value <= record.highest);
  if (!inside || !std::isfinite(value))
    detail::refuse(record, detail::shown(value), "a number " + detail::range(record));
}
void check_value(const Record& record, Index value) {
  check_value(record, static_cast<double>(value));
}
void check_value(const Record& record, const std::string& value) {
  if (record.name == "method" || record.name == "device") return;  // checked by their tables
  const bool by_probabilities = record.name == "sampling" && value == "given";
  if (detail::is_choice(record.value) && !detail::among(value, record.value) && !by_probabilities)
    detail::refuse(record, value, record.value);
}
void check_value(const Record&, std::uint64_t) {}
void check_value(const Record&, bool) {}
template <class Value>
void check_value(const Record& record, const std::optional<Value>& value) {
  if (value) check_value(record, *value);
}

}  // namespace

std::span<const OptionRecord<SolveOptions>> solve_options() {
  static const auto table = make_table();
  return table;
}

// The program checks values when it reads them as text; callers of the library set fields.
void check_values(const SolveOptions& options) {
  for (const Record& record : solve_options())
    std::visit([&](auto member) { check_value(record, options.*member); }, record.field);
}

void check_options(const SolveOptions& options, const std::string& method) {
  check_values(options);
  const MethodInfo* info = find_method(method);
  if (!info) {
    throw Error(ErrorCode::usage, {.what = "there is no method of that name",
                                   .where = option_name("method"),
                                   .found = "'" + method + "'"});
  }
  for (const auto& record : solve_options())
    if ((record.needs & ~info->traits) != 0 && differs(record, options))
      refuse_ignored(record.name, method);
  if (options.certify != SolveOptions{}.certify) refuse_ignored("certify", method);
  const bool minibatch_momentum = (info->traits & trait::batch) && (info->traits & trait::momentum);
  if (minibatch_momentum && options.parameters == "tuned" &&
      options.gamma != SolveOptions{}.gamma) {
    throw Error(ErrorCode::usage, {.what = "gamma belongs to the paper's parameters",
                                   .where = option_name("gamma"),
                                   .hint = "add " + option_name("parameters", "paper")});
  }
  if (options.step_sequence && !(info->traits & trait::step_size))
    refuse_ignored("step-size", method);
  if (options.momentum_sequence && !(info->traits & trait::momentum))
    refuse_ignored("momentum", method);
  if (options.lambda_min && options.lambda_max && *options.lambda_min > *options.lambda_max) {
    throw Error(ErrorCode::usage, {.what = "lambda-min is larger than lambda-max",
                                   .where = option_name("lambda-min"),
                                   .found = std::to_string(*options.lambda_min),
                                   .expected = "at most " + std::to_string(*options.lambda_max)});
  }
  if (options.lambda_min && options.lambda_max && options.spectrum != SolveOptions{}.spectrum) {
    throw Error(ErrorCode::usage, {.what = "both ends of the spectrum are given already",
                                   .where = option_name("spectrum"),
                                   .found = options.spectrum,
                                   .hint = "leave it out, or one of " + option_name("lambda-min") +
                                           " and " + option_name("lambda-max")});
  }
  if ((options.sampling == "given") != !options.probabilities.empty()) {
    throw Error(ErrorCode::usage,
                {.what = "sampling 'given' and a list of probabilities go together",
                 .where = option_name("sampling"),
                 .found = options.sampling + " with " +
                          std::to_string(options.probabilities.size()) + " probabilities"});
  }
}

}  // namespace polyak
