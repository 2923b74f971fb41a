#pragma once

// Sums over the ranks of a communicator.

#include <mpi.h>

#include <span>

namespace polyak {

/// Replaces what each rank gives by the sum over all: added up on the way to
/// rank 0 in an order that follows from the number of ranks alone, and sent
/// out from there, so that every rank has the same bits. Collective.
void complete_sums(MPI_Comm comm, std::span<double> sums);

}  // namespace polyak
