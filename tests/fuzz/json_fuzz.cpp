// The JSON that reproduce finds in its folder: results of earlier runs, and the claims.

#include <filesystem>
#include <fstream>

#include "experiments/figure.hpp"
#include "experiments/results.hpp"
#include "fuzz_file.hpp"

namespace {

using namespace polyak;

template <class Value>
void load(const experiments::internal::Store& store, std::string_view value) {
  const std::string key = "k";
  std::ofstream(store.path(key), std::ios::binary) << R"({"key":"k","value":)" << value << "}";
  (void)store.load<Value>(key);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string folder = "/dev/shm/polyak-fuzz-" + std::to_string(::getpid());
  static const experiments::internal::Store store(folder, false);
  const void* start = data;
  const std::string_view bytes(static_cast<const char*>(start), size);
  fuzz::tolerate([&] {
    load<experiments::internal::RunResult>(store, bytes);
    load<experiments::internal::ProblemFacts>(store, bytes);
    load<experiments::internal::Prediction>(store, bytes);
    (void)experiments::internal::claims_json({}, {"fig1"}, std::string(bytes));
  });
  return 0;
}
