#include "solve/auto/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/memory.hpp"

namespace polyak {
namespace {

constexpr double margin_rows = 16.0;      // of a subset, beside its multiple of d
constexpr double rows_over_subset = 8.0;  // at least: otherwise a subset is not a small part
constexpr double min_speedup = 1.25;      // subset-cg is expected to end so much before its limit

// The records propose candidates turn by turn; later turns get the candidates of earlier ones.
class Chooser {
 public:
  explicit Chooser(const CandidateInputs& in) : in_(in) {}

  Choice choose() {
    for (const Turn turn : turns) rule_out_incapable(turn);
    take(Turn::factorisation);
    factorisations_ = out_.candidates;
    in_.factorisations = factorisations_;
    take(Turn::iteration);
    std::stable_sort(out_.candidates.begin(), out_.candidates.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    take(Turn::trial);
    take(Turn::last);
    return std::move(out_);
  }

 private:
  static constexpr Turn turns[] = {Turn::factorisation, Turn::iteration, Turn::trial, Turn::last};

  const char* incapable(const MethodRecord& record) const {
    if (in_.shape.bounds && !(record.info.traits & trait::bounds))
      return "it cannot keep x within bounds";
    if (in_.shape.ridge && !(record.info.traits & trait::ridge))
      return "it cannot handle a ridge term";
    return nullptr;
  }

  void rule_out_incapable(Turn turn) {
    for (const MethodRecord* record : method_records())
      if (const char* why = record->turn == turn ? incapable(*record) : nullptr)
        out_.ruled_out.push_back({record->info.name, why});
  }

  void take(Turn turn) {
    const std::vector<Candidate> others = out_.candidates;
    in_.others = others;
    auto& list = out_.candidates;
    for (const MethodRecord* record : method_records()) {
      if (record->turn != turn || incapable(*record)) continue;
      Proposal proposal = record->propose(in_);
      if (proposal.candidate)
        list.insert(turn == Turn::trial ? list.begin() : list.end(),
                    std::move(*proposal.candidate));
      else if (!proposal.ruled_out.empty())
        out_.ruled_out.push_back({record->info.name, std::move(proposal.ruled_out)});
    }
    in_.others = {};
  }

  CandidateInputs in_;
  std::vector<Candidate> factorisations_;
  Choice out_;
};

}  // namespace

ProblemShape shape_of_rows(const ProblemShape& shape, Index rows) {
  const double share =
      static_cast<double>(rows) / static_cast<double>(std::max<Index>(1, shape.rows));
  ProblemShape part = shape;
  part.rows = rows;
  part.nonzeros = shape.dense() ? rows * shape.cols
                                : static_cast<Index>(share * static_cast<double>(shape.nonzeros));
  part.bytes = share * shape.bytes;
  part.products = share * shape.products;
  part.disk.reset();  // the rows are copied
  return part;
}

AutoPlan::AutoPlan(const ProblemShape& shape, const SolveOptions& options)
    : shape_(shape),
      options_(options),
      costs_(shape, device_rates(options.device)),
      n_(static_cast<double>(shape.rows)),
      d_(static_cast<double>(shape.cols)),
      look_(plan_look()),
      subset_cg_(plan_subset_cg()) {}

Choice AutoPlan::choice(const SubsetFindings& found) const {
  CandidateInputs in{.shape = shape_,
                     .costs = costs_,
                     .tol = std::max(options_.tol, 1e-16),
                     .n = n_,
                     .d = d_,
                     .subset = found.facts,
                     .cg_iterations = found.cg_iterations,
                     .subset_first = look_.has_value(),
                     .small = false};
  in.small = in.can_factor() && costs_.direct() <= Costs::at_once;
  return Chooser(in).choose();
}

std::vector<AutoStage> AutoPlan::methods(const std::vector<Candidate>& candidates) const {
  std::vector<AutoStage> out;
  for (const Candidate& candidate : candidates) {
    SolveOptions options = options_;
    options.tol = candidate.tol.value_or(options_.tol);
    out.push_back({.run = candidate, .bytes = working_bytes(shape_, candidate.method, options)});
  }
  return out;
}

double AutoPlan::bytes() const {
  double bytes = 0.0;
  if (look_) bytes = std::max(bytes, look_->bytes);
  if (subset_cg_) bytes = std::max(bytes, subset_cg_->bytes);
  for (const AutoStage& stage : methods(choice().candidates)) {
    bytes = std::max(bytes, stage.bytes);
    if (!stage.run.passes) break;  // a trial alone may not solve the problem
  }
  return bytes;
}

AutoStage AutoPlan::subset_direct(double rows_per_column, bool by_gram, double seconds) const {
  const auto rows = static_cast<Index>(rows_per_column * d_ + margin_rows);
  const MethodRecord& record = by_gram ? normal_record() : direct_record();
  return {.run = {.method = "subset-" + record.info.name,
                  .why = "some rows, solved and checked on others",
                  .seconds = seconds},
          .bytes = subset_bytes(shape_, rows, options_),
          .rows = rows,
          .by_gram = by_gram};
}

// The solution of a subset has to be checked on all rows, in two passes: where A has so few columns
// that the next method takes little longer than that, a subset saves nothing.
bool AutoPlan::may_save(double seconds, double next) const {
  constexpr double max_share = 0.8;
  const double check = options_.certify == "sampled" ? 0.0 : 2.0 * costs_.pass();
  return seconds + check <= max_share * next;
}

// 10d rows give a good estimate of the conditioning, 2d determine x. The stage may solve the
// problem; otherwise its time is lost, so that it may take a few passes and a part of the time of
// the next method at most. By normal equations only where Kaczmarz, which may solve it as well,
// would take longer. Where a device computes A'A in a few passes, no subset saves as much as it
// costs.
std::optional<AutoStage> AutoPlan::plan_look() const {
  constexpr Index max_gram_columns = 1000;  // above, subset-cg gives the same facts for less
  const bool sampled = options_.certify == "sampled";  // then rows not read are what is saved
  if (shape_.ridge || shape_.bounds || !(options_.tol > 0.0) || costs_.gram_on_device() ||
      (costs_.direct() <= Costs::at_once && !sampled))
    return std::nullopt;
  const double max_qr_share = sampled ? 1.0 : 0.2, max_gram_share = sampled ? 1.0 : 0.3;
  const double next = std::min(costs_.normal(), costs_.direct()) - costs_.copy();
  const double kaczmarz = costs_.kaczmarz(kaczmarz_passes(n_, d_, options_.tol));
  const auto by_qr = [&](double rows, double passes) {
    const double seconds = costs_.subset_by_qr(rows * d_);
    const bool cheap =
        (sampled || seconds <= passes * costs_.pass()) && seconds <= max_qr_share * next;
    return cheap && may_save(seconds, next) ? seconds : 0.0;
  };
  const auto by_gram = [&](double rows) {
    const double seconds = costs_.subset_by_gram(rows * d_);
    const bool cheap = shape_.dense() && shape_.cols <= max_gram_columns &&
                       seconds <= std::min(kaczmarz, max_gram_share * next);
    return cheap && may_save(seconds, next) ? seconds : 0.0;
  };
  struct Option {
    double rows;  // per column
    bool by_gram;
    double seconds;
  };
  for (const auto& [rows, gram, seconds] :
       {Option{10.0, false, by_qr(10.0, 3.0)}, Option{10.0, true, by_gram(10.0)},
        Option{4.0, true, by_gram(4.0)}, Option{4.0, false, by_qr(4.0, 10.0)},
        Option{2.0, false, by_qr(2.0, 25.0)}})
    if (seconds > 0.0 && rows_over_subset * (rows * d_ + margin_rows) <= n_)
      return subset_direct(rows, gram, seconds);
  return std::nullopt;
}

// Four rows per column, or as many as hold 40 entries per column: they determine x, and are
// conditioned a few times worse than all rows. Rows of a projector are not stored, and
// computing them again costs more.
std::optional<AutoStage> AutoPlan::plan_subset_cg() const {
  constexpr double min_rows = 4.0, min_entries = 40.0;  // per column
  const double entries = static_cast<double>(shape_.nonzeros) / std::max(1.0, n_);
  const double rows = std::ceil(d_ * std::max(min_rows, min_entries / entries));
  const bool stored = shape_.dense() || shape_.gram_products() < n_ * d_ * d_;
  if (shape_.ridge || shape_.bounds || !(options_.tol > 0.0) || !stored ||
      !(rows_over_subset * rows <= n_) || costs_.direct() <= Costs::at_once || look_ ||
      costs_.gram_on_device())
    return std::nullopt;
  const auto others = choice().candidates;
  // A single-row method on dense rows needs no copy of them, and its trial shows the same.
  if (shape_.dense() && find_record(others.front().method)->info.single_row()) return std::nullopt;
  double next = std::numeric_limits<double>::infinity();
  for (const Candidate& other : others)
    if (!other.passes) next = std::min(next, other.seconds - costs_.copy());
  const auto count = static_cast<Index>(rows);
  const ProblemShape part = shape_of_rows(shape_, count);
  const double pass = Costs(part, device_rates(options_.device)).pass();
  const double limit = std::floor(candidate::trial_share * next / pass);
  const double expected = random_cg_iterations(rows, d_, rows * entries, 0.1 * options_.tol);
  const double seconds = (expected + 3.0) * pass + costs_.rows_read(rows);
  if (limit < min_speedup * expected || !may_save(seconds, next)) return std::nullopt;
  const std::string& method = one_read_cg_record().info.name;
  const auto iterations = static_cast<Index>(std::min(limit, 3.0 * d_));
  return AutoStage{
      .run = {.method = "subset-" + method,
              .why = fmt::format("{} random rows first: they solve consistent data; otherwise "
                                 "their solution is the next start",
                                 count),
              .seconds = seconds,
              .passes = static_cast<double>(iterations) * static_cast<double>(count) /
                        static_cast<double>(shape_.rows)},
      .bytes = part.bytes + working_bytes(part, method, options_),
      .rows = count,
      .max_iterations = iterations,
      .expected_iterations = expected};
}

}  // namespace polyak
