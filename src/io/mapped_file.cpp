#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "core/file_pages.hpp"
#include "core/large_arrays.hpp"
#include "io/file.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

namespace polyak::io {
namespace {

[[noreturn]] void fail(ErrorCode code, const char* what, const std::string& name, int error) {
  throw Error(code, {.what = what, .where = name, .found = error_text(error)});
}

// Causes that the user can correct (a wrong name, missing permission) are no_input; failures of
// the machine (too many open files, a broken disk) are io.
ErrorCode open_code(int error) {
  switch (error) {
    case EIO:
    case EMFILE:
    case ENFILE:
    case ENOSPC: return ErrorCode::io;
    case ENOMEM: return ErrorCode::out_of_memory;
    default: return ErrorCode::no_input;
  }
}

// Closes a descriptor that was only read from, so an error of ::close can be ignored.
struct Descriptor {
  int fd;
  ~Descriptor() { ::close(fd); }
};

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// All inputs that are open now, and those that had changed when they were closed.
class WatchedInputs {
 public:
  void add(const WatchedInput* file) {
    const std::lock_guard lock(mutex_);
    files_.push_back(file);
  }
  void remove(const WatchedInput* file) {
    const std::lock_guard lock(mutex_);
    std::erase(files_, file);
    if (file->changed()) closed_.push_back(file->name());
  }
  std::vector<std::string> changed() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out = std::move(closed_);
    closed_.clear();
    for (const WatchedInput* file : files_)
      if (file->changed()) out.push_back(file->name());
    return out;
  }

 private:
  std::mutex mutex_;
  std::vector<const WatchedInput*> files_;
  std::vector<std::string> closed_;
};

WatchedInputs& watched_inputs() {
  static WatchedInputs& all = *new WatchedInputs;  // never destroyed: files may outlive main
  return all;
}

}  // namespace

void WatchedInput::watch() { watched_inputs().add(this); }
void WatchedInput::stop_watching() { watched_inputs().remove(this); }

int open_for_reading(const std::string& path) {
  int fd;
  do fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) fail(open_code(errno), "cannot open the input", path, errno);
  return fd;
}

double most_of_memory() { return 0.75 * physical_memory_bytes(); }

void refuse_large_input(const std::string& name, double most) {
  throw Error(ErrorCode::out_of_memory,
              {.what = "the input does not fit into memory",
               .where = name,
               .found = "more than " + std::to_string(static_cast<std::size_t>(most)) + " bytes",
               .hint = "an .npy file is read from the disk, rows of it when they are used"});
}

std::string error_text(int error) { return std::generic_category().message(error); }

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, double most_bytes) {
  if (path == "-")
    return std::shared_ptr<const MappedFile>(
        new MappedFile("standard input", STDIN_FILENO, most_bytes));
  const Descriptor file{open_for_reading(path)};
  return std::shared_ptr<const MappedFile>(new MappedFile(path, file.fd, most_bytes));
}

std::shared_ptr<const MappedFile> MappedFile::from_memory(std::string name, std::string bytes) {
  return std::shared_ptr<const MappedFile>(new MappedFile(std::move(name), std::move(bytes)));
}

MappedFile::MappedFile(std::string name, std::string bytes)
    : name_(std::move(name)), owned_(std::move(bytes)) {
  bytes_ = owned_;
}

MappedFile::MappedFile(std::string name, int fd, double most_bytes) : name_(std::move(name)) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) fail(ErrorCode::io, "cannot examine the input", name_, errno);
  if (S_ISDIR(info.st_mode)) fail(ErrorCode::no_input, "cannot read the input", name_, EISDIR);
  // Files of /proc have size 0 and still have contents: they are read, not mapped.
  const bool mappable = S_ISREG(info.st_mode) && info.st_size > 0 && fd != STDIN_FILENO;
  written_ = info.st_mtim;
  identity_ = {info.st_dev, info.st_ino};
  if (!mappable || !map(fd, static_cast<std::size_t>(info.st_size)))
    read_all(fd, std::min(most_bytes, most_of_memory()));
}

MappedFile::~MappedFile() {
  if (mapping_ == nullptr) return;
  stop_watching();
  forget_file_pages(mapping_);
  unregister_mapping(bytes_);
  ::munmap(mapping_, bytes_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool MappedFile::map(int fd, std::size_t size) {
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapping == MAP_FAILED) {
    if (errno == ENOMEM)
      fail(ErrorCode::out_of_memory, "no address space to map the input", name_, errno);
    return false;  // some file systems support ::read but not ::mmap
  }
  mapping_ = mapping;
  bytes_ = {static_cast<const char*>(mapping), size};
  register_mapping(bytes_, name_);
  add_file_pages(mapping_, size);
  watch();
  descriptor_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);  // if this fails, read() copies from the mapping
  return true;
}

// What a pipe holds is known only at its end, which may never come.
void MappedFile::read_all(int fd, double most_bytes) {
  constexpr std::size_t first_size = std::size_t{1} << 16;
  const auto most = static_cast<std::size_t>(std::max(1.0, most_bytes));
  std::size_t used = 0;
  for (;;) {
    if (used > most) refuse_large_input(name_, static_cast<double>(most));
    if (used == owned_.size()) owned_.resize(std::min(std::max(first_size, 2 * used), most + 1));
    const ssize_t got = ::read(fd, owned_.data() + used, owned_.size() - used);
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorCode::io, "cannot read the input", name_, errno);
    used += static_cast<std::size_t>(got);
  }
  owned_.resize(used);
  bytes_ = owned_;
}

void MappedFile::read(const void* from, std::size_t count, void* to) const {
  auto* target = static_cast<char*>(to);
  if (count == 0) return;  // both addresses may be null
  if (descriptor_ < 0) {
    std::memcpy(target, from, count);
    return;
  }
  auto place = static_cast<const char*>(from) - bytes_.data();
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, target, count, place);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorCode::io, "cannot read the input", name_, errno);
    if (got == 0)
      throw Error(ErrorCode::io, {.what = "the input has become shorter while it was read",
                                  .where = name_,
                                  .found = "its end at byte " + std::to_string(place),
                                  .expected = std::to_string(bytes_.size()) + " bytes"});
    target += got;
    place += got;
    count -= static_cast<std::size_t>(got);
  }
}

bool MappedFile::changed() const {
  struct stat now {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &now) != 0) return false;
  return now.st_size != static_cast<off_t>(bytes_.size()) ||
         now.st_mtim.tv_sec != written_.tv_sec || now.st_mtim.tv_nsec != written_.tv_nsec;
}

void MappedFile::release(std::size_t first, std::size_t end) const {
  const std::size_t page = page_size();
  const std::size_t from = (first + page - 1) / page * page, to = end / page * page;
  // If the kernel refuses, the pages stay in memory, which is harmless.
  if (mapping_ != nullptr && from < to)
    (void)::madvise(static_cast<char*>(mapping_) + from, to - from, MADV_DONTNEED);
}

}  // namespace polyak::io

namespace polyak {

void check_inputs_unchanged() {
  const std::vector<std::string> changed = io::watched_inputs().changed();
  if (changed.empty()) return;
  throw Error(ErrorCode::io, {.what = "the input was written to while it was read",
                              .where = changed.front(),
                              .hint = "run again, without changes to the file during the run"});
}

}  // namespace polyak
