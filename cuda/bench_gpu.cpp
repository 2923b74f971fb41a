// bench_gpu FILE.json [brief | BATCH [CLUSTERS]]: microseconds an iteration by batch, share
// of the read ceiling measured in the same run; full gradients; floats; the generic path.
//
// Bytes counted: B·d·(8 or 4), the rows alone; tables and b are overhead.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/random.hpp"
#include "cuda/engine.hpp"
#include "cuda/read_ceiling.hpp"
#include "sampling/row_table.hpp"

namespace polyak::cuda {
using namespace polyak::internal;

namespace {

using nlohmann::json;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Body>
void in_parallel(Index count, Body body) {
  const auto threads = static_cast<Index>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> team;
  for (Index t = 0; t < threads; ++t)
    team.emplace_back([=] { body(t * count / threads, (t + 1) * count / threads); });
  for (std::thread& thread : team) thread.join();
}

// Rows with entries uniform in (-1, 1) and b = A·1; sampled by row norms.
template <class Value>
struct Data {
  Data(Index n_, Index d_) : n(n_), d(d_), values(to_size(n_ * d_)), b(to_size(n_)), law(b.size()) {
    const Random random(5, stream::entries);
    in_parallel(n, [&](Index first, Index last) {
      std::vector<std::uint64_t> bits(to_size(d));
      for (Index i = first; i < last; ++i) {
        random.bits(static_cast<std::uint64_t>(i), 0, to_size(d), bits.data());
        for (Index j = 0; j < d; ++j) {
          const double v = static_cast<double>(bits[to_size(j)] >> 11) * 0x1p-52 - 1.0;
          values[to_size(i * d + j)] = static_cast<Value>(v);
          b[to_size(i)] += v;
          law[to_size(i)] += v * v;
        }
      }
    });
  }
  Engine engine() const {
    Engine out(0, MatrixView<const Value>{values.data(), n, d, d}, b);
    auto starts = integer_starts(law).of_row;
    starts.resize(to_size(n + 1));
    out.set_sampling(starts);
    return out;
  }
  Index n, d;
  std::vector<Value> values;
  std::vector<double> b, law;
};

double median_seconds(const std::function<void()>& call, int repeats = 5) {
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {
    const double begin = seconds_now();
    call();
    if (i > 0) times.push_back(seconds_now() - begin);
  }
  const auto middle = times.begin() + repeats / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

class Table {
 public:
  Table(double ceiling, double seconds) : ceiling_(ceiling), seconds_(seconds) {}

  template <class Value>
  void iterations(Engine& engine, Index batch, Path path, int clusters = 0) {
    // Small steps: the iterates stay finite, whatever the batch.
    const double alpha[] = {1e-4 / static_cast<double>(engine.columns())}, beta[] = {0.5};
    const double guess = 1e-6 + static_cast<double>(batch * engine.columns()) * 2e-12;
    const auto count = std::max<Index>(20, static_cast<Index>(seconds_ / guess));
    std::string kernel;
    const double s = median_seconds([&] {
      kernel = engine.advance({.seed = 77,
                               .batch = batch,
                               .last = count,
                               .step_size = alpha,
                               .momentum = beta,
                               .path = path,
                               .clusters = clusters});
    });
    add<Value>(engine, batch, s / static_cast<double>(count), kernel);
  }
  template <class Value>
  void full_gradient(Engine& engine) {
    std::vector<double> g(to_size(engine.columns()));
    const double s = median_seconds([&] { engine.full_gradient(g); }, 21);
    add<Value>(engine, engine.rows(), s, "full gradient");
  }
  const json& rows() const { return rows_; }

 private:
  template <class Value>
  void add(const Engine& engine, Index batch, double seconds, const std::string& kernel) {
    const double rate = static_cast<double>(batch * engine.columns()) *
                        static_cast<double>(sizeof(Value)) / seconds;
    rows_.push_back({{"n", engine.rows()},
                     {"d", engine.columns()},
                     {"bytes_per_value", sizeof(Value)},
                     {"batch", batch},
                     {"us", 1e6 * seconds},
                     {"gb_per_s", 1e-9 * rate},
                     {"share_of_ceiling", rate / ceiling_},
                     {"kernel", kernel}});
    std::cerr << engine.rows() << " x " << engine.columns() << " x" << sizeof(Value) << "  B "
              << batch << "  " << 1e6 * seconds << " us  " << 100.0 * rate / ceiling_ << " %  "
              << kernel << "\n";
  }

  double ceiling_, seconds_;
  json rows_ = json::array();
};

void measure(Table& table, bool brief) {
  {
    const Data<double> data(1000000, 100);
    Engine engine = data.engine();
    for (const Index B : {1, 4, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 7000, 10000, 20000,
                          40000, 100000, 200000, 400000})
      table.iterations<double>(engine, B, Path::automatic);
    table.full_gradient<double>(engine);
    for (const Index B : {1, 128, 10000, 100000})
      table.iterations<double>(engine, B, Path::generic);
    if (brief) return;
    const Data<float> floats(1000000, 100);
    Engine single = floats.engine();
    for (const Index B : {10000, 100000, 400000})
      table.iterations<float>(single, B, Path::automatic);
    table.full_gradient<float>(single);
  }
  {
    const Data<double> data(8000000, 100);
    Engine engine = data.engine();
    for (const Index B : {100000, 400000, 1600000})
      table.iterations<double>(engine, B, Path::automatic);
    table.full_gradient<double>(engine);
  }
  const Data<double> data(1000000, 1000);
  Engine engine = data.engine();
  for (const Index B : {16, 128, 1024, 4096, 10000, 100000, 400000})
    table.iterations<double>(engine, B, Path::automatic);
  table.full_gradient<double>(engine);
}

// One batch, for a profiler or for the choice of the number of clusters.
void measure_one(Table& table, Index batch, int clusters) {
  const Data<double> data(1000000, 100);
  Engine engine = data.engine();
  table.iterations<double>(engine, batch, Path::automatic, clusters);
}

int run(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: bench_gpu FILE.json [brief | BATCH [CLUSTERS]]\n";
    return 2;
  }
  if (device_count() == 0) {
    std::cerr << "bench_gpu: no CUDA device\n";
    return 77;
  }
  const DeviceFacts facts = device_facts(0);
  const double ceiling = read_ceiling(0, std::size_t{6400000000});
  std::cerr << facts.name << ", read ceiling " << 1e-9 * ceiling << " GB/s\n";
  Table table(ceiling, 0.03);
  const std::string mode = argc > 2 ? argv[2] : "";
  if (mode.empty() || mode == "brief")
    measure(table, mode == "brief");
  else
    measure_one(table, std::stoll(mode), argc > 3 ? std::stoi(argv[3]) : 0);
  const json out = {
      {"device", facts.name},
      {"multiprocessors", facts.multiprocessors},
      {"compute_capability", std::to_string(facts.major) + "." + std::to_string(facts.minor)},
      {"read_ceiling_gb_per_s", 1e-9 * ceiling},
      {"read_ceiling_after_gb_per_s", 1e-9 * read_ceiling(0, std::size_t{6400000000})},
      {"rows", table.rows()}};
  std::ofstream(argv[1]) << out.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace polyak::cuda

int main(int argc, char** argv) {
  try {
    return polyak::cuda::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "bench_gpu: " << error.what() << "\n";
    return 70;
  }
}
