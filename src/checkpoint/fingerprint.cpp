#include <fmt/format.h>

#include <cmath>

#include "checkpoint/container.hpp"
#include "core/random.hpp"
#include "matrix/products.hpp"
#include "polyak/checkpoint.hpp"
#include "polyak/simd.hpp"
#include "polyak/version.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t fixed_seed = 0x706f6c79616b;  // v must be the same for ever

std::string of_vector(const std::vector<double>& numbers) {
  return numbers.empty() ? "none" : digest(numbers);
}

// A·v: every entry takes part, whatever A is stored as or made up from.
std::string of_matrix(const Problem& problem, ThreadTeam& team) {
  std::vector<double> v(to_size(problem.cols())), y(to_size(problem.rows()));
  Random(fixed_seed, stream::entries).normals(0, v.size(), v.data());
  Products products(problem.A(), {}, Scale{}, team);
  products.multiply({v.data(), 1, problem.cols(), problem.cols()}, {y.data(), problem.rows(), 1, 1});
  problem.A().complete(y);
  return fmt::format("{} x {}, {}, {}", problem.rows(), problem.cols(), problem.A().kind(),
                     digest(y));
}

std::string of_rhs(const Problem& problem) {
  const ConstView b = problem.b();
  std::vector<double> all;
  all.reserve(to_size(b.size()));
  for (Index i = 0; i < b.rows; ++i) all.insert(all.end(), b.row(i), b.row(i) + b.cols);
  problem.A().complete(all);
  return fmt::format("{} x {}, {}", b.rows, b.cols, digest(all));
}

bool may_differ(const std::string& name) {
  return name == "threads" || name == "max-iterations" || name == "max-passes" ||
         name == "time-limit";
}

template <class Value>
std::string shown(const Value& value) {
  return fmt::format("{}", value);
}
template <class Value>
std::string shown(const std::optional<Value>& value) {
  return value ? shown(*value) : "auto";
}

void add_options(const SolveOptions& options, Fingerprint& out) {
  for (const auto& record : solve_options()) {
    if (may_differ(record.name)) continue;
    out.emplace_back("--" + record.name,
                     std::visit([&](auto member) { return shown(options.*member); }, record.field));
  }
  out.emplace_back("probabilities", of_vector(options.probabilities));
  out.emplace_back("stream", shown(options.stream));
}

}  // namespace

std::string digest(std::span<const double> numbers) {
  return checkpoint::digest({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
}

Fingerprint fingerprint(const Problem& problem, const SolveOptions& options) {
  ThreadTeam team(static_cast<int>(options.threads));
  const ConstView x0 = problem.x0();
  Fingerprint out = {{"version of polyak", version_string},
                     {"vector instructions", simd_target()},
                     {"A", of_matrix(problem, team)},
                     {"b", of_rhs(problem)},
                     {"weights", of_vector(problem.weights())},
                     {"ridge", shown(problem.ridge())},
                     {"lower bounds", of_vector(problem.lower())},
                     {"upper bounds", of_vector(problem.upper())},
                     {"x0", digest(std::span(x0.data, to_size(x0.size())))}};
  add_options(options, out);
  return out;
}

}  // namespace polyak
