// What the distribution of rows over ranks costs, measured on the ranks that mpirun starts:
//   alone      rank 0 solves by itself, the others sleep
//   at_once    every rank solves a problem of its own, without communication: the bandwidth of
//              the memory limits all ranks to this speed
//   weak       all ranks solve together, with as many rows and draws per rank
//   strong     all ranks solve together the problem of `alone`, and with 2, 4, … times its batch
//   draws      rank 0 stores one row in a thousand: its time is that of drawing
//   sums       sums of d numbers over the ranks
//   columns    rows of a band of five entries, two rows per column: gradients by sums of all
//              columns, and of the columns that ranks share
//   words      an exchange of so many words between all ranks
// Seconds per iteration, medians of rounds in which the subjects take turns; for joint solves
// also the time in sums. One thread per rank.
//
//   mpirun -n 2 ranks_bench [-rows N] [-cols D] [-rounds R] [-band D] [-draws N]
//
// -draws: rows drawn in one measurement of iterations; other counts are proportional to it.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "mpi_ranks.hpp"
#include "polyak/ranks.hpp"
#include "polyak/solve.hpp"

namespace {

using namespace polyak;
using nlohmann::json;

int rank = 0, ranks = 1;
Index draws_per_measurement = 2'000'000;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Waits without using processor or memory.
void sleep_until_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

struct Timed {
  double seconds = 0.0;  // per iteration
  double sums = 0.0;     // the part of it in sums, with waiting
};

struct Rows {
  MatrixPtr own;
  Index first = 0, rows = 0;
};

Array ones(Index own, Index first, Index rows) {
  const double one = 1.0;
  return placed_rows({&one, own, 1, 0}, first, rows);
}

// Step and momentum are given: A is read for norms, batches and two measurements only.
SolveOptions plain_steps(Index batch, Index iterations) {
  SolveOptions options;
  options.method = "minibatch-hbm";
  options.batch_size = batch;
  options.step_size = 1e-12;
  options.momentum = 0.5;
  options.tol = 0.0;
  options.threads = 1;
  options.max_iterations = options.measure_every_iterations = iterations;
  return options;
}

// Records the seconds of each sum of `cols` numbers.
class TimedCommunicator final : public mpi::MpiCommunicator {
 public:
  TimedCommunicator(MPI_Comm comm, Index cols, std::vector<double>& seconds)
      : mpi::MpiCommunicator(comm), cols_(cols), seconds_(seconds) {}
  void sum(std::span<double> values) override {
    const double start = MPI_Wtime();
    mpi::MpiCommunicator::sum(values);
    if (std::ssize(values) == cols_) seconds_.push_back(MPI_Wtime() - start);
  }

 private:
  Index cols_;
  std::vector<double>& seconds_;
};

Timed iterate(const Rows& part, bool together, Index batch, Index iterations) {
  std::vector<double> in_sums;
  ProblemData data;
  data.A = rank_rows(part.own, part.first, part.rows,
                     std::make_shared<TimedCommunicator>(together ? MPI_COMM_WORLD : MPI_COMM_SELF,
                                                         part.own->cols(), in_sums));
  data.b = ones(part.own->rows(), part.first, part.rows);
  const Report report = solve(Problem(std::move(data)), plain_steps(batch, iterations));
  // The last sum belongs to the measurement at the end.
  const auto last = in_sums.end() - 1;
  double sums = 0.0;
  for (auto each = last - iterations; each != last; ++each) sums += *each;
  return {report.seconds.solve / static_cast<double>(iterations),
          sums / static_cast<double>(iterations)};
}

MatrixPtr random_rows(Index rows, Index cols) {
  std::mt19937_64 random(static_cast<std::uint64_t>(1 + rank));
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> values(static_cast<std::size_t>(rows * cols));
  for (double& value : values) value = uniform(random);
  return dense_matrix(std::move(values), rows, cols);
}

class Bench {
 public:
  Bench(Index rows, Index cols, int rounds)
      : rows_(rows), rounds_(rounds), own_(random_rows(rows, cols)) {
    if (rank == 0) all_ = random_rows(rows * ranks, cols);
    const RowRange first_rows{0, std::max<Index>(1, rows / 1000)};
    part_ = rank == 0 ? rows_between(own_, first_rows) : own_;
  }

