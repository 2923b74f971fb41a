#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/large_arrays.hpp"
#include "io/file.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

constexpr int gzip_window = 15 + 16;               // largest window, gzip framing
constexpr std::size_t max_per_call = 1u << 30;     // zlib counts bytes in 32 bits
constexpr std::size_t unchecked_size = 64u << 20;  // below this size any ratio is accepted
constexpr std::size_t max_ratio = 200;             // numbers as text compress less than 20 times

// Three quarters of the physical memory: a larger text leaves no room for its matrix.
std::size_t memory_limit() {
  return static_cast<std::size_t>(0.75 * std::max(0.0, physical_memory_bytes()));
}

class Inflater {
 public:
  Inflater(const MappedFile& file, std::size_t at_most)
      : name_(file.name()), in_(file.bytes()), at_most_(at_most) {
    if (::inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run() {
    while (!finished()) {
      make_room();
      step();
    }
    out_.resize(at_most_ > 0 ? std::min(produced_, at_most_) : produced_);
    return std::move(out_);
  }

 private:
  bool finished() const { return done_ || (at_most_ > 0 && produced_ >= at_most_); }

  void make_room() {
    if (produced_ < out_.size()) return;
    check_limits();
    out_.resize(std::max(std::size_t{1} << 16, 2 * produced_));
  }

  void check_limits() const {
    if (produced_ > unchecked_size && produced_ / max_ratio > used_) {
      refuse("the compressed data expands more than is plausible",
             std::to_string(produced_) + " bytes from " + std::to_string(used_),
             "at most " + std::to_string(max_ratio) + " times as many");
    }
    if (produced_ > memory_limit() / 2) {
      throw Error(ErrorCode::out_of_memory,
                  {.what = "the compressed data does not fit into memory",
                   .where = name_,
                   .found = "more than " + std::to_string(produced_) + " bytes",
                   .hint = "decompress it first: a plain file is mapped, not loaded"});
    }
  }

  void step() {
    const std::size_t input = std::min(max_per_call, in_.size() - used_);
    const std::size_t room = std::min(max_per_call, out_.size() - produced_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in_.data() + used_));
    stream_.avail_in = static_cast<uInt>(input);
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + produced_);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    used_ += input - stream_.avail_in;
    produced_ += room - stream_.avail_out;
    check_status(status);
  }

  void check_status(int status) {
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) return next_member();
    if (status == Z_BUF_ERROR || (status == Z_OK && used_ == in_.size() && stream_.avail_out > 0))
      refuse("the compressed data is cut off", "the end after byte " + std::to_string(used_), "");
    if (status != Z_OK)
      refuse("the compressed data is damaged", "an error near byte " + std::to_string(used_), "");
  }

  // Gzip files may be concatenated; any other data after one is an error.
  void next_member() {
    done_ = used_ == in_.size();
    if (done_) return;
    if (!is_gzip(in_.substr(used_)))
      refuse("the compressed data is followed by other data", "byte " + std::to_string(used_),
             "the end of the file");
    ::inflateReset(&stream_);
  }

  [[noreturn]] void refuse(const char* what, std::string found, std::string expected) const {
    throw Error(
        ErrorCode::bad_data,
        {.what = what, .where = name_, .found = std::move(found), .expected = std::move(expected)});
  }

  std::string name_;
  std::string_view in_;
  std::size_t at_most_;
  std::string out_;
  std::size_t used_ = 0;
  std::size_t produced_ = 0;
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

std::shared_ptr<const MappedFile> gunzip(const MappedFile& file, std::size_t at_most) {
  return MappedFile::from_memory(file.name(), Inflater(file, at_most).run());
}

std::unique_ptr<ByteSink> gzip_sink(std::unique_ptr<ByteSink> file) {
  return std::make_unique<GzipSink>(std::move(file));
}

}  // namespace polyak::internal::io
