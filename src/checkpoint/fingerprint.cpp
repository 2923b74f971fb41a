#include <fmt/format.h>

#include <algorithm>

#include "backend/backend.hpp"
#include "checkpoint/container.hpp"
#include "core/file_pages.hpp"
#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/checkpoint.hpp"
#include "polyak/ranks.hpp"
#include "polyak/simd.hpp"
#include "polyak/version.hpp"

namespace polyak {
namespace {

constexpr std::uint64_t fixed_seed =
    0x706f6c79616b;  // must never change, or old checkpoints do not match

std::string of_vector(std::span<const double> numbers) {
  if (numbers.empty()) return "none";
  constexpr std::size_t most = std::size_t{1} << 17;
  PagesBehind behind(numbers.data(), sizeof(double), 0);
  return checkpoint::digest([&, first = std::size_t{0}]() mutable -> std::string_view {
    behind.used_up_to(static_cast<Index>(first));
    const auto part = numbers.subspan(first, std::min(most, numbers.size() - first));
    first += part.size();
    return {reinterpret_cast<const char*>(part.data()), part.size_bytes()};
  });
}

// The digest of `columns` numbers per row, row after row; fill(first, last, zeros) writes those
// of the rows stored here. In parts, so that no rank needs memory for all rows.
template <class Fill>
std::string of_rows(const RowMatrix& A, Index columns, Fill fill) {
  constexpr Index max_numbers = Index{1} << 17;  // of a part
  const Index rows = std::max<Index>(1, max_numbers / std::max<Index>(1, columns));
  std::vector<double> part;
  return checkpoint::digest([&, first = Index{0}]() mutable -> std::string_view {
    const Index last = std::min(A.rows(), first + rows);
    part.assign(to_size((last - first) * columns), 0.0);
    if (part.empty()) return {};
    fill(first, last, View{part.data(), last - first, columns, columns});
    communicator(A).sum(part);
    first = last;
    return {reinterpret_cast<const char*>(part.data()), part.size() * sizeof(double)};
  });
}

// The digest of A·v: it depends on every entry, for any storage of A.
std::string of_matrix(const Problem& problem, ThreadTeam& team) {
  const RowMatrix& A = problem.A();
  std::vector<double> v(to_size(A.cols()));
  Random(fixed_seed, stream::entries).normals(0, v.size(), v.data());
  A.expect_range(0, A.rows());
  const auto product = [&](Index first, Index last, View y) {
    constexpr Index job_rows = 1024;
    team.run((last - first + job_rows - 1) / job_rows, [&](Index job) {
      const Index from = job * job_rows, to = std::min(last - first, from + job_rows);
      A.multiply(first + from, first + to, {v.data(), 1, A.cols(), A.cols()},
                 {y.row(from), to - from, 1, 1});
    });
  };
  return fmt::format("{} x {}, {}, {}", A.rows(), A.cols(), A.kind(), of_rows(A, 1, product));
}

std::string of_rhs(const Problem& problem) {
  const ConstView b = problem.b();
  const Partition own = partition(problem.A());
  PagesBehind behind(b.data, to_size(b.stride) * sizeof(double), own.first);
  const auto copy = [&](Index first, Index last, View out) {
    const Index to = std::min(last, own.first + own.rows->rows());
    for (Index i = std::max(first, own.first); i < to; ++i)
      std::copy_n(b.row(i), b.cols, out.row(i - first));
    if (to > own.first) behind.used_up_to(to);
  };
  return fmt::format("{} x {}, {}", b.rows, b.cols, of_rows(problem.A(), b.cols, copy));
}

// Options that a resumed run may change.
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
    const std::string value =
        std::visit([&](auto member) { return shown(options.*member); }, record.field);
    out.emplace_back("--" + record.name, record.name == "device" ? device_named(value) : value);
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
