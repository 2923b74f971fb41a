#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <thread>

#include "ranks.hpp"

// polyak does not link MPI. Started by mpirun, `polyak solve` replaces itself by
// polyak-mpi.

namespace polyak::cli {
namespace {

// The first of these environment variables that is set, as a number; 0 if none is.
int number(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

// The number of MPI processes according to Open MPI, MPICH (PMI) or Slurm. Slurm
// sets its task count for programs without MPI too, so it counts only with PMIx.
int mpi_process_count() {
  if (const int count = number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})) return count;
  return std::getenv("PMIX_RANK") ? number({"SLURM_STEP_NUM_TASKS"}) : 0;
}

}  // namespace

bool reports_errors_under_mpirun() {
  return number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) == 0;
}

void start_polyak_mpi(const Words& words, char** argv) {
  if (words.empty() || words[0] != "solve" || mpi_process_count() < 2) return;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "polyak-mpi";
  ::execv(program.c_str(), argv);
  // mpirun stops all processes when the first one fails: the one that writes the error goes first.
  if (!reports_errors_under_mpirun()) std::this_thread::sleep_for(std::chrono::seconds(1));
  throw Error(ErrorCode::usage,
              {.what = "mpirun started several processes, but the program polyak-mpi, which they "
                       "need, is not in the folder of polyak",
               .where = "mpirun",
               .found = std::to_string(mpi_process_count()) + " processes",
               .expected = program,
               .hint = "build it with -DPOLYAK_PETSC=ON, or run polyak without mpirun"});
}

}  // namespace polyak::cli
