#include "sampling/integer_starts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/large_arrays.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t total = 1ull << 62;

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

// w·2^power, rounded once. A power of two beyond the largest double is split:
// then every w is subnormal, and both products are exact.
class Scaling {
 public:
  explicit Scaling(int power)
      : most_(std::ldexp(1.0, std::min(power, 1023))),
        rest_(std::ldexp(1.0, power - std::min(power, 1023))) {}
  double operator()(double w) const { return w * most_ * rest_; }

 private:
  double most_, rest_;
};

// Whole numbers of 2^-87, of which each weight (below 2) is the floor: no order of
// adding changes their sum, so that any number of ranks finds the same. It falls
// short by n·2^-87 at most, and is at least 1.
__extension__ using Wide = unsigned __int128;

Wide exact_sum(std::span<const double> weights, Scaling scaled) {
  Wide high = 0;
  std::uint64_t low = 0;  // good for 2^37 rows a rank
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

// What is left of 2^62 when each row has its own: so many more for every row, and
// one more for the first of them.
struct Rest {
  std::uint64_t each = 0, one_more = 0;  // one_more: rows held here that get it
  std::uint64_t first = 0;               // where the points of the rows held here begin
};

Rest rest_of_total(std::uint64_t given, std::uint64_t positive, Communicator& ranks) {
  const auto all = all_gather<2>(ranks, {given, positive});
  std::uint64_t given_to_all = 0, rows = 0;
  for (const auto& [points, of_rows] : all) {
    given_to_all += points;
    rows += of_rows;
  }
  Rest out{(total - given_to_all) / rows, 0, 0};
  std::uint64_t left = (total - given_to_all) % rows;
  for (std::size_t rank = 0; rank <= to_size(ranks.rank()); ++rank) {
    const auto& [points, of_rows] = all[rank];
    out.one_more = std::min(left, of_rows);
    left -= out.one_more;
    if (rank < to_size(ranks.rank())) out.first += points + out.each * of_rows + out.one_more;
  }
  return out;
}

std::vector<std::uint64_t> room_for(std::size_t rows) {
  std::vector<std::uint64_t> start;
  start.reserve(rows + 7);  // RowTable puts six more behind
  ask_for_huge_pages(start.data(), 8 * start.capacity());
  start.resize(rows + 1);
  return start;
}

}  // namespace

// Each row of positive weight gets 1 + floor(weight·factor); factor is a hair
// small, and what is left of 2^62 is handed out evenly.
IntegerStarts integer_starts(std::span<const double> weights, Communicator& ranks) {
  const auto [largest, positive, valid] = survey_all(weights, ranks);
  if (!valid || positive == 0) {
    throw Error(ErrorCode::bad_data, {.what = "rows cannot be sampled by these probabilities",
                                      .found = valid ? "all zero" : "a negative or non-finite one",
                                      .expected = "numbers of at least 0, not all zero"});
  }
  const Scaling scaled(-std::ilogb(largest));  // weights near the ends of the range stay exact
  const double factor =
      static_cast<double>(total - positive) * (1.0 - 0x1p-50) / sum_of_all(weights, scaled, ranks);
  std::vector<std::uint64_t> start = room_for(weights.size());
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
