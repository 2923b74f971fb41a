// test_gpu: 77 and one line where there is no device.

#include <gtest/gtest.h>

#include <iostream>

#include "cuda/engine.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (polyak::cuda::device_count() == 0) {
    std::cerr << "test_gpu: no CUDA device\n";
    return 77;
  }
  const auto facts = polyak::cuda::device_facts(0);
  std::cout << facts.name << ", compute capability " << facts.major << "." << facts.minor << "\n";
  return RUN_ALL_TESTS();
}
