#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/large_arrays.hpp"
#include "polyak/error.hpp"
#include "sampling/row_table.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t all_points = 1ull << 62;

struct Survey {
  double largest = 0.0;
  std::uint64_t positive = 0;
  bool valid = true;
};

Survey survey(std::span<const double> weights) {
  Survey out;
  for (double w : weights) {
    out.largest = std::max(out.largest, w);
    out.positive += w > 0.0;
    out.valid &= w >= 0.0 && w <= std::numeric_limits<double>::max();
  }
  return out;
}

// w·2^power, rounded once. A power of two larger than any double is split into two factors:
// then every w is subnormal, and both products are exact.
class Scaling {
 public:
  explicit Scaling(int power)
      : first_(std::ldexp(1.0, std::min(power, 1023))),
        second_(std::ldexp(1.0, power - std::min(power, 1023))) {}
  double operator()(double w) const { return w * first_ * second_; }

 private:
  double first_, second_;
};

// Weights (below 2) as integer multiples of 2^-87, rounded down: the sum of integers does not
// depend on the order, and so not on the number of ranks. It is too small by at most n·2^-87,
// and at least 1.
__extension__ using Wide = unsigned __int128;

Wide exact_sum(std::span<const double> weights, Scaling scaled) {
  Wide high = 0;
  std::uint64_t low = 0;  // no overflow up to 2^37 rows per rank
  for (double w : weights) {
    const double v = scaled(w) * 0x1p61;
    const auto whole = static_cast<std::int64_t>(v);
    high += static_cast<std::uint64_t>(whole);
    low += static_cast<std::uint64_t>((v - static_cast<double>(whole)) * 0x1p26);
  }
  return (high << 26) + low;
}

double as_double(Wide sum) { return static_cast<double>(sum) * 0x1p-87; }

Survey survey_all(std::span<const double> weights, Communicator& ranks) {
  const Survey own = survey(weights);
  Survey all;
  for (const auto& [largest, positive, valid] :
       all_gather<3>(ranks, {std::bit_cast<std::uint64_t>(own.largest), own.positive, own.valid})) {
    all.largest = std::max(all.largest, std::bit_cast<double>(largest));
    all.positive += positive;
    all.valid = all.valid && valid != 0;
  }
  return all;
}

double sum_of_all(std::span<const double> weights, Scaling scaled, Communicator& ranks) {
  const Wide own = exact_sum(weights, scaled);
  Wide sum = 0;
  for (const auto& [low, high] : all_gather<2>(
           ranks, {static_cast<std::uint64_t>(own), static_cast<std::uint64_t>(own >> 64)}))
    sum += Wide{high} << 64 | low;
  return as_double(sum);
}

// The points of 2^62 that the rows do not have yet: each row of positive weight gets `each`
// more, and the first rows one more still.
struct Rest {
  std::uint64_t each = 0, one_more = 0;  // one_more: the number of such rows stored here
  std::uint64_t first = 0;               // the first point of the rows stored here
};

Rest rest_of_total(std::uint64_t given, std::uint64_t positive, Communicator& ranks) {
  const auto all = all_gather<2>(ranks, {given, positive});
  std::uint64_t given_to_all = 0, rows = 0;
  for (const auto& [points, of_rows] : all) {
    given_to_all += points;
    rows += of_rows;
  }
  Rest out{(all_points - given_to_all) / rows, 0, 0};
  std::uint64_t left = (all_points - given_to_all) % rows;
  for (std::size_t rank = 0; rank <= to_size(ranks.rank()); ++rank) {
    const auto& [points, of_rows] = all[rank];
    out.one_more = std::min(left, of_rows);
    left -= out.one_more;
    if (rank < to_size(ranks.rank())) out.first += points + out.each * of_rows + out.one_more;
  }
  return out;
}

std::vector<std::uint64_t> zero_starts(std::size_t rows) {
  std::vector<std::uint64_t> start;
  start.reserve(rows + 1 + to_size(RowTable::searched));  // which RowTable appends
  ask_for_huge_pages(start.data(), 8 * start.capacity());
  start.resize(rows + 1);
  return start;
}

}  // namespace

// Each row of positive weight gets 1 + floor(weight·factor) points. The factor is rounded
// down a little, and the remaining points are distributed evenly.
IntegerStarts integer_starts(std::span<const double> weights, Communicator& ranks) {
  const auto [largest, positive, valid] = survey_all(weights, ranks);
  if (!valid || positive == 0) {
    throw Error(ErrorCode::bad_data, {.what = "rows cannot be sampled by these probabilities",
                                      .found = valid ? "all zero" : "a negative or non-finite one",
                                      .expected = "numbers of at least 0, not all zero"});
  }
  const Scaling scaled(-std::ilogb(largest));  // very large and very small weights stay exact
  const double factor = static_cast<double>(all_points - positive) * (1.0 - 0x1p-50) /
                        sum_of_all(weights, scaled, ranks);
  std::vector<std::uint64_t> start = zero_starts(weights.size());
  std::uint64_t given = 0, rows = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const auto whole = static_cast<std::int64_t>(scaled(weights[j]) * factor);  // below 2^62
    start[j + 1] = weights[j] > 0.0 ? 1 + static_cast<std::uint64_t>(whole) : 0;
    given += start[j + 1];
    rows += weights[j] > 0.0;
  }
  const Rest rest = rest_of_total(given, rows, ranks);
  std::uint64_t one_more = rest.one_more, sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (start[j + 1] > 0) {
      sum += start[j + 1] + rest.each + (one_more > 0);
      one_more -= one_more > 0;
    }
    start[j + 1] = sum;
  }
  return {rest.first, std::move(start)};
}

}  // namespace polyak
