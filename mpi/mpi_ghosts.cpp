#include <algorithm>
#include <limits>

#include "mpi_ranks.hpp"

namespace polyak::mpi {
namespace {

constexpr Index max_count = std::numeric_limits<int>::max();  // of one MPI message

template <class Number>
Number largest(MPI_Comm comm, Number value, MPI_Datatype type) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, MPI_MAX, comm);
  return value;
}

}  // namespace

std::optional<Exchange> exchange_named(const std::string& name) {
  if (name == "auto") return Exchange::automatic;
  if (name == "all") return Exchange::all;
  if (name == "ghosts") return Exchange::ghosts;
  return std::nullopt;
}

MpiGhosts::MpiGhosts(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
}

void MpiGhosts::ask_for(Exchange asked) {
  if (asked != asked_) pays_.reset();
  asked_ = asked;
}

// False where the sum of all columns is certainly better, without reading the rows: few columns
// are one short message, and rows without zeros use every column.
bool MpiGhosts::should_count(const RowMatrix& own) {
  const bool full = own.rows() > 0 && own.nonzeros() == own.rows() * own.cols();
  const bool any_full = largest(comm_, full ? 1 : 0, MPI_INT) == 1;
  if (own.cols() > max_count)
    description_ = "all: too many columns for ghosts";
  else if (asked_ == Exchange::ghosts)
    return true;
  else if (own.cols() <= max_numbers_by_root * ranks_)
    description_ = "all: " + std::to_string(own.cols()) + " columns are few";
  else if (any_full)
    description_ = "all: the rows are dense";
  else
    return true;
  return false;
}

bool MpiGhosts::sends_less(const RowMatrix& own) {
  if (pays_) return *pays_;
  pays_ = false;
  description_.clear();
  if (ranks_ == 1 || !should_count(own)) return false;
  const std::vector<Index> touched = touched_columns(own);
  find_owners(own.cols(), touched);
  find_ghosts(touched);
  find_shared();
  find_held(touched);
  pays_ = choose();
  return *pays_;
}

// The owner is the lowest rank whose rows use the column, or rank 0.
void MpiGhosts::find_owners(Index cols, const std::vector<Index>& touched) {
  owner_.assign(to_size(cols), ranks_);
  for (Index j : touched) owner_[to_size(j)] = rank_;
  MPI_Allreduce(MPI_IN_PLACE, owner_.data(), static_cast<int>(cols), MPI_INT, MPI_MIN, comm_);
  owned_.assign(to_size(ranks_), 0);
  for (int& owner : owner_) {
    if (owner == ranks_) owner = 0;
    ++owned_[to_size(owner)];
  }
}

void MpiGhosts::find_ghosts(const std::vector<Index>& touched) {
  std::vector<std::size_t> counts(to_size(ranks_), 0);
  for (Index j : touched) ++counts[to_size(owner_[to_size(j)])];
  counts[to_size(rank_)] = 0;
  ghosts_ = {};
  std::vector<std::size_t> next(counts.size(), 0);
  std::size_t all = 0;
  for (int r = 0; r < ranks_; ++r) {
    const std::size_t count = counts[to_size(r)];
    if (count > 0) ghosts_.parts.push_back({r, all, count});
    next[to_size(r)] = all;
    all += count;
  }
  ghosts_.columns.resize(all);
  for (Index j : touched) {
    const int owner = owner_[to_size(j)];
    if (owner != rank_) ghosts_.columns[next[to_size(owner)]++] = j;
  }
}

// Every rank sends the column numbers of its ghosts to their owners.
void MpiGhosts::find_shared() {
  std::vector<int> out(to_size(ranks_), 0), in(to_size(ranks_), 0);
  for (const Part& part : ghosts_.parts) out[to_size(part.rank)] = static_cast<int>(part.count);
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm_);
  shared_ = {};
  std::size_t all = 0;
  for (int r = 0; r < ranks_; ++r) {
    const auto count = static_cast<std::size_t>(in[to_size(r)]);
    if (count > 0) shared_.parts.push_back({r, all, count});
    all += count;
  }
  shared_.columns.resize(all);
  requests_.assign(ghosts_.parts.size() + shared_.parts.size(), MPI_REQUEST_NULL);
  MPI_Request* request = requests_.data();
  for (const Part& p : shared_.parts)
    MPI_Irecv(shared_.columns.data() + p.first, static_cast<int>(p.count), MPI_INT64_T, p.rank,
              tag_, comm_, request++);
  for (const Part& p : ghosts_.parts)
    MPI_Isend(ghosts_.columns.data() + p.first, static_cast<int>(p.count), MPI_INT64_T, p.rank,
              tag_, comm_, request++);
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

