#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mpi_ranks.hpp"

namespace polyak::mpi {
namespace {

// Numbers summed at a time: the buffers stay in cache.
constexpr std::size_t piece_per_rank = 1024;
constexpr std::size_t smallest_piece = 1ull << 17;

constexpr std::uint64_t sign_bit = 1ull << 63;
constexpr std::uint64_t nan_key = std::numeric_limits<std::uint64_t>::max();

int message_size(std::size_t count) { return static_cast<int>(count); }

// An order-preserving map of doubles to integers; NaN of either sign is the largest.
std::uint64_t order_key(double value) {
  if (std::isnan(value)) return nan_key;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits & sign_bit ? ~bits : bits | sign_bit;
}

double from_order_key(std::uint64_t key) {
  if (key == nan_key) return std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<double>(key & sign_bit ? key & ~sign_bit : ~key);
}

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm comm) : comm_(comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  rank_ = rank;
  size_ = size;
}

void MpiCommunicator::sum_by_root(std::span<double> values) {
  const void* given = rank_ == 0 ? MPI_IN_PLACE : values.data();
  MPI_Reduce(given, values.data(), message_size(values.size()), MPI_DOUBLE, MPI_SUM, 0, comm_);
  MPI_Bcast(values.data(), message_size(values.size()), MPI_DOUBLE, 0, comm_);
}

// Reduce-scatter and allgather: each rank receives all ranks' values of its part of the
// numbers, adds them in the order of ranks, and sends the sums to all.
void MpiCommunicator::sum_by_parts(std::span<double> values) {
  const std::size_t ranks = to_size(size_), part = (values.size() + ranks - 1) / ranks;
  sent_.resize(part * ranks);
  parts_.resize(part * ranks);
  std::fill(std::copy(values.begin(), values.end(), sent_.begin()), sent_.end(), 0.0);
  const int count = message_size(part);
  MPI_Alltoall(sent_.data(), count, MPI_DOUBLE, parts_.data(), count, MPI_DOUBLE, comm_);
  for (std::size_t r = 1; r < ranks; ++r)
    for (std::size_t i = 0; i < part; ++i) parts_[i] += parts_[r * part + i];
  MPI_Allgather(parts_.data(), count, MPI_DOUBLE, sent_.data(), count, MPI_DOUBLE, comm_);
  std::copy_n(sent_.begin(), values.size(), values.begin());
}

void MpiCommunicator::sum(std::span<double> values) {
  if (size_ == 1) return;
  const std::size_t ranks = to_size(size_);
  const std::size_t piece = std::max(piece_per_rank * ranks, smallest_piece);
  for (; !values.empty(); values = values.subspan(std::min(piece, values.size()))) {
    const std::span<double> now = values.first(std::min(piece, values.size()));
    if (now.size() <= to_size(max_numbers_by_root) * ranks)
      sum_by_root(now);
    else
      sum_by_parts(now);
  }
}

void MpiCommunicator::max(std::span<double> values) {
  if (size_ == 1) return;
  std::vector<std::uint64_t> keys(values.size());
  std::transform(values.begin(), values.end(), keys.begin(), order_key);
  MPI_Allreduce(MPI_IN_PLACE, keys.data(), message_size(keys.size()), MPI_UINT64_T, MPI_MAX, comm_);
  std::transform(keys.begin(), keys.end(), values.begin(), from_order_key);
}

void MpiCommunicator::broadcast(std::span<double> values, Index root) {
  constexpr std::size_t piece = 1ull << 28;  // MPI counts with int
  for (; !values.empty(); values = values.subspan(std::min(piece, values.size())))
    MPI_Bcast(values.data(), message_size(std::min(piece, values.size())), MPI_DOUBLE,
              static_cast<int>(root), comm_);
}

// For lists of draws and short messages, far fewer words than an int can count.
void MpiCommunicator::exchange(std::span<const std::vector<std::uint64_t>> words,
                               std::vector<std::uint64_t>& received) {
  const std::size_t ranks = words.size();
  std::vector<int> out(ranks), in(ranks), out_from(ranks), in_from(ranks);
  std::vector<std::uint64_t> all;
  for (std::size_t r = 0; r < ranks; ++r) {
    out[r] = message_size(words[r].size());
    out_from[r] = message_size(all.size());
    all.insert(all.end(), words[r].begin(), words[r].end());
  }
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm_);
  int count = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    in_from[r] = count;
    count += in[r];
  }
  received.resize(static_cast<std::size_t>(count));
  MPI_Alltoallv(all.data(), out.data(), out_from.data(), MPI_UINT64_T, received.data(), in.data(),
                in_from.data(), MPI_UINT64_T, comm_);
}

}  // namespace polyak::mpi
