#pragma once

// What the ranks of a communicator say to each other.

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

namespace polyak {

/// Numbers a rank: with fewer a message is all latency.
constexpr std::int64_t few_sums = 256;

/// Replaces what each rank gives by the sum over all: each number is added up on the
/// way to one rank, in an order that follows from the number of ranks alone, and
/// sent out from there, so that every rank has the same bits. Collective.
void complete_sums(MPI_Comm comm, std::span<double> sums);

/// polyak::ExchangeWords. Collective.
void exchange_words(MPI_Comm comm, std::span<const std::vector<std::uint64_t>> words,
                    std::vector<std::uint64_t>& received);

}  // namespace polyak
