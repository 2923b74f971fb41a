#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "io/file.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A short name: the target name plus a suffix might be too long for the file system.
std::string temporary_name(const std::string& directory) {
  static std::atomic<unsigned> counter{0};
  return directory + "/.polyak-" + std::to_string(::getpid()) + "-" +
         std::to_string(counter.fetch_add(1)) + ".tmp";
}

// A rename would replace a symbolic link by a file: write to the file it points to.
std::string resolve(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string out(real);
  std::free(real);
  return out;
}

int open_retrying(const std::string& path, int flags) {
  int fd;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}

// ::fsync reports EINVAL or ENOTSUP for pipes, terminals and some file systems: not an error.
bool sync_failed(int fd) {
  return ::fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS;
}

// True if `path` still names the file that is open as `fd`.
bool is_same_file(int fd, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

bool disk_is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

}  // namespace

// Delegates to the default constructor first, so that the destructor runs if a step throws.
OutputFile::OutputFile(const std::string& path, Companions companions) : OutputFile() {
  name_ = path;
  companions_ = std::move(companions);
  target_ = resolve(path);
  if (path == "-" || path == "/dev/stdout") {
    name_ = "standard output";
    fd_ = STDOUT_FILENO;
    close_fd_ = false;
    return;
  }
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail("open", EISDIR);
  if (path.starts_with("/dev/") || (exists && !S_ISREG(info.st_mode))) {
    open_direct();
    return;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) fail("replace", errno);
  open_beside();
  // An existing file keeps its permissions; a new one gets those of the umask.
  if (exists && ::fchmod(fd_, info.st_mode & 07777) != 0) fail("set the mode of", errno);
}

void OutputFile::open_direct() {
  fd_ = open_retrying(name_, O_WRONLY);
  if (fd_ < 0) fail("open", errno);
}

void OutputFile::open_beside() {
  if (!companions_.unfinished.empty()) {
    if (!open_unfinished() && !(errno == EEXIST && remove_abandoned() && open_unfinished()))
      fail("create a file beside", errno);
    temp_ = companions_.unfinished;
    register_temporary(temp_);
    return;
  }
  const std::string directory = directory_of(target_);
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string candidate = temporary_name(directory);
    fd_ = open_retrying(candidate, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (fd_ >= 0) {
      temp_ = std::move(candidate);
      register_temporary(temp_);
      return;
    }
    if (errno != EEXIST) break;  // EEXIST: left by an earlier process with the same pid
  }
  fail("create a file beside", errno);
}

// Never opens an existing file or follows a link. The file is locked while it is written, so that
// other processes do not take it for an abandoned one.
bool OutputFile::open_unfinished() {
  fd_ = open_retrying(companions_.unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (fd_ < 0) return false;
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0 && is_same_file(fd_, companions_.unfinished))
    return true;
  ::close(std::exchange(fd_, -1));  // another process has just removed it as abandoned
  errno = EBUSY;
  return false;
}

bool OutputFile::remove_abandoned() {
  const std::string& path = companions_.unfinished;
  const int fd = open_retrying(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return errno == ENOENT;  // removed in the meantime
  struct stat info {};
  std::string start(companions_.mark.size(), '\0');
  const ssize_t got = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)
                          ? ::pread(fd, start.data(), start.size(), 0)
                          : -1;
  const bool is_ours =
      got == 0 || (got == static_cast<ssize_t>(start.size()) && start == companions_.mark);
  const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
  const bool removed = is_ours && locked && is_same_file(fd, path) && ::unlink(path.c_str()) == 0;
  ::close(fd);
  if (!removed) errno = is_ours ? EBUSY : EEXIST;
  return removed;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0 && close_fd_) ::close(fd_);
  if (temp_.empty()) return;
  ::unlink(temp_.c_str());
  unregister_temporary(temp_);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("write", errno);
    count_output(static_cast<std::uint64_t>(done));
    bytes.remove_prefix(static_cast<std::size_t>(done));
    written_ += done;
  }
}

void OutputFile::write_at(Index offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(fd_, bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("write the header of", errno);
    count_output(static_cast<std::uint64_t>(done));
    bytes.remove_prefix(static_cast<std::size_t>(done));
    offset += done;
  }
}

void OutputFile::flush() {
  if (sync_failed(fd_)) fail("flush", errno);
}

void OutputFile::close() {
  if (!close_fd_ || fd_ < 0) return;
  // The descriptor is closed even if ::close fails; it must not be closed twice.
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0 && errno != EINTR) fail("close", errno);
}

// A locked file is renamed before it is closed, so that no process takes it for abandoned.
void OutputFile::commit() {
  flush();
  if (companions_.unfinished.empty()) close();
  if (temp_.empty()) return close();
  const std::string& old = companions_.replaced;
  if (!old.empty() && ::rename(target_.c_str(), old.c_str()) != 0 && errno != ENOENT)
    fail("keep the old version of", errno);
  if (::rename(temp_.c_str(), target_.c_str()) != 0) fail("rename", errno);
  unregister_temporary(temp_);
  temp_.clear();
  close();
  // The rename is durable only after the directory is flushed to the disk.
  const int directory = open_retrying(directory_of(target_), O_RDONLY | O_DIRECTORY);
  if (directory < 0) return;  // a directory with write but no read permission
  const bool failed = sync_failed(directory);
  const int error = errno;
  ::close(directory);
  if (failed) fail("flush the directory of", error);
}

void OutputFile::fail(const char* action, int error) const {
  ErrorParts parts{.what = std::string("cannot ") + action + " the output",
                   .where = name_,
                   .found = error_text(error)};
  if (error == EPIPE) {
    parts.what = "the reader of the output has closed it";
    parts.found = "broken pipe";
  } else if (disk_is_full(error)) {
    parts.what = "cannot write the output, there is no room left (disk full, quota or size limit)";
    parts.found += " after " + std::to_string(written_) + " bytes";
    parts.hint = "free some space or write elsewhere";
  }
  throw Error(ErrorCode::io, std::move(parts));
}

}  // namespace polyak::io
