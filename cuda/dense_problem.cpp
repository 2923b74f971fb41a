#include <algorithm>
#include <type_traits>

#include "cuda/generic.hpp"
#include "cuda/hopper/launch.hpp"
#include "cuda/problem.hpp"
#include "cuda/table.hpp"

namespace polyak::cuda {
using namespace polyak::internal;

namespace {

/// Dense rows in double or float, and the kernels that run many iterations in one launch.
template <class Value>
class DenseProblem final : public CommonProblem {
 public:
  DenseProblem(int device, const device::Layout& layout, bool hopper, int processors)
      : CommonProblem(device, layout),
        hopper_(hopper && layout.d <= hopper::max_columns),
        processors_(processors),
        staging_(device),
        values_(static_cast<std::size_t>(layout.n * stride()), "the rows of A") {
    if (stride() != layout.d) values_.zero();  // bulk copies read the elements behind a row
  }

  const Failure* staging(int number, Index bytes, void** host) override {
    return call([&] { *host = staging_[number].room(static_cast<std::size_t>(bytes)); });
  }

  const Failure* write_rows(Index first, Index count, const void* values,
                            Index stride_of_values) override {
    return call([&] {
      const auto bytes = [](Index numbers) {
        return static_cast<std::size_t>(numbers) * sizeof(Value);
      };
      check(cudaMemcpy2DAsync(values_.data() + first * stride(), bytes(stride()), values,
                              bytes(stride_of_values), bytes(layout_.d),
                              static_cast<std::size_t>(count), cudaMemcpyHostToDevice),
            "copy of A to the device");
      for (Staging& staging : staging_)
        if (staging.holds(values)) staging.started();
    });
  }

  const Failure* write_sampling(const std::uint64_t* starts) override {
    return call([&] { table_ = DeviceTable({starts, static_cast<std::size_t>(layout_.n) + 1}); });
  }

  bool sums_rows() const override { return true; }

  const Failure* norms(double scale, const double* units, Index chunks, double* rows,
                       double* columns) override {
    return call([&] {
      const Index n = layout_.n, d = layout_.d;
      const double* of_columns = units ? put(units_, units, d) : nullptr;
      double* sums = room(of_rows_, n, "norms of rows");
      row_norms(storage(), of_columns, scale, sums);
      double* parts = room(parts_, (chunks + 1) * d, "norms of columns");
      column_norms(storage(), of_columns, layout_.weighted ? weights_.data() : nullptr, scale,
                   chunks, parts + d, parts);
      of_rows_.read({rows, static_cast<std::size_t>(n)});
      parts_.read({columns, static_cast<std::size_t>(d)});
    });
  }

  const Failure* gram(double scale, const double* weights, bool with_b, double* H,
                      Index* additions) override {
    return call([&] {
      const Index sides = with_b ? layout_.right_hand_sides : 0, width = layout_.d + sides;
      const double* of_rows = weights            ? put(of_rows_, weights, layout_.n)
                              : layout_.weighted ? weights_.data()
                                                 : nullptr;
      const GramCut cut = GramCut::of(layout_.n, width, processors_);
      double* parts = room(gram_parts_, cut.scratch() + width * width, "parts of A'A");
      double* out = parts + cut.scratch();
      cuda::gram(storage(), b_.data(), sides, of_rows, scale, cut, parts, out);
      check(cudaMemcpy(H, out, static_cast<std::size_t>(width * width) * sizeof(double),
                       cudaMemcpyDeviceToHost),
            "copy of A'A from the device");
      *additions = cut.additions();
    });
  }

  const Failure* scale_columns(const double* units, bool* exact) override {
    return call([&] {
      const double* of_columns = put(units_, units, layout_.d);
      int* lost = reinterpret_cast<int*>(scalar_.data());
      check(cudaMemset(lost, 0, sizeof *lost), "clear device memory");
      find_lost_entries(storage(), of_columns, lost);
      int found = 0;
      check(cudaMemcpy(&found, lost, sizeof found, cudaMemcpyDeviceToHost), "copy from the device");
      *exact = found == 0;
      if (*exact) cuda::scale_columns(values_.data(), storage(), of_columns);
    });
  }

  // The one-launch kernels know neither scales nor bounds, and one right-hand side.
  bool iterates() const override {
    return unscaled() && !layout_.bounded && layout_.right_hand_sides == 1;
  }

  const Failure* iterate(const device::Iterations& run, double* x, double* previous) override {
    return call([&] {
      const Index count = run.last - run.first;
      const auto schedule = [&](Buffer<double>& to, const double* from) {
        return Schedule{put(to, from, count), 1};
      };
      Task<Value> task = common_task(x, previous);
      task.table = table_.view();
      task.key = draw_key(run.seed, run.stream);
      task.method = static_cast<Method>(run.method);
      task.batch = run.batch;
      task.factor = 1.0 / static_cast<double>(run.batch);
      task.first = run.first;
      task.last = run.last;
      task.alpha = schedule(alpha_, run.step_size);
      task.beta = schedule(beta_, run.momentum);
      launch(task);
      copy_back(task.next_x, x, layout_.d);
      copy_back(task.next_previous, previous, layout_.d);
      check(cudaDeviceSynchronize(), "iterations");
    });
  }

