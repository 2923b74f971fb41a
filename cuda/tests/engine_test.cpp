// Draws on the device, and what the engine refuses.

#include <gtest/gtest.h>

#include <functional>

#include "cuda/buffer.hpp"
#include "polyak/error.hpp"
#include "problems.hpp"

namespace polyak::cuda::test {
using namespace polyak::internal;

namespace {

TEST(GpuEngine, DrawsTheRowsOfTheSamplerToTheInteger) {
  for (const Index n : {1, 2, 3, 100, 20000}) {
    const Problem<double> p(n, 3, true);
    const Engine engine = p.engine();
    const Sampler sampler(p.law);
    const Random random(21, 4);
    for (const Index k : {Index{0}, Index{5}, (Index{1} << 32) + 9}) {
      constexpr Index batch = 3001;
      const Draws drawn = engine.draws(21, 4, k, batch);
      for (Index t = 0; t < batch; ++t) {
        const Index row = sampler.find(random.bits(Problem<double>::at(k), Problem<double>::at(t)));
        ASSERT_EQ(drawn.rows[to_size(t)], row);
        ASSERT_EQ(drawn.weights[to_size(t)],
                  p.weight(row) * (1.0 / batch) / sampler.probability(row));
      }
    }
  }
}

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(GpuEngine, RefusesWhatCannotBe) {
  const Problem<double> p(50, 4);
  const ConstView A{p.values.data(), 50, 4, 4};
  const std::vector<double> shorter(49), x(4), one{1.0};
  EXPECT_EQ(code_of([&] { Engine(0, A, shorter); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { Engine(0, A, p.b, shorter); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { Engine(99, A, p.b); }), ErrorCode::usage);
  Engine engine(0, A, p.b);
  const Iterations run{.batch = 2, .last = 3, .step_size = one, .momentum = one};
  EXPECT_EQ(code_of([&] { engine.advance(run); }), ErrorCode::usage) << "no table";
  engine = p.engine();
  EXPECT_EQ(code_of([&] { engine.set_state(shorter, x); }), ErrorCode::usage);
  Iterations wrong = run;
  wrong.batch = 0;
  EXPECT_EQ(code_of([&] { engine.advance(wrong); }), ErrorCode::usage);
  wrong = run;
  wrong.momentum = x;  // four values for three iterations
  EXPECT_EQ(code_of([&] { engine.advance(wrong); }), ErrorCode::usage);
  const std::vector<std::uint64_t> no_starts(51, 0);
  EXPECT_EQ(code_of([&] { engine.set_sampling(no_starts); }), ErrorCode::internal);
  EXPECT_NO_THROW(engine.advance(run)) << "an error leaves the engine as it was";
}

TEST(GpuEngine, SaysWhatMemoryWasFreeAndWhatWasNeeded) {
  try {
    const Buffer<double> buffer(std::size_t{1} << 45, "the rows of A");
    FAIL() << "256 TB were given";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_EQ(error.parts().where, "the rows of A");
    EXPECT_EQ(error.parts().expected, "281474976710656 bytes");
  }
}

TEST(GpuEngine, AdvancingByNothingChangesNothing) {
  const Problem<double> p(50, 4);
  Engine engine = p.engine();
  const std::vector<double> one{1.0};
  engine.advance({.batch = 2, .first = 3, .last = 3, .step_size = one, .momentum = one});
  std::vector<double> x(4), previous(4);
  engine.get_state(x, previous);
  EXPECT_EQ(x, p.x);
  EXPECT_EQ(previous, p.previous);
}

}  // namespace
}  // namespace polyak::cuda::test
