#include "suggest.hpp"

#include <algorithm>
#include <cstddef>

namespace polyak::cli {
namespace {

// Insertions, deletions, replacements and swaps of neighbours, one each.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const std::size_t n = b.size() + 1;
  std::vector<std::size_t> before(n), above(n), row(n);
  for (std::size_t j = 0; j < n; ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < n; ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[n - 1];
}

// One word inside the other counts as one or two slips: "iterations" is meant
// to be "max-iterations", "tolerance" to be "tol".
std::size_t slips(const std::string& word, const std::string& candidate) {
  const std::size_t edits = edit_distance(word, candidate);
  const std::string& shorter = word.size() < candidate.size() ? word : candidate;
  const std::string& longer = word.size() < candidate.size() ? candidate : word;
  if (shorter.size() < 3) return edits;
  const std::size_t at = longer.find(shorter);
  return at == std::string::npos ? edits : std::min<std::size_t>(edits, at == 0 ? 1 : 2);
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = slips(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace polyak::cli
