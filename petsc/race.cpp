// Compares KSP type polyak with PETSc's LSQR and CGLS in one program, on the same matrices; every
// solver pays for its own set-up. LSQR and CGLS stop at the first iteration whose error is small
// enough, which is found before with the known solution, and pay for no convergence test; polyak
// uses its own. With -overhead, on one rank, instead of that: the cost of the plugin beside the
// library itself.
//
//   mpirun -n 2 race [-rows N] [-cols D]
//     [-sparse_cols D] [-entries E] [-rounds R] [-error E] [-json FILE] [-overhead]
//     [-only_sparse]

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "polyak/solve.hpp"
#include "polyak_petsc.h"
#include "race_problems.hpp"

namespace {

using namespace polyak;
using namespace polyak::race;
using nlohmann::json;

double error_of(Vec x, Vec solution) {
  Vec difference = nullptr;
  PetscReal off = 0.0, size = 0.0;
  checked(VecDuplicate(x, &difference));
  checked(VecWAXPY(difference, -1.0, solution, x));
  checked(VecNorm(difference, NORM_2, &off));
  checked(VecNorm(solution, NORM_2, &size));
  checked(VecDestroy(&difference));
  return off / size;
}

// The known solution, and the error at which a run stops.
struct Target {
  Vec x;
  double error;
};

PetscErrorCode good_enough(KSP ksp, PetscInt iteration, PetscReal, KSPConvergedReason* reason,
                           void* context) {
  const auto* target = static_cast<const Target*>(context);
  Vec x = nullptr;
  PetscCall(KSPBuildSolution(ksp, nullptr, &x));
  *reason = iteration > 0 && error_of(x, target->x) <= target->error ? KSP_CONVERGED_ATOL
                                                                     : KSP_CONVERGED_ITERATING;
  return 0;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Solved {
  double seconds = 0.0, set_up = 0.0, error = 0.0;  // seconds include set_up
  PetscInt iterations = 0;
  std::string reason;
};

// From a new KSP to x; `prepare` sets its type and its convergence test.
template <class Prepare>
Solved solve_once(const RaceProblem& problem, Prepare prepare) {
  Solved out;
  Vec x = nullptr;
  KSP ksp = nullptr;
  const char* reason = nullptr;
  checked(VecDuplicate(problem.x, &x));
  checked(VecSet(x, 0.0));
  MPI_Barrier(PETSC_COMM_WORLD);
  const double start = MPI_Wtime();
  checked(KSPCreate(PETSC_COMM_WORLD, &ksp));
  checked(KSPSetOperators(ksp, problem.A, problem.A));
  PC pc = nullptr;
  checked(KSPGetPC(ksp, &pc));
  checked(PCSetType(pc, PCNONE));
  prepare(ksp);
  checked(KSPSetUp(ksp));
  out.set_up = MPI_Wtime() - start;
  checked(KSPSolve(ksp, problem.b, x));
  out.seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &out.seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  checked(KSPGetIterationNumber(ksp, &out.iterations));
  checked(KSPGetConvergedReasonString(ksp, &reason));
  out.reason = reason;
  out.error = error_of(x, problem.x);
  checked(KSPDestroy(&ksp));
  checked(VecDestroy(&x));
  return out;
}

constexpr PetscInt max_iterations = 5000;

void prepare_peer(KSP ksp, const char* type, PetscInt iterations, Target* target) {
  checked(KSPSetType(ksp, type));
  checked(KSPSetTolerances(ksp, 1e-300, 1e-300, PETSC_DEFAULT, iterations));
  checked(KSPSetConvergenceTest(ksp, target ? good_enough : KSPConvergedSkip, target, nullptr));
}

void prepare_polyak(KSP ksp, double rtol) {
  checked(KSPSetType(ksp, "polyak"));
  checked(KSPSetTolerances(ksp, rtol, PETSC_DEFAULT, PETSC_DEFAULT, max_iterations));
  checked(KSPSetFromOptions(ksp));
}

class Race {
 public:
  Race(int rounds, double error) : rounds_(rounds), error_(error) {}

  json run(const RaceProblem& problem) const {
    Target target{problem.x, error_};
    PetscInt counts[2];
    const char* peers[] = {KSPLSQR, KSPCGLS};
    for (int i = 0; i < 2; ++i)
      counts[i] = solve_once(problem, [&](KSP ksp) {
                    prepare_peer(ksp, peers[i], max_iterations, &target);
                  }).iterations;
    const double rtol = loosest(problem);
    std::vector<Solved> solved[3];
    for (int round = 0; round < rounds_; ++round) {
      for (int i = 0; i < 2; ++i)
        solved[i].push_back(
            solve_once(problem, [&](KSP ksp) { prepare_peer(ksp, peers[i], counts[i], nullptr); }));
      solved[2].push_back(solve_once(problem, [&](KSP ksp) { prepare_polyak(ksp, rtol); }));
    }
    json out{{"problem", problem.name}, {"rtol", rtol}};
    const char* names[] = {"KSPLSQR", "KSPCGLS", "polyak"};
    PetscPrintf(PETSC_COMM_WORLD, "\n%s\n", problem.name.c_str());
    for (int i = 0; i < 3; ++i) {
      out["solvers"].push_back(summary(names[i], solved[i]));
      const json& line = out["solvers"].back();
      PetscPrintf(PETSC_COMM_WORLD, "  %-10s %9.4f s   %5d iterations   error %.1e   %s\n",
                  names[i], line["seconds"].get<double>(), line["iterations"].get<int>(),
                  line["error"].get<double>(), line["reason"].get<std::string>().c_str());
    }
    return out;
  }

 private:
  // The largest tolerance with which polyak reaches the error.
  double loosest(const RaceProblem& problem) const {
    double rtol = 1e-8;
    for (; rtol > 1e-15; rtol /= 10)
      if (solve_once(problem, [&](KSP ksp) { prepare_polyak(ksp, rtol); }).error <= error_) break;
    return rtol;
  }

  static json summary(const char* name, const std::vector<Solved>& rounds) {
    std::vector<double> seconds;
    for (const Solved& round : rounds) seconds.push_back(round.seconds);
    const Solved& last = rounds.back();
    return {{"name", name},
            {"seconds", median(seconds)},
            {"least", *std::min_element(seconds.begin(), seconds.end())},
            {"iterations", last.iterations},
            {"error", last.error},
            {"reason", last.reason}};
  }

  int rounds_;
  double error_;
};

Mat as_dense(const RowMatrix& rows) {
  Mat A = nullptr;
  PetscScalar* values = nullptr;
  checked(MatCreateDense(PETSC_COMM_WORLD, rows.rows(), rows.cols(), PETSC_DETERMINE,
                         PETSC_DETERMINE, nullptr, &A));
  checked(MatDenseGetArrayWrite(A, &values));
  std::vector<double> row(static_cast<std::size_t>(rows.cols()));
  for (Index i = 0; i < rows.rows(); ++i) {
    rows.copy_rows(i, i + 1, {row.data(), 1, rows.cols(), rows.cols()});
    for (Index j = 0; j < rows.cols(); ++j)
      values[j * rows.rows() + i] = row[static_cast<std::size_t>(j)];
  }
  checked(MatDenseRestoreArrayWrite(A, &values));
  checked(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  checked(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

// Times the same iterations by the plugin and by the library.
class Overhead {
 public:
  Overhead(double lambda_min, double lambda_max) : min_(lambda_min), max_(lambda_max) {}

  static constexpr PetscInt iterations = 200, batch = 20000;

  double by_library(const RaceProblem& problem) const {
    SolveOptions options;
    options.method = "minibatch-hbm";
    options.batch_size = batch;
    options.lambda_min = min_;
    options.lambda_max = max_;
    options.tol = 0.0;
    options.max_iterations = iterations;
    options.threads = 1;
    ProblemData data;
    data.A = problem.own;
    data.b = Array(std::vector<double>(problem.own_b), problem.own->rows(), 1);
    const double start = MPI_Wtime();
    const Report report = solve(Problem(std::move(data)), options);
    return report.iterations == iterations ? MPI_Wtime() - start : 0.0;
  }

  Solved by_plugin(const RaceProblem& problem) const {
    return solve_once(problem, [&](KSP ksp) {
      set("method", "minibatch-hbm");
      set("batch", std::to_string(batch));
      set("lambda_min", std::to_string(min_));
      set("lambda_max", std::to_string(max_));
      checked(KSPSetNormType(ksp, KSP_NORM_NONE));
      prepare_polyak(ksp, 1e-8);
      checked(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, iterations));
    });
  }

 private:
  static void set(const std::string& name, const std::string& value) {
    checked(PetscOptionsSetValue(nullptr, ("-ksp_polyak_" + name).c_str(), value.c_str()));
  }
  double min_, max_;
};

// Rows in place, rows of a dense Mat, which the plugin copies, and rows behind a
// MatRowBatchGradient_C of the user.
json dense_overhead(const RaceProblem& problem, int rounds) {
  const Overhead overhead(1.0, 100.0);
  RaceProblem dense = problem, shell = problem;
  dense.A = as_dense(*problem.own);
  shell.A = users_shell(problem);
  std::vector<double> library, in_place, dense_steps, copying, by_function;
  for (int round = 0; round < rounds; ++round) {
    library.push_back(overhead.by_library(problem));
    in_place.push_back(overhead.by_plugin(problem).seconds);
    const Solved by_dense = overhead.by_plugin(dense);
    dense_steps.push_back(by_dense.seconds - by_dense.set_up);
    copying.push_back(by_dense.set_up);
    by_function.push_back(overhead.by_plugin(shell).seconds);
  }
  checked(MatDestroy(&dense.A));
  checked(MatDestroy(&shell.A));
  PetscPrintf(PETSC_COMM_WORLD,
              "\n%d iterations of %d dense rows: library %.4f s, plugin %.4f s (rows in "
              "place), %.4f s (dense) after copying for %.4f s, %.4f s (user's function)\n",
              static_cast<int>(Overhead::iterations), static_cast<int>(Overhead::batch),
              median(library), median(in_place), median(dense_steps), median(copying),
              median(by_function));
  return {{"iterations", Overhead::iterations}, {"batch", Overhead::batch},
          {"library", median(library)},         {"rows", median(in_place)},
          {"dense", median(dense_steps)},       {"copy", median(copying)},
          {"shell", median(by_function)}};
}

// Rows of an AIJ matrix, of which the plugin has a view; the time includes set-up.
json sparse_overhead(const RaceProblem& problem, int rounds) {
  const Overhead overhead(1000.0, 4000.0);
  std::vector<double> plain, aij;
  for (int round = 0; round < rounds; ++round) {
    plain.push_back(overhead.by_library(problem));
    aij.push_back(overhead.by_plugin(problem).seconds);
  }
  PetscPrintf(PETSC_COMM_WORLD,
              "%d iterations of %d sparse rows: library %.4f s, plugin (aij) %.4f s\n",
              static_cast<int>(Overhead::iterations), static_cast<int>(Overhead::batch),
              median(plain), median(aij));
  return {{"library", median(plain)}, {"aij", median(aij)}};
}

Index asked(const char* name, PetscInt otherwise) {
  checked(PetscOptionsGetInt(nullptr, nullptr, name, &otherwise, nullptr));
  return otherwise;
}

struct SparseSize {
  Index cols = asked("-sparse_cols", 10'000), entries = asked("-entries", 20);
};

json overheads(Index rows, Index cols, int rounds) {
  const SparseSize size;
  RaceProblem dense = paper_problem(rows, cols, 0.0);
  json out = dense_overhead(dense, rounds);
  destroy(dense);
  RaceProblem sparse = sparse_problem(rows, size.cols, size.entries, 1.0);
  out["sparse"] = sparse_overhead(sparse, rounds);
  destroy(sparse);
  return out;
}

json races(const Race& race, Index rows, Index cols) {
  const auto [sparse_cols, entries] = SparseSize();
  const std::string size = std::to_string(rows) + " x ";
  json out;
  PetscBool only_sparse = PETSC_FALSE;
  checked(PetscOptionsHasName(nullptr, nullptr, "-only_sparse", &only_sparse));
  for (const double noise : {0.0, 0.1}) {
    if (only_sparse) break;
    RaceProblem problem = paper_problem(rows, cols, noise);
    problem.name = "dense " + size + std::to_string(cols) + ", condition 100, " +
                   (noise > 0.0 ? "inconsistent (noise 10 %)" : "consistent");
    out.push_back(race.run(problem));
    destroy(problem);
  }
  for (const double condition : {100.0, 1.0}) {
    RaceProblem sparse = sparse_problem(rows, sparse_cols, entries, condition);
    sparse.name = "sparse " + size + std::to_string(sparse_cols) + ", " + std::to_string(entries) +
                  " entries a row, " +
                  (condition > 1.0 ? "condition 100, consistent" : "random, consistent");
    out.push_back(race.run(sparse));
    destroy(sparse);
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  checked(PetscInitialize(&argc, &argv, nullptr, nullptr));
  checked(KSPPolyakRegister());
  const Index rows = asked("-rows", 1'000'000), cols = asked("-cols", 100);
  const auto rounds = static_cast<int>(asked("-rounds", 3));
  PetscReal error = 1e-8;
  PetscBool only_overhead = PETSC_FALSE;
  char file[PETSC_MAX_PATH_LEN] = "";
  checked(PetscOptionsGetReal(nullptr, nullptr, "-error", &error, nullptr));
  checked(PetscOptionsHasName(nullptr, nullptr, "-overhead", &only_overhead));
  checked(PetscOptionsGetString(nullptr, nullptr, "-json", file, sizeof file, nullptr));
  PetscMPIInt rank = 0, ranks = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  json out{{"ranks", ranks}, {"rows", rows}, {"cols", cols}, {"rounds", rounds}};
  if (only_overhead) {
    out["overhead"] = overheads(rows, cols, rounds);
  } else {
    out["error"] = error;
    out["races"] = races(Race(rounds, error), rows, cols);
  }
  if (rank == 0 && file[0] != '\0') std::ofstream(file) << out.dump(1) << '\n';
  checked(PetscFinalize());
  return 0;
}
