// A checkpoint as it lies on the disk, and one whose checksum is right whatever it holds: the
// bytes are then the manifest, a zero byte, and the numbers.

#include <cstring>

#include "checkpoint/container.hpp"
#include "fuzz_file.hpp"
#include "polyak/checkpoint.hpp"

namespace {

using namespace polyak;
using namespace polyak::internal;

void load(const std::uint8_t* data, std::size_t size) {
  const fuzz::FileOf file(".ckpt", data, size);
  fuzz::tolerate([&] {
    const auto loaded = CheckpointFile(file.path(), {}).load();
    if (!loaded) return;
    const RunState& run = loaded->snapshot.run;
    fuzz::check(run.distances.size() == run.history.size());
  });
}

checkpoint::Contents contents_of(const std::uint8_t* data, std::size_t size) {
  const auto* end = data + size;
  const auto* zero = std::find(data, end, 0);
  checkpoint::Contents out{std::string(data, zero), {}};
  if (zero == end) return out;
  out.numbers.resize(static_cast<std::size_t>(end - zero - 1) / sizeof(double));
  if (!out.numbers.empty())
    std::memcpy(out.numbers.data(), zero + 1, out.numbers.size() * sizeof(double));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  load(data, size);
  const std::string packed = checkpoint::pack(contents_of(data, size));
  const void* start = packed.data();
  load(static_cast<const std::uint8_t*>(start), packed.size());
  return 0;
}
