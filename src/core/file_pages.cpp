#include "core/file_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace polyak {
namespace {

struct FilePages {
  std::uintptr_t begin, end;
  Index places = 0;  // used since all pages were dropped

  void drop(std::uintptr_t from, std::uintptr_t to) const {
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    from = std::max(begin, from / page * page);
    to = to >= end ? end : to / page * page;
    // If the system refuses, the pages stay in memory, which is harmless.
    if (from < to) (void)::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  }
};

// The system maps the pages around a place that are in its cache, 64 KB in all.
constexpr Index most_places = kept_file_bytes / (1 << 16);

class AllFilePages {
 public:
  bool any() const { return count_.load(std::memory_order_acquire) > 0; }

  void add(const FilePages& file) {
    const std::lock_guard lock(mutex_);
    files_.push_back(file);
    ++count_;
  }
  void forget(std::uintptr_t begin) {
    const std::lock_guard lock(mutex_);
    std::erase_if(files_, [&](const FilePages& file) { return file.begin == begin; });
    count_ = std::ssize(files_);
  }

  // use(file) for the file of this address, if there is one.
  template <class Use>
  bool with(const void* data, Use use) {
    if (!any()) return false;
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    const std::lock_guard lock(mutex_);
    for (FilePages& file : files_) {
      if (at < file.begin || at >= file.end) continue;
      use(file, at);
      return true;
    }
    return false;
  }

 private:
  std::atomic<Index> count_{0};
  std::mutex mutex_;
  std::vector<FilePages> files_;
};

AllFilePages& all_file_pages() {
  static AllFilePages& all = *new AllFilePages;  // never destroyed: files may outlive main
  return all;
}

}  // namespace

void add_file_pages(const void* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  if (bytes > kept_file_bytes) all_file_pages().add({begin, begin + bytes});
}

void forget_file_pages(const void* data) {
  if (all_file_pages().any()) all_file_pages().forget(reinterpret_cast<std::uintptr_t>(data));
}

bool in_file_pages(const void* data) {
  return all_file_pages().with(data, [](const FilePages&, std::uintptr_t) {});
}

void drop_file_pages(const void* data, std::size_t bytes) {
  all_file_pages().with(
      data, [&](const FilePages& file, std::uintptr_t at) { file.drop(at, at + bytes); });
}

void count_file_places(const void* data, Index count) {
  all_file_pages().with(data, [&](FilePages& file, std::uintptr_t) {
    file.places += count;
    if (file.places < most_places) return;
    file.places = 0;
    file.drop(file.begin, file.end);
  });
}

}  // namespace polyak
