/*
   Faults on order, for LD_PRELOAD. What the environment names goes wrong:

   FAULT_READ=NAME    reading a file of that name fails with EIO, and it cannot be
                      mapped; "-" is standard input
   FAULT_READ_FROM=N  only ::pread of what lies at byte N or behind it does
   FAULT_READ_SHORT=NAME  ::pread of a file of that name gives half of what it is asked
                      for, in blocks of 512 bytes
   FAULT_READ_SLOW=MS every ::pread takes so many milliseconds
   FAULT_MALLOC=I     the I-th allocation fails, from the start of main on (of
                      polyak-mpi: once MPI has started, and only what is not MPI's own)
   FAULT_WRITE=I      the I-th call that writes, flushes or renames a file fails with
                      ENOSPC; standard output and error do not count
   FAULT_SLOW=MS      every write to a file takes so many milliseconds
   FAULT_SHORT=1      every write takes half of what it is given, at least a byte
   FAULT_FOR_GOOD=1   and so do all after the I-th
   FAULT_RANK=R       only in this rank of mpirun
   FAULT_UNREACHED=F  a file that is made when there were fewer allocations
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_int  armed;
static atomic_long left = -1;
static int         for_good, among_ranks;

static int other_rank(void) {
  const char *wanted = getenv("FAULT_RANK"), *own = getenv("OMPI_COMM_WORLD_RANK");
  return wanted && (!own || strcmp(wanted, own) != 0);
}

static void arm(void) {
  const char *count = getenv("FAULT_MALLOC");
  if (!count || other_rank()) return;
  for_good = getenv("FAULT_FOR_GOOD") != NULL;
  left     = atol(count);
  armed    = 1;
}

__attribute__((destructor)) static void tell_unreached(void) {
  const char *file = getenv("FAULT_UNREACHED");
  if (armed && left > 0 && file) close(open(file, O_CREAT | O_WRONLY, 0666));
}

/* The program's own, or the C++ library's on its behalf. */
static int is_ours(void *caller) {
  Dl_info info;
  if (!among_ranks) return 1;
  if (!dladdr(caller, &info) || !info.dli_fname) return 0;
  return strstr(info.dli_fname, "polyak") || strstr(info.dli_fname, "libstdc++");
}

static int refused(void *caller) {
  if (!armed || !is_ours(caller)) return 0;
  const long before = atomic_fetch_sub(&left, 1);
  if (before == 1 || (before < 1 && for_good)) return errno = ENOMEM, 1;
  return 0;
}
#define REFUSED refused(__builtin_return_address(0))

void *malloc(size_t size) { return REFUSED ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return REFUSED ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return REFUSED ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return REFUSED ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return REFUSED ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  if (REFUSED) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

/* What polyak calls first, and polyak-mpi once it knows how many ranks there are. */
void (*signal(int number, void (*handler)(int)))(int) {
  void (*(*next)(int, void (*)(int)))(int) = (void (*(*)(int, void (*)(int)))(int))dlsym(RTLD_NEXT, "signal");
  if (number == SIGPIPE && !armed && !dlsym(RTLD_DEFAULT, "MPI_Init_thread")) arm();
  return next(number, handler);
}
int MPI_Comm_size(void *comm, int *size) {
  int (*next)(void *, int *) = (int (*)(void *, int *))dlsym(RTLD_NEXT, "MPI_Comm_size");
  const int code             = next(comm, size);
  among_ranks                = 1;
  if (!armed && is_ours(__builtin_return_address(0))) arm();
  return code;
}

static int has_name(int fd, const char *name) {
  char link[64], path[4096];
  if (!name || other_rank()) return 0;
  if (strcmp(name, "-") == 0) return fd == STDIN_FILENO;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  const char *base = strrchr(path, '/');
  return base && strcmp(base + 1, name) == 0;
}

static int is_broken(int fd) {
  return !getenv("FAULT_READ_FROM") && has_name(fd, getenv("FAULT_READ"));
}

static int is_broken_at(int fd, off_t end) {
  const char *from = getenv("FAULT_READ_FROM");
  return has_name(fd, getenv("FAULT_READ")) && (!from || end > atoll(from));
}

static size_t asked(int fd, size_t size) {
  return size > 1024 && has_name(fd, getenv("FAULT_READ_SHORT")) ? size / 1024 * 512 : size;
}

static atomic_long writes_left = -1;
static int         counts_writes;

__attribute__((constructor)) static void count_writes(void) {
  const char *count = getenv("FAULT_WRITE");
  if (!count || other_rank()) return;
  counts_writes = 1;
  writes_left   = atol(count);
}
__attribute__((destructor)) static void tell_unwritten(void) {
  const char *file = getenv("FAULT_UNREACHED");
  if (counts_writes && writes_left > 0 && file) close(open(file, O_CREAT | O_WRONLY, 0666));
}
static int no_room(void) {
  if (!counts_writes) return 0;
  const long before = atomic_fetch_sub(&writes_left, 1);
  if (before == 1 || (before < 1 && getenv("FAULT_FOR_GOOD"))) return errno = ENOSPC, 1;
  return 0;
}
static void take_time(int fd) {
  const char *slow = getenv("FAULT_SLOW");
  if (slow && fd > STDERR_FILENO) usleep(1000 * (useconds_t)atol(slow));
}
static size_t taken(size_t size) { return getenv("FAULT_SHORT") && size > 1 ? size / 2 : size; }

ssize_t write(int fd, const void *from, size_t size) {
  if (fd > STDERR_FILENO && no_room()) return -1;
  take_time(fd);
  return syscall(SYS_write, fd, from, taken(size));
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t offset) {
  if (fd > STDERR_FILENO && no_room()) return -1;
  return syscall(SYS_pwrite64, fd, from, taken(size), offset);
}
ssize_t pwrite64(int fd, const void *from, size_t size, off_t offset) {
  return pwrite(fd, from, size, offset);
}
int fsync(int fd) { return no_room() ? -1 : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return no_room() ? -1 : (int)syscall(SYS_fdatasync, fd); }
int rename(const char *from, const char *to) {
  return no_room() ? -1 : (int)syscall(SYS_rename, from, to);
}

ssize_t read(int fd, void *out, size_t size) {
  if (is_broken(fd)) return errno = EIO, -1;
  return syscall(SYS_read, fd, out, size);
}
ssize_t pread(int fd, void *out, size_t size, off_t offset) {
  const char *slow = getenv("FAULT_READ_SLOW");
  if (slow) usleep((useconds_t)(1000 * atol(slow)));
  if (is_broken_at(fd, offset + (off_t)size)) return errno = EIO, -1;
  return syscall(SYS_pread64, fd, out, asked(fd, size), offset);
}
ssize_t pread64(int fd, void *out, size_t size, off_t offset) { return pread(fd, out, size, offset); }
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  if (fd >= 0 && is_broken(fd)) return errno = ENODEV, MAP_FAILED;
  return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}
void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  return mmap(at, size, protection, flags, fd, offset);
}
