// Rows that stay on the disk: the same numbers as in memory, in whatever way they are read.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "io/disk/disk_matrix.hpp"
#include "io/disk/row_cache.hpp"
#include "io/disk/row_streams.hpp"
#include "io_testing.hpp"
#include "matrix/column_map.hpp"
#include "matrix/disk_rows.hpp"
#include "matrix/products.hpp"
#include "polyak/methods.hpp"
#include "polyak/solve.hpp"
#include "spectrum/gram.hpp"

namespace polyak::test::disk {
namespace {

using io::DiskOptions;
using io::Reader;
using testing::error_of;
using testing::Folder;
using testing::npy_bytes;
using testing::raw_bytes;

ReadOptions stored(Storage storage, double memory_bytes = 1e9) {
  ReadOptions options;
  options.storage = storage;
  options.memory_bytes = memory_bytes;
  return options;
}

std::vector<Reader> readers() {
  const Folder folder;
  const io::DiskFile file(folder.write("x", "x"));
  std::string why;
  if (io::make_uring_queue(file, 8, why)) return {Reader::io_uring, Reader::threads};
  return {Reader::threads};
}

// Numbers of very different sizes, so that another order of additions would show.
template <class Value>
std::vector<Value> numbers(Index count, std::uint64_t seed) {
  const Random random(seed, 7);
  std::vector<Value> out;
  for (Index k = 0; k < count; ++k) {
    const std::uint64_t bits = random.bits(static_cast<std::uint64_t>(k), 0);
    const double value = static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63;
    out.push_back(static_cast<Value>(std::ldexp(value, static_cast<int>(bits % 40))));
  }
  return out;
}

// One matrix in memory and in a file.
template <class Value>
struct Both {
  Both(Index n, Index d, const DiskOptions& options)
      : rows(n), cols(d), values(numbers<Value>(n * d, 11)) {
    const bool single = sizeof(Value) == 4;
    std::string shape = "(" + std::to_string(n) + ", " + std::to_string(d) + ")", bytes;
    Index header = 0;
    do {  // padded, so that values lie at multiples of their size
      bytes = npy_bytes(single ? "<f4" : "<f8", false, shape, raw_bytes(values));
      header = std::ssize(bytes) - n * d * static_cast<Index>(sizeof(Value));
      shape += ' ';
    } while (header % 8 != 0);
    path = folder.write("A.npy", bytes);
    memory = dense_matrix(values, n, d);
    disk = io::disk_matrix({path, header, n, d, single}, options);
  }
  Folder folder;
  Index rows, cols;
  std::vector<Value> values;
  std::string path;
  MatrixPtr memory, disk;
};

std::vector<Index> drawn_rows(Index n, Index count, std::uint64_t seed) {
  const Random random(seed, 5);
  std::vector<Index> out;
  for (Index t = 0; t < count; ++t)
    out.push_back(static_cast<Index>(random.bits(static_cast<std::uint64_t>(t), 1) % to_size(n)));
  std::sort(out.begin(), out.end());
  return out;
}

// Every operation that reads rows, as one list of numbers.
std::vector<double> everything(const RowMatrix& A, ThreadTeam& team, std::uint64_t seed) {
  const Index n = A.rows(), d = A.cols(), c = 2;
  std::vector<double> out;
  const auto add = [&](const auto& more) { out.insert(out.end(), more.begin(), more.end()); };
  const std::vector<double> x = numbers<double>(c * d, 3), b = numbers<double>(c * n, 4);
  const ConstView X{x.data(), c, d, d}, B{b.data(), n, c, c};
  std::vector<double> weights(to_size(n));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.5 + static_cast<double>(i % 7);
  weights[0] = 0.0;
  Products products(A, weights, {}, team);
  std::vector<double> g(to_size(c * d)), residual2(to_size(c)), y(to_size(n * c));
  const View G{g.data(), c, d, d}, Y{y.data(), n, c, c};
  for (const Index count : {Index{1}, n / 2 + 1, 3 * n}) {
    const std::vector<Index> rows = drawn_rows(n, count, seed);
    const std::vector<double> factors = numbers<double>(count, 6);
    products.gradient(rows, factors, X, B, G);
    add(g);
    std::vector<double> z = x;
    A.kaczmarz(rows, std::vector<double>(to_size(count), 1e-30), 1.0, B, {z.data(), c, d, d});
    add(z);
  }
  products.full_gradient(X, B, G, residual2);
  add(g), add(residual2);
  products.multiply(X, Y);
  add(y);
  products.transposed(ConstView{y.data(), n, c, c}, G);
  add(g);
  std::vector<double> norms(to_size(n)), columns(to_size(d), 0.0);
  A.norms(0, n, 1.0, norms, columns);
  A.column_norms(0, n, weights, 2.0, columns);
  add(norms), add(columns);
  out.push_back(A.max_abs(0, n));
  std::vector<double> copy(to_size(n * d));
  A.copy_rows(0, n, {copy.data(), n, d, d});
  add(copy);
  A.copy_rows(n / 2, n / 2 + 1, {copy.data(), 1, d, d});
  add(copy);
  add(gram(
      A, [&](Index i) { return weights[to_size(i)]; }, team, B));
  return out;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  std::size_t same = 0;
  while (same < a.size() &&
         std::bit_cast<std::uint64_t>(a[same]) == std::bit_cast<std::uint64_t>(b[same]))
    ++same;
  EXPECT_EQ(same, a.size()) << a[same] << " and " << b[same];
}

template <class Value>
void compare(Index n, Index d, const DiskOptions& options) {
  SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(d));
  Both<Value> both(n, d, options);
  ThreadTeam one(1), three(3);
  const auto expected = everything(*both.memory, one, 1);
  expect_same_bits(expected, everything(*both.disk, one, 1));
  expect_same_bits(expected, everything(*both.disk, three, 1));
  ColumnMap map = ColumnMap::plain(d, true);
  map.centre = numbers<double>(d, 9);
  for (std::size_t j = 0; j < map.units.size(); ++j) map.units[j] = j % 2 == 0 ? 0.25 : 2.0;
  expect_same_bits(everything(*mapped_columns(both.memory, map), one, 2),
                   everything(*mapped_columns(both.disk, map), three, 2));
  const auto use = disk_use(*both.disk);
  ASSERT_TRUE(use);
  EXPECT_GT(use->reads, 0);
  EXPECT_FALSE(disk_use(*both.memory));
}

constexpr double tiny_buffers = 3e4, small_buffers = 3e6;

TEST(DiskRows, GiveTheBitsOfMemoryWhateverTheShape) {
  for (const Reader reader : readers())
    for (const auto& [n, d] :
         std::vector<std::pair<Index, Index>>{{1, 1}, {7, 3}, {5000, 1}, {3000, 37}, {300, 1100}}) {
      compare<double>(n, d, {.reader = reader, .buffer_bytes = small_buffers, .threads = 3});
      compare<float>(n, d, {.reader = reader, .buffer_bytes = small_buffers, .threads = 3});
    }
}

TEST(DiskRows, GiveTheBitsOfMemoryInBuffersOfAFewRows) {
  for (const Reader reader : readers()) {
    compare<double>(250, 30, {.reader = reader, .buffer_bytes = tiny_buffers, .threads = 3});
    compare<float>(40, 3000, {.reader = reader, .buffer_bytes = tiny_buffers, .threads = 1});
  }
}

TEST(DiskRows, OfAPartAreThoseOfTheWhole) {
  Both<double> both(500, 12, {.buffer_bytes = small_buffers});
  const MatrixPtr memory = rows_between(both.memory, {123, 456}, Keep::view);
  const MatrixPtr disk = rows_between(both.disk, {123, 456}, Keep::view);
  ThreadTeam team(2);
  expect_same_bits(everything(*memory, team, 4), everything(*disk, team, 4));
  const std::vector<Index> listed{0, 5, 5, 332};
  expect_same_bits(testing::values_of(*listed_rows(*memory, listed)),
                   testing::values_of(*listed_rows(*disk, listed)));
}

TEST(DiskRows, MayBeExpectedAndNeverUsed) {
  for (const Reader reader : readers()) {
    Both<double> both(20000, 20, {.reader = reader, .buffer_bytes = small_buffers});
    const std::vector<Index> rows = drawn_rows(20000, 15000, 8);
    both.disk->expect_rows(rows);
    both.disk->expect_range(0, 20000);
    both.disk->expect_range(7, 9000);
    both.disk.reset();
  }
}

TEST(DiskRows, AreReadOnceWhereTheyAreUsedInOrder) {
  Both<double> both(40000, 25, {.buffer_bytes = 2e7, .threads = 2});
  ThreadTeam team(2);
  const double size = both.disk->bytes();
  const std::vector<double> x(25, 1.0), b(40000, 0.0);
  std::vector<double> g(25), residual2(1);
  Products products(*both.disk, {}, {}, team);
  products.full_gradient({x.data(), 1, 25, 25}, {b.data(), 40000, 1, 1}, {g.data(), 1, 25, 25},
                         residual2);
  EXPECT_LE(disk_use(*both.disk)->bytes, 1.1 * size);
  (void)gram(*both.disk, {}, team);
  EXPECT_LE(disk_use(*both.disk)->bytes, 2.2 * size);
}

TEST(DiskRows, AreReadOnceByMoreThreadsThanExpected) {
  Both<double> both(60000, 50, {.buffer_bytes = 4e6, .threads = 1});
  ThreadTeam team(7);
  const std::vector<double> x(50, 1.0), b(60000, 0.0);
  std::vector<double> g(50), residual2(1);
  Products products(*both.disk, {}, {}, team);
  for (int round = 1; round <= 3; ++round)
    products.full_gradient({x.data(), 1, 50, 50}, {b.data(), 60000, 1, 1}, {g.data(), 1, 50, 50},
                           residual2);
  EXPECT_LE(disk_use(*both.disk)->bytes, 3.0 * 1.25 * both.disk->bytes());
}

TEST(DiskRows, ThatWereReadLatelyAreKept) {
  Both<double> both(20000, 100, {.buffer_bytes = 8e6});
  const std::vector<Index> rows = drawn_rows(20000, 500, 3);
  const std::vector<double> x(100, 1.0), b(20000, 0.0), w(500, 1.0);
  std::vector<double> g(100);
  double before = 0.0;
  for (int round = 0; round < 3; ++round) {
    both.disk->gradient(rows, w, {}, {x.data(), 1, 100, 100}, {b.data(), 20000, 1, 1},
                        {g.data(), 1, 100, 100});
    if (round > 0) {
      EXPECT_EQ(disk_use(*both.disk)->bytes, before);
    }
    before = disk_use(*both.disk)->bytes;
  }
  EXPECT_LE(before, 500.0 * 2.0 * 4096.0 + 4096.0);
}

// Faults of the disk.

TEST(DiskRows, OfAFileThatBecomesShorterAreNamed) {
  for (const Reader reader : readers()) {
    Both<double> both(20000, 50, {.reader = reader, .buffer_bytes = small_buffers, .threads = 1});
    ASSERT_EQ(0, ::truncate(both.path.c_str(), 4'000'000));
    std::vector<double> copy(20000 * 50);
    const auto all = [&] { both.disk->copy_rows(0, 20000, {copy.data(), 20000, 50, 50}); };
    const Error range = error_of(all);
    EXPECT_EQ(range.code(), ErrorCode::io);
    EXPECT_NE(std::string(range.what()).find("has become shorter"), std::string::npos)
        << range.what();
    EXPECT_NE(std::string(range.what()).find("row 10000 (byte 4000000)"), std::string::npos)
        << range.what();
    const Error single = error_of([&] {
      both.disk->copy_rows(19000, 19001, {copy.data(), 1, 50, 50});
    });
    EXPECT_NE(std::string(single.what()).find("row 19001"), std::string::npos) << single.what();
    both.disk->copy_rows(3, 4, {copy.data(), 1, 50, 50});  // the others are still there
  }
}

TEST(DiskRows, OfAFileThatIsWrittenToAreRefusedAtTheEndOfASweep) {
  Both<double> both(20000, 50, {.buffer_bytes = small_buffers, .threads = 1});
  std::vector<double> copy(20000 * 50);
  const auto all = [&] { both.disk->copy_rows(0, 20000, {copy.data(), 20000, 50, 50}); };
  all();
  const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, 5}};
  ASSERT_EQ(0, ::utimensat(AT_FDCWD, both.path.c_str(), times, 0));
  const Error error = error_of(all);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_NE(std::string(error.what()).find("was written to while it was read"), std::string::npos);
}

