#include "mpi_sums.hpp"

#include <algorithm>

namespace polyak {

// MPI_Allreduce may leave different bits on different ranks (the standard asks
// for equal ones only as a courtesy); reducing to one rank and sending its
// result out cannot. MPI counts are ints, hence the pieces.
void complete_sums(MPI_Comm comm, std::span<double> sums) {
  constexpr std::size_t most = std::size_t{1} << 27;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return;
  for (; !sums.empty(); sums = sums.subspan(std::min(most, sums.size()))) {
    const int count = static_cast<int>(std::min(most, sums.size()));
    const void* given = rank == 0 ? MPI_IN_PLACE : sums.data();
    MPI_Reduce(given, sums.data(), count, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Bcast(sums.data(), count, MPI_DOUBLE, 0, comm);
  }
}

}  // namespace polyak