  json scaling(Index batch) {
    const Index iterations = std::max<Index>(5, draws_per_measurement / batch);
    std::vector<Timed> alone, at_once, weak, whole, strong;
    for (int round = 0; round < rounds_; ++round) {
      alone.push_back(by_one({own_, 0, rows_}, batch, iterations));
      at_once.push_back(slowest(iterate({own_, 0, rows_}, false, batch, iterations)));
      const Rows share{own_, rank * rows_, ranks * rows_};
      weak.push_back(slowest(iterate(share, true, ranks * batch, iterations)));
      whole.push_back(by_one({all_, 0, ranks * rows_}, batch, iterations));
      strong.push_back(slowest(iterate(share, true, batch, iterations)));
    }
    return {{"batch", batch},           {"iterations", iterations},
            {"alone", timings(alone)},  {"at_once", timings(at_once)},
            {"weak", timings(weak)},    {"strong_alone", timings(whole)},
            {"strong", timings(strong)}};
  }

  // The time of rank 0, which has almost no rows, without sums.
  json draws(Index batch) {
    const Index own_rows = std::max<Index>(1, rows_ / 1000);
    const Rows share{part_, rank == 0 ? 0 : own_rows + (rank - 1) * rows_,
                     own_rows + (ranks - 1) * rows_};
    std::vector<double> seconds;
    for (int round = 0; round < rounds_; ++round) {
      const Timed took =
          iterate(share, true, batch, std::max<Index>(5, draws_per_measurement / batch));
      seconds.push_back(took.seconds - took.sums);
    }
    double of_zero = median(seconds);
    MPI_Bcast(&of_zero, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return {{"batch", batch}, {"seconds", of_zero}, {"own_rows", own_rows}};
  }

 private:
  static Timed by_one(const Rows& part, Index batch, Index iterations) {
    Timed took;
    if (rank == 0) took = iterate(part, false, batch, iterations);
    sleep_until_all();
    return took;
  }
  static Timed slowest(Timed own) {
    MPI_Allreduce(MPI_IN_PLACE, &own.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &own.sums, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return own;
  }
  static json timings(const std::vector<Timed>& rounds) {
    std::vector<double> seconds, sums;
    for (const Timed& round : rounds) {
      seconds.push_back(round.seconds);
      sums.push_back(round.sums);
    }
    return {{"median", median(seconds)},
            {"min", *std::min_element(seconds.begin(), seconds.end())},
            {"sums", median(sums)}};
  }

  Index rows_;
  int rounds_;
  MatrixPtr own_, all_, part_;
};

json sums_of(Index count, int rounds) {
  std::vector<double> values(static_cast<std::size_t>(count), 1.0), ours, mpis;
  const Index times = std::max<Index>(20, draws_per_measurement / 10 / (200 + count));
  mpi::MpiCommunicator communicator(MPI_COMM_WORLD);
  const auto time = [&](auto call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (Index i = 0; i < times; ++i) call();
    return (MPI_Wtime() - start) / static_cast<double>(times);
  };
  for (int round = 0; round < 3 * rounds; ++round) {
    std::fill(values.begin(), values.end(), 1.0);
    ours.push_back(time([&] { communicator.sum(values); }));
    std::fill(values.begin(), values.end(), 1.0);
    mpis.push_back(time([&] {
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM,
                    MPI_COMM_WORLD);
    }));
  }
  return {{"numbers", count}, {"reduce_and_send", median(ours)}, {"allreduce", median(mpis)}};
}

json words_of(Index count, int rounds) {
  const std::size_t each = static_cast<std::size_t>(count / ranks);
  const std::vector<std::vector<std::uint64_t>> words(static_cast<std::size_t>(ranks),
                                                      std::vector<std::uint64_t>(each, 7));
  std::vector<std::uint64_t> received;
  mpi::MpiCommunicator communicator(MPI_COMM_WORLD);
  std::vector<double> seconds;
  for (int round = 0; round < 3 * rounds; ++round) {
    constexpr int times = 50;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < times; ++i) communicator.exchange(words, received);
    seconds.push_back((MPI_Wtime() - start) / times);
  }
  return {{"words", count}, {"seconds", median(seconds)}};
}

MatrixPtr banded_rows(RowRange range, Index rows, Index cols) {
  std::vector<Triplet> entries;
  for (Index i = range.first; i < range.last; ++i)
    for (Index k = -2; k <= 2; ++k)
      if (const Index j = i * cols / rows + k; j >= 0 && j < cols)
        entries.push_back({i - range.first, j, 1.0 / static_cast<double>(1 + k * k)});
  return csr_from_triplets(std::move(entries), range.last - range.first, cols);
}

json columns_of(Index cols, Index batch, int rounds) {
  const Index rows = 2 * cols, max_iterations = std::max<Index>(20, draws_per_measurement / 2'000);
  const Index iterations =
      std::clamp<Index>(100 * draws_per_measurement / cols, 20, max_iterations);
  const RowRange range = even_share(rows, rank, ranks);
  const MatrixPtr own = banded_rows(range, rows, cols);
  std::vector<double> seconds[2];
  std::string told[2];
  for (int turn = 0; turn < 2 * rounds; ++turn) {
    const auto ghosts = std::make_shared<mpi::MpiGhosts>(MPI_COMM_WORLD, 1);
    ghosts->ask_for(turn % 2 == 0 ? mpi::Exchange::all : mpi::Exchange::ghosts);
    ProblemData data;
    data.A = rank_rows(own, range.first, rows,
                       std::make_shared<mpi::MpiCommunicator>(MPI_COMM_WORLD), ghosts);
    data.b = ones(range.last - range.first, range.first, rows);
    const Report report = solve(Problem(std::move(data)), plain_steps(batch, iterations));
    double took = report.seconds.solve / static_cast<double>(iterations);
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    seconds[turn % 2].push_back(took);
    told[turn % 2] = report.used.exchange.value_or("");
  }
  return {{"cols", cols},
          {"batch", batch},
          {"all", median(seconds[0])},
          {"ghosts", median(seconds[1])},
          {"told", told[1]}};
}

Index asked(int argc, char** argv, const char* name, Index otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return std::atoll(argv[i + 1]);
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Index rows = asked(argc, argv, "-rows", 500'000), cols = asked(argc, argv, "-cols", 100);
  const auto rounds = static_cast<int>(asked(argc, argv, "-rounds", 5));
  draws_per_measurement = asked(argc, argv, "-draws", draws_per_measurement);
  json out{{"ranks", ranks}, {"rows_a_rank", rows}, {"cols", cols}, {"rounds", rounds}};
  for (Index count : {1, 10, 100, 1'000, 10'000, 100'000})
    out["sums"].push_back(sums_of(count, rounds));
  for (Index count : {2'000, 20'000, 100'000}) out["words"].push_back(words_of(count, rounds));
  const Index band = asked(argc, argv, "-band", 1'000'000);
  for (Index batch : {1'000, 10'000})
    for (Index d : {band / 10, band})
      if (ranks > 1) out["columns"].push_back(columns_of(d, batch, rounds));
  Bench bench(rows, cols, rounds);
  for (Index batch : {1'000, 5'000, 20'000, 100'000})
    if (batch <= rows) out["scaling"].push_back(bench.scaling(batch));
  for (Index batch : {20'000, 200'000, 2'000'000})
    if (ranks > 1 && batch <= draws_per_measurement) out["draws"].push_back(bench.draws(batch));
  if (rank == 0) std::puts(out.dump(1).c_str());
  MPI_Finalize();
  return 0;
}
