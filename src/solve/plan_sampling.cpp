#include "solve/plan_sampling.hpp"

#include "matrix/whole.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "sampling/law.hpp"

namespace polyak {
namespace {

void check_count(const Problem& problem, const SolveOptions& options) {
  if (std::ssize(options.probabilities) == problem.rows()) return;
  throw Error(ErrorCode::bad_data, {.what = "there must be one probability per row",
                                    .found = std::to_string(options.probabilities.size()),
                                    .expected = std::to_string(problem.rows())});
}

void check_probabilities(const RowMatrix& A, std::span<const double> norms2,
                         std::span<const double> given) {
  std::optional<Place> bad;
  if (const auto row = neglected_row(norms2, given))
    bad = Place{partition(A).first + *row, 0, given[to_size(*row)]};
  if ((bad = first_of_ranks(A, bad))) refuse_probability(bad->row, bad->value);
}

}  // namespace

std::unique_ptr<const Sampler> plan_sampler(const Problem& problem, const MatrixFacts& facts,
                                            const SolveOptions& options) {
  const RowMatrix& A = problem.A();
  const Partition own = partition(A);
  const Sampling law = law_named(options.sampling);
  if (law == Sampling::given) check_count(problem, options);
  const auto of_own = [&own](std::span<const double> numbers) {
    return numbers.empty() ? numbers
                           : numbers.subspan(to_size(own.first), to_size(own.rows->rows()));
  };
  const std::span<const double> norms2 = of_own(facts.norms2),
                                given = of_own(options.probabilities);
  if (law == Sampling::given) check_probabilities(A, norms2, given);
  const std::vector<double> weights = law_weights(
      law, norms2, given, {static_cast<double>(A.rows() - facts.zero_rows), facts.frobenius2});
  return std::make_unique<const Sampler>(weights, own.first, *own.communicator);
}

}  // namespace polyak
