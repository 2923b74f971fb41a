#include "cuda/engine.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "cuda/buffer.hpp"
#include "cuda/generic.hpp"
#include "cuda/hopper/launch.hpp"
#include "cuda/table.hpp"
#include "polyak/error.hpp"

namespace polyak::cuda {
namespace {

constexpr double no_step[1] = {0.0};

void require(bool holds, const char* what, const std::string& found, const std::string& expected) {
  if (!holds) throw Error(ErrorCode::usage, {.what = what, .found = found, .expected = expected});
}

void require_size(std::size_t found, std::size_t expected, const char* what) {
  require(found == expected, what, std::to_string(found) + " values",
          std::to_string(expected) + " values");
}

void check_run(const Iterations& run, bool has_table) {
  const auto count = static_cast<std::size_t>(run.last - run.first);
  require(has_table, "no sampling table is set", "none", "a call of set_sampling");
  require(run.batch >= 1, "the batch is too small", std::to_string(run.batch), "at least 1");
  require(run.first >= 0, "the first iteration is negative", std::to_string(run.first),
          "at least 0");
  for (const auto& schedule : {run.step_size, run.momentum}) {
    require(schedule.size() == 1 || schedule.size() == count,
            "a schedule has the wrong number of values", std::to_string(schedule.size()),
            "1 or " + std::to_string(count));
  }
}

// The elements between d and stride are zero: bulk copies move multiples of 16 bytes.
template <class Value>
Buffer<Value> upload(MatrixView<const Value> A, Index stride) {
  Buffer<Value> out(to_size(A.rows * stride), "the rows of A");
  if (stride != A.cols) out.zero();
  if (A.rows > 0 && A.cols > 0) {
    check(cudaMemcpy2D(out.data(), to_size(stride) * sizeof(Value), A.data,
                       to_size(A.stride) * sizeof(Value), to_size(A.cols) * sizeof(Value),
                       to_size(A.rows), cudaMemcpyHostToDevice),
          "copy of A to the device");
  }
  return out;
}

// Values that change from call to call, in memory that is asked for once.
void put(Buffer<double>& buffer, std::span<const double> values, const char* what) {
  if (buffer.size() < values.size()) buffer = Buffer<double>(values.size(), what);
  buffer.write(values);
}

}  // namespace

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  (void)cudaGetLastError();
  return 0;
}

DeviceFacts device_facts(int device) {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
  return {p.name,           p.major,
          p.minor,          p.multiProcessorCount,
          p.totalGlobalMem, static_cast<std::size_t>(p.l2CacheSize)};
}

// Everything but the type of the stored values.
struct Engine::Impl {
  Impl(int device_, Index n_, Index d_, std::span<const double> b_, std::span<const double> w_)
      : device(device_),
        hopper(device_facts(device_).major == 9),
        n(n_),
        d(d_),
        b(b_, "the right-hand side"),
        weights(w_, "the row weights"),
        x(to_size(d_), "x"),
        previous(to_size(d_), "x of the former iteration"),
        next_x(to_size(d_), "x"),
        next_previous(to_size(d_), "x of the former iteration"),
        gradient(to_size(d_ + 1), "the gradient"),
        scratch(generic::scratch_size(d_), "partial sums") {
    put(alpha, no_step, "step sizes");
    put(beta, no_step, "momentum");
    x.zero();
    previous.zero();
    if (hopper) words = Buffer<Word>(hopper::exchange_words, "words between clusters");
    if (hopper) words.zero();
  }
  virtual ~Impl() = default;

  bool takes_hopper(Path path) const {
    const bool fits = hopper && d <= hopper::max_columns;
    require(path != Path::hopper || fits, "the kernels for Hopper do not apply",
            hopper ? std::to_string(d) + " columns" : "another device",
            "compute capability 9 and at most " + std::to_string(hopper::max_columns) + " columns");
    return path != Path::generic && fits;
  }
  virtual std::string run(const Iterations& run, bool full_gradient) = 0;

  int device;
  bool hopper;
  Index n, d;
  Buffer<double> b, weights;
  DeviceTable table;
  Buffer<double> x, previous, next_x, next_previous;
  Buffer<double> alpha, beta;
  Buffer<double> gradient, scratch;
  Buffer<Word> words;
  std::uint64_t epoch = 0;
  hopper::Resident resident;
};

template <class Value>
struct Engine::Typed : Engine::Impl {
  static Index stride_of(Index d) {
    constexpr Index step = 16 / static_cast<Index>(sizeof(Value));
    return (d + step - 1) / step * step;
  }

  Typed(int device_, MatrixView<const Value> A, std::span<const double> b_,
        std::span<const double> w_)
      : Impl(device_, A.rows, A.cols, b_, w_), values(upload(A, stride_of(A.cols))) {}