TEST(DiskRows, OfAFileThatGrowsAreRefusedAtTheEndOfASweep) {
  Both<double> both(20000, 50, {.buffer_bytes = small_buffers, .threads = 1});
  ASSERT_EQ(0, ::truncate(both.path.c_str(), 100'000'000));
  std::vector<double> copy(20000 * 50);
  const Error error = error_of([&] {
    both.disk->copy_rows(0, 20000, {copy.data(), 20000, 50, 50});
  });
  EXPECT_NE(std::string(error.what()).find("changed its length"), std::string::npos);
}

// A queue that answers with what it is told to.
TEST(DiskRows, AReadThatFailsNamesTheRowAndIsTheOnlyOne) {
  const Folder folder;
  const io::DiskFile file(folder.write("rows", std::string(80000, 'r')));
  const io::RowLayout layout{0, 800, 100};
  struct Failing final : io::ReadQueue {
    void start(std::span<io::Read* const> reads) override {
      for (io::Read* read : reads) {
        if (read->offset <= 8000 && 8000 < read->offset + read->bytes) {
          read->error = EIO;
          read->error_offset = 8000;
        } else {
          std::memset(read->to, 'r', to_size(read->bytes));
        }
        threads.emplace_back([read] { read->ended(); });
      }
    }
    ~Failing() override {
      for (auto& thread : threads) thread.join();
    }
    std::string name() const override { return "failing"; }
    Index depth() const override { return 1; }
    std::vector<std::thread> threads;
  } queue;
  char row[800];
  io::RowCache cache(file, layout, queue, 1e6);
  const Index good[] = {60}, bad[] = {10};
  cache.copy(good, row);
  EXPECT_EQ(row[799], 'r');
  const Error error = error_of([&] { cache.copy(bad, row); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_NE(std::string(error.what()).find("row 11 (byte 8000)"), std::string::npos)
      << error.what();
  EXPECT_NE(std::string(error.what()).find("Input/output error"), std::string::npos);
  cache.copy(good, row);
}

// Blocks are read one after the other: one that is not finite shows in the largest of all.
TEST(DiskRows, OfWhichOneIsNotFiniteShowIt) {
  const Index n = 4000, d = 30;
  for (const Index bad : {Index{0}, n / 2, n - 1}) {
    Both<double> both(n, d, {.buffer_bytes = tiny_buffers, .threads = 1});
    std::vector<double> values = both.values;
    values[to_size(bad * d + 7)] = std::numeric_limits<double>::quiet_NaN();
    write_matrix(both.path, *dense_matrix(values, n, d));
    const MatrixPtr disk = read_table(both.path, stored(Storage::disk, 2e5)).A;
    EXPECT_TRUE(std::isnan(disk->max_abs(0, n)));
    ColumnMap map = ColumnMap::plain(d, true);
    map.centre.assign(to_size(d), 1.0);
    EXPECT_TRUE(std::isnan(mapped_columns(disk, map)->max_abs(0, n)));
    ProblemData data;
    data.A = disk;
    data.b = Array(std::vector<double>(to_size(n), 1.0), n);
    SolveOptions options;
    options.method = "hbm";
    const Error error = error_of([&] { (void)solve(Problem(data), options); });
    EXPECT_EQ(error.parts().where,
              "A, row " + std::to_string(bad + 1) + ", column 8 (counted from 1)");
  }
}

// Whole runs.

TEST(DiskRows, GiveEveryMethodTheBitsOfMemory) {
  const Index n = 3000, d = 20;
  Both<double> both(n, d, {.buffer_bytes = 2e5, .threads = 2});
  std::vector<double> values = both.values, b(to_size(n));
  for (double& v : values) v = std::ldexp(v, -20);
  write_matrix(both.path, *dense_matrix(values, n, d));
  for (Index i = 0; i < n; ++i)
    b[to_size(i)] = std::accumulate(&values[to_size(i * d)], &values[to_size(i * d)] + d, 0.0) +
                    0.001 * static_cast<double>(i % 13);
  const ReadOptions on_disk = stored(Storage::disk, 2e6);
  for (const MethodInfo& method : method_table()) {
    SCOPED_TRACE(method.name);
    SolveOptions options;
    options.method = method.name;
    options.tol = 0.0;
    options.max_iterations = 25;
    ProblemData data;
    data.b = Array(b, n);
    data.A = dense_matrix(values, n, d);
    const Problem memory(data);
    data.A = read_table(both.path, on_disk).A;
    const Problem disk(data);
    ASSERT_TRUE(disk_use(disk.A()));
    options.threads = 1;
    const Report expected = solve(memory, options);
    options.threads = 3;
    const Report found = solve(disk, options);
    ASSERT_EQ(expected.x.rows(), found.x.rows());
    EXPECT_EQ(0, std::memcmp(expected.x.view().data, found.x.view().data, 8 * to_size(d)));
    EXPECT_EQ(expected.iterations, found.iterations);
    EXPECT_TRUE(found.disk && found.disk->bytes > 0.0);
    EXPECT_FALSE(expected.disk);
  }
}

// Zero rows and rows of weight 0 are never drawn: on the disk they are told apart by bits.
TEST(DiskRows, OfWhichSomeAreZeroGiveUniformSamplingTheBitsOfMemory) {
  const Index n = 9001, d = 6;
  Both<float> both(n, d, {.buffer_bytes = 2e5, .threads = 2});
  std::vector<float> values = both.values;
  std::vector<double> b(to_size(n)), weights(to_size(n), 1.0);
  for (Index i = 0; i < n; ++i) {
    const bool zero = i % 5 == 2 || (i > 4000 && i < 8300);
    for (Index j = 0; j < d; ++j) {
      float& v = values[to_size(i * d + j)];
      v = zero ? 0.0f : std::ldexp(v, -20);
      b[to_size(i)] += static_cast<double>(v) + 1e-4 * static_cast<double>(i % 13);
    }
    weights[to_size(i)] = static_cast<double>(i % 4);
  }
  write_matrix(both.path, *dense_matrix(values, n, d));
  for (const bool weighted : {false, true})
    for (const char* method : {"sgd", "minibatch-sgd", "minibatch-hbm", "minibatch-nag"}) {
      SCOPED_TRACE(method);
      SolveOptions options;
      options.method = method;
      options.sampling = "uniform";
      options.tol = 0.0;
      options.max_iterations = 200;
      if (options.method != "sgd") options.batch_size = 300;
      ProblemData data;
      data.b = Array(b, n);
      if (weighted) data.shared_weights = Array(weights, n);
      data.A = dense_matrix(values, n, d);
      options.threads = 1;
      const Report expected = solve(Problem(data), options);
      data.A = read_table(both.path, stored(Storage::disk, 2e6)).A;
      options.threads = 3;
      const Report found = solve(Problem(data), options);
      EXPECT_EQ(0, std::memcmp(expected.x.view().data, found.x.view().data, 8 * to_size(d)));
      EXPECT_EQ(expected.used.eta, found.used.eta);
      EXPECT_GT(found.zero_rows, 4000);
    }
}

TEST(DiskRows, AreChosenForFilesLargerThanHalfOfTheMemory) {
  const Folder folder;
  const std::string path = folder / "A.npy";
  write_matrix(path, *dense_matrix(std::vector<double>(1000), 100, 10));
  const auto on_disk = [&](const ReadOptions& options) {
    return disk_use(*read_table(path, options).A).has_value();
  };
  EXPECT_FALSE(on_disk({}));
  EXPECT_TRUE(on_disk(stored(Storage::disk)));
  EXPECT_TRUE(on_disk(stored(Storage::automatic, 10000.0)));
  EXPECT_FALSE(on_disk(stored(Storage::automatic, 20000.0)));
  EXPECT_FALSE(on_disk(stored(Storage::memory, 10000.0)));
}

TEST(DiskRows, ThatCannotBeLeftInTheFileAreRefused) {
  const Folder folder;
  const std::string columns =
      folder.write("F.npy", npy_bytes("<f8", true, "(10, 10)", std::string(800, '\0')));
  const std::string text = folder.write("A.csv", "1,2\n3,4\n");
  EXPECT_EQ(error_of([&] { read_table(columns, stored(Storage::disk)); }).code(), ErrorCode::usage);
  EXPECT_EQ(error_of([&] { read_table(text, stored(Storage::disk)); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace polyak::test::disk
