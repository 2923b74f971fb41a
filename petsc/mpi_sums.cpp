#include "mpi_sums.hpp"

#include <algorithm>
#include <vector>

namespace polyak {
namespace {

constexpr std::size_t most = 1024;  // numbers a rank at a time, or 2^17 in all: they stay in cache

// To rank 0 and out from there.
void by_one(MPI_Comm comm, int rank, std::span<double> sums) {
  const int count = static_cast<int>(sums.size());
  const void* given = rank == 0 ? MPI_IN_PLACE : sums.data();
  MPI_Reduce(given, sums.data(), count, MPI_DOUBLE, MPI_SUM, 0, comm);
  MPI_Bcast(sums.data(), count, MPI_DOUBLE, 0, comm);
}

// Each rank is given everybody's part of its share of the numbers, adds them up in
// the order of ranks, and gives the sums to all.
void by_shares(MPI_Comm comm, std::size_t ranks, std::span<double> sums) {
  static thread_local std::vector<double> given, parts;  // room, kept from sum to sum
  const std::size_t share = (sums.size() + ranks - 1) / ranks;
  given.resize(share * ranks);
  parts.resize(share * ranks);
  std::fill(std::copy(sums.begin(), sums.end(), given.begin()), given.end(), 0.0);
  const int count = static_cast<int>(share);
  MPI_Alltoall(given.data(), count, MPI_DOUBLE, parts.data(), count, MPI_DOUBLE, comm);
  for (std::size_t r = 1; r < ranks; ++r)
    for (std::size_t i = 0; i < share; ++i) parts[i] += parts[r * share + i];
  MPI_Allgather(parts.data(), count, MPI_DOUBLE, given.data(), count, MPI_DOUBLE, comm);
  std::copy_n(given.begin(), sums.size(), sums.begin());
}

}  // namespace

// MPI_Allreduce may leave different bits on different ranks (the standard asks
// for equal ones only as a courtesy). Here each number is added up once, in one
// place, and what comes out is sent to all: that cannot.
void complete_sums(MPI_Comm comm, std::span<double> sums) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return;
  const auto all = static_cast<std::size_t>(ranks);
  const std::size_t piece = std::max(most * all, std::size_t{1} << 17);
  for (; !sums.empty(); sums = sums.subspan(std::min(piece, sums.size()))) {
    const std::span<double> now = sums.first(std::min(piece, sums.size()));
    if (now.size() <= few_sums * all)
      by_one(comm, rank, now);
    else
      by_shares(comm, all, now);
  }
}

// Of draws: far fewer than an int counts.
void exchange_words(MPI_Comm comm, std::span<const std::vector<std::uint64_t>> words,
                    std::vector<std::uint64_t>& received) {
  const std::size_t ranks = words.size();
  std::vector<int> out(ranks), in(ranks), out_from(ranks), in_from(ranks);
  std::vector<std::uint64_t> all;
  for (std::size_t r = 0; r < ranks; ++r) {
    out[r] = static_cast<int>(words[r].size());
    out_from[r] = static_cast<int>(all.size());
    all.insert(all.end(), words[r].begin(), words[r].end());
  }
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm);
  int count = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    in_from[r] = count;
    count += in[r];
  }
  received.resize(static_cast<std::size_t>(count));
  MPI_Alltoallv(all.data(), out.data(), out_from.data(), MPI_UINT64_T, received.data(), in.data(),
                in_from.data(), MPI_UINT64_T, comm);
}

}  // namespace polyak
