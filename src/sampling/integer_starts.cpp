#include "sampling/integer_starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/huge_pages.hpp"
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

// Sums of n terms in order, with the lost low parts carried along (Neumaier):
// good to an ulp, and zero terms change nothing.
double careful_sum(std::span<const double> weights, Scaling scaled) {
  double sum = 0.0, lost = 0.0;
  for (double w : weights) {
    const double v = scaled(w), next = sum + v;
    lost += sum >= v ? (sum - next) + v : (v - next) + sum;
    sum = next;
  }
  return sum + lost;
}

}  // namespace

// Each row of positive weight gets 1 + floor(weight·factor); factor is a hair
// small, and what is left of 2^62 is handed out evenly.
std::vector<std::uint64_t> integer_starts(std::span<const double> weights) {
  const auto [largest, positive, valid] = survey(weights);
  if (!valid || positive == 0) {
    throw Error(ErrorCode::bad_data, {.what = "rows cannot be sampled by these probabilities",
                                      .found = valid ? "all zero" : "a negative or non-finite one",
                                      .expected = "numbers of at least 0, not all zero"});
  }
  const Scaling scaled(-std::ilogb(largest));  // weights near the ends of the range stay exact
  const double factor =
      static_cast<double>(total - positive) * (1.0 - 0x1p-50) / careful_sum(weights, scaled);
  std::vector<std::uint64_t> start;
  start.reserve(weights.size() + 7);  // RowTable puts six more behind
  ask_for_huge_pages(start.data(), 8 * start.capacity());
  start.resize(weights.size() + 1);
  std::uint64_t given = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const auto whole = static_cast<std::int64_t>(scaled(weights[j]) * factor);  // below 2^62
    start[j + 1] = weights[j] > 0.0 ? 1 + static_cast<std::uint64_t>(whole) : 0;
    given += start[j + 1];
  }
  const std::uint64_t each = (total - given) / positive;
  std::uint64_t extra = (total - given) % positive, sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const std::uint64_t one_more = extra > 0;
    if (start[j + 1] > 0) {
      sum += start[j + 1] + each + one_more;
      extra -= one_more;
    }
    start[j + 1] = sum;
  }
  return start;
}

}  // namespace polyak
