#include "io/disk/disk_file.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/file.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

int open_at(const std::string& path, int flags) {
  int fd;
  do fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
  while (fd < 0 && errno == EINTR);
  return fd;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// What direct reads of this file have to be multiples of; 0 if there are none, or if unknown.
Index direct_alignment([[maybe_unused]] int fd) {
#if defined(STATX_DIOALIGN)
  struct statx info {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &info) == 0 &&
      (info.stx_mask & STATX_DIOALIGN) != 0)
    return static_cast<Index>(std::max(info.stx_dio_mem_align, info.stx_dio_offset_align));
#endif
  return 0;
}

}  // namespace

DiskFile::DiskFile(const std::string& path) : name_(path), plain_(open_for_reading(path)) {
  if (::fstat(plain_, &opened_) != 0 || !S_ISREG(opened_.st_mode)) {
    const int error = errno;
    ::close(plain_);
    throw Error(ErrorCode::no_input,
                {.what = "rows cannot be read one by one from this input",
                 .where = name_,
                 .found = S_ISREG(opened_.st_mode) ? error_text(error) : "no regular file",
                 .hint = "copy it to a file"});
  }
  // Reads are as long as they should be: the system need not read more.
  static_cast<void>(::posix_fadvise(plain_, 0, 0, POSIX_FADV_RANDOM));
  open_direct();
  watch();
}

// A page is a multiple of every alignment in use. A trial read shows whether it is really allowed.
void DiskFile::open_direct() {
#if defined(O_DIRECT)
  constexpr Index page = 4096;
  direct_ = open_at(name_, O_DIRECT);
  if (direct_ < 0) return;
  struct stat info {};
  const Index known = direct_alignment(direct_);
  alignment_ = known > 0 && known <= page ? std::max<Index>(known, 512) : page;
  const std::unique_ptr<void, decltype(&std::free)> trial(std::aligned_alloc(page, page),
                                                          &std::free);
  if (trial && ::fstat(direct_, &info) == 0 && same_file(info, opened_) &&
      ::pread(direct_, trial.get(), static_cast<std::size_t>(alignment_), 0) >= 0)
    return;
  ::close(direct_);
  direct_ = -1;
  alignment_ = 1;
#endif
}

DiskFile::~DiskFile() {
  stop_watching();
  if (direct_ >= 0) ::close(direct_);
  ::close(plain_);
}

bool DiskFile::changed() const {
  struct stat now {};
  if (::fstat(plain_, &now) != 0) return false;
  return now.st_size != opened_.st_size || now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec;
}

void DiskFile::check_unchanged() const {
  if (!changed()) return;
  struct stat now {};
  static_cast<void>(::fstat(plain_, &now));
  const bool length = now.st_size != opened_.st_size;
  throw Error(ErrorCode::io, {.what = length ? "the input has changed its length while it was read"
                                             : "the input was written to while it was read",
                              .where = name_,
                              .found = length ? std::to_string(now.st_size) + " bytes" : "",
                              .expected = length ? std::to_string(opened_.st_size) + " bytes" : "",
                              .hint = "run again, without changes to the file during the run"});
}

}  // namespace polyak::internal::io
