#include "mpirun.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>

namespace polyak::cli {
namespace {

int number(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

// What Open MPI, MPICH and its kin, and Slurm tell those they start. Slurm's own
// count says nothing of MPI: only with PMIx beside it are its tasks ranks.
int started_together() {
  if (const int count = number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})) return count;
  return std::getenv("PMIX_RANK") ? number({"SLURM_STEP_NUM_TASKS"}) : 0;
}

}  // namespace

bool speaks_under_mpirun() { return number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) == 0; }

void hand_over_to_ranks(const Words& words, char** argv) {
  if (words.empty() || words[0] != "solve" || started_together() < 2) return;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "polyak-mpi";
  ::execv(program.c_str(), argv);
  throw Error(ErrorCode::usage,
              {.what = "several processes were started, and polyak-mpi, which lets them solve "
                       "together, is not beside polyak",
               .where = "mpirun",
               .found = std::to_string(started_together()) + " processes",
               .expected = program,
               .hint = "build it with -DPOLYAK_PETSC=ON, or run polyak without mpirun"});
}

}  // namespace polyak::cli
