#include "io/temporary.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

bool disk_is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

}  // namespace

bool is_same_file(int fd, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

int open_retrying(const std::string& path, int flags) {
  int fd;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The name is listed for removal once the file is ours: until then it may be that of another file.
int Temporary::create(bool locked) {
  const Undisturbed undisturbed;
  int fd = open_retrying(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (fd < 0) return fd;
  if (locked && !(::flock(fd, LOCK_EX | LOCK_NB) == 0 && is_same_file(fd, path_))) {
    ::close(fd);  // another process has just removed it as abandoned
    errno = EBUSY;
    return -1;
  }
  register_temporary(path_);
  exists_ = true;
  return fd;
}

int Temporary::rename_to(const std::string& target, const std::string& replaced) {
  if (!replaced.empty() && ::rename(target.c_str(), replaced.c_str()) != 0 && errno != ENOENT)
    return errno;
  if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
  unregister_temporary(path_);
  exists_ = false;
  return 0;
}

Temporary::~Temporary() {
  if (!exists_) return;
  ::unlink(path_.c_str());
  unregister_temporary(path_);
}

bool flushed(int fd) {
  return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

void flush_directory_of(const std::string& target, const std::string& name) {
  const int directory = open_retrying(directory_of(target), O_RDONLY | O_DIRECTORY);
  if (directory < 0) return;  // a directory with write but no read permission
  const bool done = flushed(directory);
  const int error = errno;
  ::close(directory);
  if (!done) fail_output("flush the directory of", name, error);
}

void fail_output(const char* action, const std::string& name, int error, Index written) {
  ErrorParts parts{.what = std::string("cannot ") + action + " the output",
                   .where = name,
                   .found = error_text(error)};
  if (error == EPIPE) {
    parts.what = "the reader of the output has closed it";
    parts.found = "broken pipe";
  } else if (disk_is_full(error)) {
    parts.what = "cannot write the output, there is no room left (disk full, quota or size limit)";
    parts.found += " after " + std::to_string(written) + " bytes";
    parts.hint = "free some space or write elsewhere";
  }
  throw Error(ErrorCode::io, std::move(parts));
}

}  // namespace polyak::internal::io

namespace polyak {
using namespace polyak::internal;

namespace {

thread_local OutputSet::Files* innermost = nullptr;

}  // namespace

OutputSet::Files* OutputSet::Files::current() { return innermost; }

OutputSet::OutputSet() : files_(std::make_unique<Files>()) {
  files_->outer = std::exchange(innermost, files_.get());
}

OutputSet::~OutputSet() { innermost = files_->outer; }

void OutputSet::commit() {
  {
    const io::Undisturbed undisturbed;
    for (const Files::File& file : files_->files)
      if (const int error = file.temporary->rename_to(file.target))
        io::fail_output("rename", file.name, error);
  }
  for (const Files::File& file : std::exchange(files_->files, {}))
    io::flush_directory_of(file.target, file.name);
}

}  // namespace polyak