  std::string run(const Iterations& run, bool full_gradient) override {
    Task<Value> task{};
    task.rows = {values.data(), n, d, stride_of(d), b.data(), weights.data()};
    if (!table.empty()) task.table = table.view();
    task.key = draw_key(run.seed, run.stream);
    task.method = run.method;
    task.batch = run.batch;
    task.factor = 1.0 / static_cast<double>(run.batch);
    task.first = run.first;
    task.last = run.last;
    task.alpha = {alpha.data(), run.step_size.size() == 1 ? 0 : 1};
    task.beta = {beta.data(), run.momentum.size() == 1 ? 0 : 1};
    task.x = x.data();
    task.previous = previous.data();
    task.next_x = next_x.data();
    task.next_previous = next_previous.data();
    task.gradient = full_gradient ? gradient.data() : nullptr;
    task.scratch = scratch.data();
    task.words = words.data();
    task.epoch = epoch;
    if (!takes_hopper(run.path))
      return "generic, " + std::to_string(generic::launch(task, nullptr)) + " blocks";
    epoch += static_cast<std::uint64_t>(run.last - run.first);
    const hopper::Launched done = hopper::launch(task, {run.clusters, resident, nullptr});
    return "hopper, " + done.shape + ", " + std::to_string(done.clusters) + " clusters of " +
           std::to_string(done.cluster) + " blocks";
  }

  Buffer<Value> values;
};

namespace {

void check_device(int device) {
  const int count = device_count();
  require(device >= 0 && device < count, "there is no such CUDA device", std::to_string(device),
          count == 0 ? "a driver and a device; this machine has none"
                     : "0 to " + std::to_string(count - 1));
}

template <class Value>
void check_shapes(MatrixView<const Value> A, std::span<const double> b,
                  std::span<const double> row_weights) {
  require(A.rows >= 1 && A.cols >= 1, "A is empty",
          std::to_string(A.rows) + " by " + std::to_string(A.cols), "at least 1 by 1");
  require_size(b.size(), to_size(A.rows), "the right-hand side has the wrong length");
  if (!row_weights.empty())
    require_size(row_weights.size(), to_size(A.rows), "the row weights have the wrong length");
}

}  // namespace

Engine::Engine(int device, ConstView A, std::span<const double> b,
               std::span<const double> row_weights) {
  check_device(device);
  check_shapes(A, b, row_weights);
  const UseDevice use(device);
  impl_ = std::make_unique<Typed<double>>(device, A, b, row_weights);
}

Engine::Engine(int device, MatrixView<const float> A, std::span<const double> b,
               std::span<const double> row_weights) {
  check_device(device);
  check_shapes(A, b, row_weights);
  const UseDevice use(device);
  impl_ = std::make_unique<Typed<float>>(device, A, b, row_weights);
}

Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

Index Engine::rows() const { return impl_->n; }
Index Engine::columns() const { return impl_->d; }

void Engine::set_sampling(std::span<const std::uint64_t> starts) {
  require_size(starts.size(), to_size(impl_->n + 1), "the sampling table has the wrong length");
  const UseDevice use(impl_->device);
  impl_->table = DeviceTable(starts);
}

void Engine::set_state(std::span<const double> x, std::span<const double> previous) {
  require_size(x.size(), to_size(impl_->d), "x has the wrong length");
  require_size(previous.size(), to_size(impl_->d), "the former x has the wrong length");
  const UseDevice use(impl_->device);
  impl_->x.write(x);
  impl_->previous.write(previous);
}

void Engine::get_state(std::span<double> x, std::span<double> previous) const {
  require_size(x.size(), to_size(impl_->d), "x has the wrong length");
  require_size(previous.size(), to_size(impl_->d), "the former x has the wrong length");
  const UseDevice use(impl_->device);
  impl_->x.read(x);
  impl_->previous.read(previous);
}

std::string Engine::advance(const Iterations& run) {
  if (run.last <= run.first) return "nothing to do";
  check_run(run, !impl_->table.empty());
  const UseDevice use(impl_->device);
  put(impl_->alpha, run.step_size, "step sizes");
  put(impl_->beta, run.momentum, "momentum");
  std::string kernel = impl_->run(run, false);
  check(cudaStreamSynchronize(nullptr), "a persistent kernel");
  std::swap(impl_->x, impl_->next_x);
  std::swap(impl_->previous, impl_->next_previous);
  return kernel;
}

double Engine::full_gradient(std::span<double> g, Path path) {
  require_size(g.size(), to_size(impl_->d), "the gradient has the wrong length");
  const UseDevice use(impl_->device);
  Iterations once{
      .method = Method::sgd, .last = 1, .step_size = no_step, .momentum = no_step, .path = path};
  impl_->run(once, true);
  std::vector<double> out(to_size(impl_->d + 1));
  impl_->gradient.read(out);
  std::copy_n(out.begin(), g.size(), g.begin());
  return out.back();
}

Draws Engine::draws(std::uint64_t seed, std::uint64_t stream, Index k, Index batch) const {
  require(!impl_->table.empty(), "no sampling table is set", "none", "a call of set_sampling");
  const UseDevice use(impl_->device);
  Buffer<std::uint64_t> rows(to_size(batch), "drawn rows");
  Buffer<double> weights(to_size(batch), "their weights");
  list_draws(impl_->table.view(), draw_key(seed, stream), k, impl_->weights.data(), rows, weights);
  std::vector<std::uint64_t> found(to_size(batch));
  Draws out{std::vector<Index>(to_size(batch)), std::vector<double>(to_size(batch))};
  rows.read(found);
  weights.read(out.weights);
  std::copy(found.begin(), found.end(), out.rows.begin());
  return out;
}

}  // namespace polyak::cuda
