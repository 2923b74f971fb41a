// test_gpu_solver: the solver on a CUDA device. 77 and one line where there is none.

#include <gtest/gtest.h>

#include <iostream>

#include "polyak/devices.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const polyak::DeviceList list = polyak::list_devices();
  if (!list.no_cuda.empty()) {
    std::cerr << "test_gpu_solver: " << list.no_cuda << "\n";
    return 77;
  }
  std::cout << list.devices[1].name << ", " << list.devices[1].description << "\n";
  return RUN_ALL_TESTS();
}
