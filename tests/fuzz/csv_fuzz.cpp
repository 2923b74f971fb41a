#include "fuzz_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return polyak::fuzz::read(polyak::internal::io::Format::csv, data, size);
}
