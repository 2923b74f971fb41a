#include "io/stream/byte_source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/file.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

class FileBytes final : public ByteSource, public WatchedInput {
 public:
  FileBytes(std::string name, int descriptor, bool owned)
      : name_(std::move(name)), descriptor_(descriptor), owned_(owned) {
    try {
      examine();
    } catch (...) {
      close();
      throw;
    }
  }
  ~FileBytes() override {
    if (regular_) stop_watching();
    close();
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::string& name() const override { return name_; }
  Index position() const override { return position_; }
  std::optional<Index> size() const override {
    return regular_ ? std::optional<Index>(opened_.st_size) : std::nullopt;
  }

  std::size_t read(std::span<char> to) override {
    ssize_t got = 0;
    do got = ::read(descriptor_, to.data(), to.size());
    while (got < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_bytes())));
    if (got < 0)
      throw Error(ErrorCode::io,
                  {.what = "cannot read the input", .where = name_, .found = error_text(errno)});
    position_ += got;
    forget_pages();
    return static_cast<std::size_t>(got);
  }

  bool changed() const override {
    struct stat now {};
    if (::fstat(descriptor_, &now) != 0) return false;
    return now.st_size != opened_.st_size || now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec;
  }

 private:
  // Of a pipe that another program has told not to block.
  bool wait_for_bytes() const {
    pollfd one{descriptor_, POLLIN, 0};
    return ::poll(&one, 1, -1) >= 0 || errno == EINTR;
  }

  void examine() {
    if (::fstat(descriptor_, &opened_) != 0)
      throw Error(ErrorCode::io,
                  {.what = "cannot examine the input", .where = name_, .found = error_text(errno)});
    if (S_ISDIR(opened_.st_mode))
      throw Error(ErrorCode::no_input,
                  {.what = "cannot read the input", .where = name_, .found = error_text(EISDIR)});
    // Files of /proc have size 0 and still have contents.
    regular_ = S_ISREG(opened_.st_mode) && opened_.st_size > 0 && owned_;
    if (regular_) watch();
    (void)::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }

  // What lies behind does not displace other data from memory.
  void forget_pages() {
    constexpr Index step = 1 << 26;
    if (!regular_ || position_ < forgotten_ + step) return;
    (void)::posix_fadvise(descriptor_, 0, position_, POSIX_FADV_DONTNEED);
    forgotten_ = position_;
  }

  void close() {
    if (owned_) ::close(descriptor_);
  }

  std::string name_;
  int descriptor_;
  bool owned_, regular_ = false;
  struct stat opened_ {};
  Index position_ = 0, forgotten_ = 0;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}
  const std::string& name() const override { return name_; }
  Index position() const override { return static_cast<Index>(position_); }
  std::optional<Index> size() const override { return static_cast<Index>(bytes_.size()); }
  std::size_t read(std::span<char> to) override {
    const std::size_t count = std::min(to.size(), bytes_.size() - position_);
    std::copy_n(bytes_.data() + position_, count, to.data());
    position_ += count;
    return count;
  }

 private:
  std::string name_;
  std::string_view bytes_;
  std::size_t position_ = 0;
};

class BeginningAndRest final : public ByteSource {
 public:
  BeginningAndRest(std::string first, std::unique_ptr<ByteSource> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}
  const std::string& name() const override { return rest_->name(); }
  Index position() const override { return rest_->position(); }
  std::optional<Index> size() const override { return rest_->size(); }
  std::size_t read(std::span<char> to) override {
    if (used_ == first_.size()) return rest_->read(to);
    const std::size_t count = std::min(to.size(), first_.size() - used_);
    std::copy_n(first_.data() + used_, count, to.data());
    used_ += count;
    if (used_ == first_.size()) {
      std::string().swap(first_);
      used_ = 0;
    }
    return count;
  }

 private:
  std::string first_;
  std::unique_ptr<ByteSource> rest_;
  std::size_t used_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  if (path == "-") return std::make_unique<FileBytes>("standard input", STDIN_FILENO, false);
  return std::make_unique<FileBytes>(path, open_for_reading(path), true);
}

std::unique_ptr<ByteSource> bytes_of(std::string name, std::string_view bytes) {
  return std::make_unique<MemoryBytes>(std::move(name), bytes);
}

std::unique_ptr<ByteSource> with_beginning(std::string first, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<BeginningAndRest>(std::move(first), std::move(rest));
}

Compression compression_of(std::string_view bytes) {
  if (is_gzip(bytes)) return Compression::gzip;
  return bytes.starts_with("\x28\xb5\x2f\xfd") ? Compression::zstd : Compression::none;
}

// A pipe may deliver one byte at a time.
Decompressed decompressed(std::unique_ptr<ByteSource> source) {
  constexpr std::size_t signature = 4;
  std::string first(signature, '\0');
  std::size_t have = 0;
  while (have < signature) {
    const std::size_t got = source->read({first.data() + have, signature - have});
    if (got == 0) break;
    have += got;
  }
  first.resize(have);
  const Compression from = compression_of(first);
  auto whole = with_beginning(std::move(first), std::move(source));
  if (from == Compression::gzip) return {gunzipped(std::move(whole)), from};
  if (from == Compression::zstd) return {unzstded(std::move(whole)), from};
  return {std::move(whole), from};
}

CompressedInput::CompressedInput(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), buffer_(std::size_t{1} << 17, '\0') {}

std::string_view CompressedInput::waiting() {
  if (first_ == end_) {
    first_ = 0;
    end_ = source_->read(buffer_);
  }
  return {buffer_.data() + first_, end_ - first_};
}

void CompressedInput::use(std::size_t count) {
  first_ += count;
  used_ += static_cast<Index>(count);
}

void CompressedInput::made(std::size_t count) {
  constexpr Index unchecked_size = 64 << 20;  // below this size any ratio is accepted
  constexpr Index max_ratio = 200;            // numbers as text compress less than 20 times
  produced_ += static_cast<Index>(count);
  if (produced_ > unchecked_size && produced_ / max_ratio > used_)
    refuse("the compressed data expands more than is plausible",
           std::to_string(produced_) + " bytes from " + std::to_string(used_),
           "at most " + std::to_string(max_ratio) + " times as many");
}

void CompressedInput::refuse(const char* what, std::string found, std::string expected) const {
  throw Error(ErrorCode::bad_data, {.what = what,
                                    .where = source_->name(),
                                    .found = std::move(found),
                                    .expected = std::move(expected)});
}

void CompressedInput::refuse_cut() const {
  refuse("the compressed data is cut off", "the end after byte " + std::to_string(used_));
}

void CompressedInput::refuse_damaged() const {
  refuse("the compressed data is damaged", "an error near byte " + std::to_string(used_));
}

}  // namespace polyak::io
