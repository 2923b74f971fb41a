#pragma once

// polyak::Communicator over MPI.

#include <mpi.h>

#include "polyak/communicator.hpp"

namespace polyak {

/// Numbers per rank up to which a sum goes through rank 0; there the latency of the
/// messages dominates.
constexpr Index most_sums_by_root = 256;

class MpiCommunicator : public Communicator {
 public:
  /// Uses `comm`, which must stay valid as long as this.
  explicit MpiCommunicator(MPI_Comm comm);

  Index rank() const override { return rank_; }
  Index size() const override { return size_; }

  /// Each number is added up on one rank, in an order that follows from the number of ranks
  /// alone, and sent out from there, so that every rank has the same bits. (MPI_Allreduce may
  /// leave different bits on different ranks: the standard only recommends equal ones.)
  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;
  void broadcast(std::span<double> values, Index root) override;
  void exchange(std::span<const std::vector<std::uint64_t>> words,
                std::vector<std::uint64_t>& received) override;

 private:
  void sum_by_root(std::span<double> values);
  void sum_by_parts(std::span<double> values);

  MPI_Comm comm_;
  Index rank_ = 0, size_ = 1;
  std::vector<double> sent_, parts_;  // room of sum_by_parts, kept
};

}  // namespace polyak