void MpiGhosts::find_held(const std::vector<Index>& touched) {
  held_ = {0, 0};
  const auto own = std::find(owner_.begin(), owner_.end(), rank_);
  const auto last = std::find(owner_.rbegin(), owner_.rend(), rank_);
  if (own != owner_.end()) held_ = {own - owner_.begin(), owner_.rend() - last};
  if (touched.empty()) return;
  const bool none = own == owner_.end();
  held_.first = none ? touched.front() : std::min(held_.first, touched.front());
  held_.last = none ? touched.back() + 1 : std::max(held_.last, touched.back() + 1);
}

// Compares the numbers that the busiest rank sends and receives for one gradient. Sums of all
// columns (MpiCommunicator::sum): d(P-1)/P numbers are sent and as many received, once for the
// parts and once for the sums. Each ghost is sent once and received once. Ghosts also cost
// latency and waiting for neighbours, so they are used only where the numbers are less than half.
bool MpiGhosts::choose() {
  const auto d = static_cast<Index>(owner_.size());
  const auto own = static_cast<long long>(2 * (ghosts_.columns.size() + shared_.columns.size()));
  const long long ghosts = largest(comm_, own, MPI_LONG_LONG), all = 4 * (d - d / ranks_);
  const bool pays =
      asked_ == Exchange::ghosts || (asked_ == Exchange::automatic && 2 * ghosts < all);
  description_ = (pays ? "ghosts: " : "all: ") + std::to_string(pays ? ghosts : all) +
                 " numbers a gradient and rank (" + (pays ? "all: " : "ghosts: ") +
                 std::to_string(pays ? all : ghosts) + ")";
  return pays;
}

// For each part all right-hand sides, one after the other.
void MpiGhosts::pack(Side& side, ConstView g) const {
  const auto rows = to_size(g.rows);
  if (side.values.size() < side.columns.size() * rows)
    side.values.resize(side.columns.size() * rows);
  double* next = side.values.data();
  for (const Part& part : side.parts)
    for (Index c = 0; c < g.rows; ++c)
      for (std::size_t i = 0; i < part.count; ++i) *next++ = g(c, side.columns[part.first + i]);
}

template <class Use>
void MpiGhosts::unpack(const Side& side, View g, Use use) const {
  const double* next = side.values.data();
  for (const Part& part : side.parts)
    for (Index c = 0; c < g.rows; ++c)
      for (std::size_t i = 0; i < part.count; ++i) use(g(c, side.columns[part.first + i]), *next++);
}

void MpiGhosts::send(Side& from, Side& to, std::size_t rows) {
  if (to.values.size() < to.columns.size() * rows) to.values.resize(to.columns.size() * rows);
  MPI_Request* request = requests_.data();
  for (const Part& p : to.parts)
    MPI_Irecv(to.values.data() + p.first * rows, static_cast<int>(p.count * rows), MPI_DOUBLE,
              p.rank, tag_, comm_, request++);
  for (const Part& p : from.parts)
    MPI_Isend(from.values.data() + p.first * rows, static_cast<int>(p.count * rows), MPI_DOUBLE,
              p.rank, tag_, comm_, request++);
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

// As many right-hand sides at a time as one MPI message can count.
void MpiGhosts::add(View g) {
  const Index together = std::max<Index>(1, max_count / std::max<Index>(1, g.cols));
  for (Index c = 0; c < g.rows; c += together)
    add_rows({g.row(c), std::min(together, g.rows - c), g.cols, g.stride});
}

// The part of the owner comes first: it is the lowest rank.
void MpiGhosts::add_rows(View g) {
  pack(ghosts_, g);
  send(ghosts_, shared_, to_size(g.rows));
  unpack(shared_, g, [](double& sum, double part) { sum += part; });
  pack(shared_, g);
  send(shared_, ghosts_, to_size(g.rows));
  unpack(ghosts_, g, [](double& sum, double whole) { sum = whole; });
}

void MpiGhosts::gather(View x) {
  all_.resize(owner_.size());
  std::vector<int> from(owned_.size(), 0);
  for (Index c = 0; c < x.rows; ++c) {
    own_.clear();
    for (std::size_t j = 0; j < owner_.size(); ++j)
      if (owner_[j] == rank_) own_.push_back(x.row(c)[j]);
    for (std::size_t r = 1; r < from.size(); ++r) from[r] = from[r - 1] + owned_[r - 1];
    MPI_Allgatherv(own_.data(), owned_[to_size(rank_)], MPI_DOUBLE, all_.data(), owned_.data(),
                   from.data(), MPI_DOUBLE, comm_);
    for (std::size_t j = 0; j < owner_.size(); ++j)
      x.row(c)[j] = all_[to_size(from[to_size(owner_[j])]++)];
    std::fill(from.begin(), from.end(), 0);
  }
}

}  // namespace polyak::mpi