 protected:
  // All rows in one pass where they are short enough, else by chunks.
  void sum_gradient(const Terms& terms, double* g, double* residual2) override {
    if (!terms.rows && prefers_engine()) return engine_gradient(terms, g, residual2);
    if (!terms.rows && short_rows())
      return pass_gradient(storage(), terms, pass_room(), g, residual2);
    double* parts = room(parts_, dense_scratch(terms.count, layout_.d), partial_sums);
    cuda::gradient(storage(), terms, parts, g, residual2);
  }
  void compute_product(const double* x, double* y) override {
    const double* weights = layout_.weighted ? weights_.data() : nullptr;
    if (short_rows()) return pass_multiply(storage(), x, weights, layout_.scale_a, y);
    cuda::multiply(storage(), x, weights, layout_.scale_a, y);
  }
  void sum_rows(const double* y, double* g) override {
    if (short_rows()) return pass_sum(storage(), y, pass_room(), g);
    cuda::add_rows(storage(), y, room(parts_, dense_scratch(layout_.n, layout_.d), partial_sums),
                   g);
  }
  void take_steps(const RowSteps& run) override { cuda::row_steps(storage(), run); }

 private:
  // A full gradient by the kernel of the minibatch methods: faster for the shortest rows
  // (measured: 64 against 59 % of the read rate at 32 columns, 85 against 52 % at 100 in float).
  bool prefers_engine() const {
    return hopper_ && unscaled() && layout_.d <= (sizeof(Value) == 4 ? 128 : 64);
  }
  void engine_gradient(const Terms& terms, double* g, double* residual2) {
    Task<Value> task = common_task(terms.x, terms.x);
    task.rows.b = terms.b ? terms.b : zeros();
    task.method = Method::sgd;
    task.batch = 1;
    task.last = 1;
    const double none = 0.0;
    if (no_step_.size() == 0) no_step_ = Buffer<double>({&none, 1}, "steps of the iterations");
    task.alpha = task.beta = {no_step_.data(), 0};
    task.gradient = room(gradient_, layout_.d + 1, "the gradient");
    launch(task);
    copy_back(task.gradient, g, layout_.d);
    if (residual2) copy_back(task.gradient + layout_.d, residual2, 1);
  }

  static constexpr const char* partial_sums = "partial sums of the gradient";

  bool short_rows() const { return layout_.d <= max_pass_columns; }
  double* pass_room() { return room(parts_, pass_scratch(layout_.d), partial_sums); }
  Index stride() const {
    constexpr Index step = 16 / static_cast<Index>(sizeof(Value));
    return (layout_.d + step - 1) / step * step;
  }
  bool unscaled() const { return layout_.scale_a == 1.0 && layout_.scale_b == 1.0; }
  DenseStorage<Value> storage() const { return {values_.data(), layout_.n, layout_.d, stride()}; }

  Task<Value> common_task(const double* x, const double* previous) {
    Task<Value> task{};
    task.rows = {values_.data(), layout_.n, layout_.d,
                 stride(),       b_.data(), layout_.weighted ? weights_.data() : nullptr};
    task.x = x;
    task.previous = previous;
    task.next_x = room(next_x_, layout_.d, "x");
    task.next_previous = room(next_previous_, layout_.d, "x of the former iteration");
    return task;
  }

  void launch(Task<Value>& task) {
    if (!hopper_) {
      task.scratch =
          room(scratch_, static_cast<Index>(generic::scratch_size(layout_.d)), "partial sums");
      (void)generic::launch(task, nullptr);
      return;
    }
    if (words_.size() == 0) {
      words_ = Buffer<Word>(hopper::exchange_words, "words between clusters");
      words_.zero();
    }
    task.words = words_.data();
    task.epoch = epoch_;
    epoch_ += static_cast<std::uint64_t>(task.last - task.first);
    (void)hopper::launch(task, {0, resident_, nullptr});
  }

  const double* zeros() {
    if (zeros_.size() == 0) {
      zeros_ = Buffer<double>(static_cast<std::size_t>(layout_.n), "a right-hand side of zeros");
      zeros_.zero();
    }
    return zeros_.data();
  }

  // `count` numbers of the host in device memory.
  static double* put(Buffer<double>& to, const double* from, Index count) {
    double* data = room(to, count, "numbers of the host");
    to.write({from, static_cast<std::size_t>(count)});
    return data;
  }

  static void copy_back(const double* from, double* to, Index count) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(double),
                          cudaMemcpyDeviceToDevice),
          "copy on the device");
  }

  bool hopper_;
  int processors_;
  StagingPair staging_;
  Buffer<Value> values_;
  DeviceTable table_;
  Buffer<double> next_x_, next_previous_, alpha_, beta_, no_step_, gradient_, scratch_, zeros_,
      units_, of_rows_, gram_parts_;
  Buffer<Word> words_;
  std::uint64_t epoch_ = 0;
  hopper::Resident resident_;
};

}  // namespace

std::unique_ptr<CommonProblem> make_dense(int device, const device::Layout& layout) {
  int major = 0, processors = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
        "compute capability");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
        "number of multiprocessors");
  const bool hopper = major == 9;
  if (layout.single)
    return std::make_unique<DenseProblem<float>>(device, layout, hopper, processors);
  return std::make_unique<DenseProblem<double>>(device, layout, hopper, processors);
}

}  // namespace polyak::cuda
