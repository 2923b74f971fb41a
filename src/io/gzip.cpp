#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/large_arrays.hpp"
#include "io/file.hpp"
#include "io/stream/byte_source.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

constexpr int gzip_window = 15 + 16;            // largest window, gzip framing
constexpr std::size_t max_per_call = 1u << 30;  // zlib counts bytes in 32 bits

// Three quarters of the physical memory: a larger text leaves no room for its matrix.
std::size_t memory_limit() {
  return static_cast<std::size_t>(0.75 * std::max(0.0, physical_memory_bytes()));
}

// Gzip files may be concatenated; any other data after one is an error.
class Gunzip final : public ByteSource {
 public:
  explicit Gunzip(std::unique_ptr<ByteSource> source) : in_(std::move(source)) {
    if (::inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
  }
  ~Gunzip() override { ::inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  const std::string& name() const override { return in_.name(); }
  Index position() const override { return in_.used(); }
  std::optional<Index> size() const override { return in_.source().size(); }

  std::size_t read(std::span<char> to) override {
    std::size_t produced = 0;
    while (produced == 0 && !done_) produced = step(to.first(std::min(to.size(), max_per_call)));
    in_.made(produced);
    return produced;
  }

 private:
  std::size_t step(std::span<char> to) {
    const std::string_view bytes = in_.waiting();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(to.size());
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    in_.use(bytes.size() - stream_.avail_in);
    const std::size_t produced = to.size() - stream_.avail_out;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END)
      next_member();
    else if (status == Z_BUF_ERROR && bytes.empty() && produced == 0)
      in_.refuse_cut();
    else if (status != Z_OK && status != Z_BUF_ERROR)
      in_.refuse_damaged();
    return produced;
  }

  void next_member() {
    std::string_view next = in_.waiting();
    done_ = next.empty();
    if (done_) return;
    // The second byte of the signature may not be there yet.
    if (next.front() != '\x1f' || (next.size() > 1 && !is_gzip(next)))
      in_.refuse("the compressed data is followed by other data",
                 "byte " + std::to_string(in_.used()), "the end of the file");
    ::inflateReset(&stream_);
  }

  CompressedInput in_;
  bool done_ = false;
  z_stream stream_{};
};

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> file) : file_(std::move(file)), buffer_(1u << 16, 0) {
    const int status = ::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8,
                                      Z_DEFAULT_STRATEGY);
    if (status != Z_OK) throw std::bad_alloc();
  }
  ~GzipSink() override { ::deflateEnd(&stream_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto part = bytes.substr(0, max_per_call);
      deflate(part, Z_NO_FLUSH);
      bytes.remove_prefix(part.size());
    }
  }
  void commit() override {
    deflate({}, Z_FINISH);
    file_->commit();
  }

 private:
  void deflate(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      ::deflate(&stream_, flush);
      file_->write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> file_;
  std::string buffer_;
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::unique_ptr<ByteSource> gunzipped(std::unique_ptr<ByteSource> source) {
  return std::make_unique<Gunzip>(std::move(source));
}

std::shared_ptr<const MappedFile> decompress(const MappedFile& file, std::size_t at_most) {
  const auto source = decompressed(bytes_of(file.name(), file.bytes())).bytes;
  std::string out;
  std::size_t produced = 0;
  for (std::size_t got = 1; got > 0 && (at_most == 0 || produced < at_most); produced += got) {
    if (produced > memory_limit() / 2)
      throw Error(ErrorCode::out_of_memory,
                  {.what = "the compressed data does not fit into memory",
                   .where = file.name(),
                   .found = "more than " + std::to_string(produced) + " bytes",
                   .hint = "decompress it first: a plain file is mapped, not loaded"});
    if (produced == out.size()) out.resize(std::max(std::size_t{1} << 16, 2 * produced));
    got = source->read({out.data() + produced, out.size() - produced});
  }
  out.resize(at_most > 0 ? std::min(produced, at_most) : produced);
  return MappedFile::from_memory(file.name(), std::move(out));
}

std::unique_ptr<ByteSink> gzip_sink(std::unique_ptr<ByteSink> file) {
  return std::make_unique<GzipSink>(std::move(file));
}

}  // namespace polyak::io
