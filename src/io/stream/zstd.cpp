#include <zstd.h>

#include <new>

#include "io/stream/byte_source.hpp"

namespace polyak::io {
namespace {

// Frames may follow each other. The window, and so the memory, is at most 128 MB: the library
// refuses more.
class Unzstd final : public ByteSource {
 public:
  explicit Unzstd(std::unique_ptr<ByteSource> source)
      : in_(std::move(source)), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~Unzstd() override { ::ZSTD_freeDStream(stream_); }
  Unzstd(const Unzstd&) = delete;
  Unzstd& operator=(const Unzstd&) = delete;

  const std::string& name() const override { return in_.name(); }
  Index position() const override { return in_.used(); }
  std::optional<Index> size() const override { return in_.source().size(); }

  std::size_t read(std::span<char> to) override {
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    while (out.pos == 0) {
      const std::string_view bytes = in_.waiting();
      if (bytes.empty() && !between_frames_ && !more_waits_) in_.refuse_cut();
      if (bytes.empty() && between_frames_) return 0;
      step(bytes, out);
      if (bytes.empty() && out.pos == 0 && !between_frames_) in_.refuse_cut();
    }
    in_.made(out.pos);
    return out.pos;
  }

 private:
  void step(std::string_view bytes, ZSTD_outBuffer& out) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    const std::size_t left = ::ZSTD_decompressStream(stream_, &out, &input);
    if (::ZSTD_isError(left) != 0U) in_.refuse_damaged();
    in_.use(input.pos);
    between_frames_ = left == 0;
    more_waits_ = out.pos == out.size;  // of what it has read it may not have given all
  }

  CompressedInput in_;
  ZSTD_DStream* stream_;
  bool between_frames_ = true, more_waits_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> unzstded(std::unique_ptr<ByteSource> source) {
  return std::make_unique<Unzstd>(std::move(source));
}

}  // namespace polyak::io
