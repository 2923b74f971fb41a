#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "io/file.hpp"
#include "io/file_names.hpp"
#include "io/temporary.hpp"
#include "polyak/files.hpp"

namespace polyak::internal::io {
namespace {

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

}  // namespace

// Delegates to the default constructor first, so that the destructor runs if a step throws.
OutputFile::OutputFile(const std::string& path, Companions companions) : OutputFile() {
  name_ = path;
  companions_ = std::move(companions);
  for (const std::string& name : {path, companions_.unfinished, companions_.replaced})
    if (!name.empty()) check_kept(name);
  const std::optional<int> descriptor = path == "-" ? STDOUT_FILENO : descriptor_of(path);
  if (descriptor)
    open_descriptor(*descriptor);
  else
    open_file();
}

void OutputFile::open_file() {
  const std::string& path = name_;
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail("open", EISDIR);
  if (exists && !S_ISREG(info.st_mode)) return open_direct();
  if (exists && ::access(path.c_str(), W_OK) != 0) fail("replace", errno);
  target_ = resolve(path);
  open_beside();
  // An existing file keeps its permissions; a new one gets those of the umask.
  if (exists && ::fchmod(fd_, info.st_mode & 07777) != 0) fail("set the mode of", errno);
}

// What is written follows what others have written to the descriptor: it has one position for all.
void OutputFile::open_descriptor(int descriptor) {
  if (descriptor == STDOUT_FILENO) {
    name_ = "standard output";
    fd_ = descriptor;
    close_fd_ = false;
  } else {
    fd_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd_ < 0) fail("open", errno);
  }
  start_ = std::max<off_t>(0, ::lseek(fd_, 0, SEEK_CUR));
}

void OutputFile::open_direct() {
  fd_ = open_retrying(name_, O_WRONLY);
  if (fd_ < 0) fail("open", errno);
}

bool OutputFile::create(const std::string& name, bool locked) {
  temporary_ = std::make_unique<Temporary>(name);
  fd_ = temporary_->create(locked);
  return fd_ >= 0;
}

void OutputFile::open_beside() {
  const std::string& fixed = companions_.unfinished;
  if (!fixed.empty()) {
    if (!create(fixed, true) && !(errno == EEXIST && remove_abandoned() && create(fixed, true)))
      fail("create a file beside", errno);
    return;
  }
  const std::string directory = directory_of(target_);
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (create(temporary_name(directory), false)) return;
    if (errno != EEXIST) break;  // EEXIST: left by an earlier process with the same pid
  }
  fail("create a file beside", errno);
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
  offset += start_;
  if ((::fcntl(fd_, F_GETFL) & O_APPEND) != 0) fail("write the header of", ESPIPE);
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
  if (!flushed(fd_)) fail("flush", errno);
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
  const bool locked = !companions_.unfinished.empty();
  if (!locked) close();
  if (temporary_ == nullptr) return close();
  OutputSet::Files* set = OutputSet::Files::current();
  if (set != nullptr && !locked) {
    set->files.push_back({std::move(temporary_), target_, name_});
    return;
  }
  rename();
  close();
  flush_directory_of(target_, name_);
}

void OutputFile::rename() {
  const Undisturbed undisturbed;
  if (const int error = temporary_->rename_to(target_, companions_.replaced)) fail("rename", error);
  temporary_.reset();
}

void OutputFile::fail(const char* action, int error) const {
  fail_output(action, name_, error, written_);
}

}  // namespace polyak::internal::io
