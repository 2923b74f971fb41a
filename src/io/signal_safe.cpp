#include "polyak/signal_safe.hpp"

#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "io/file.hpp"
#include "io/temporary.hpp"

namespace polyak {
namespace {

using Flag = std::atomic<bool>;
static_assert(Flag::is_always_lock_free && std::atomic<const char*>::is_always_lock_free &&
              std::atomic<std::size_t>::is_always_lock_free);

// `first` is written last and cleared first: if it is set, the other members are valid. A signal
// handler looks up an address of a mapping in use, so its entry is not removed meanwhile.
struct Mapping {
  Flag taken{false};
  std::atomic<const char*> first{nullptr}, name{nullptr};
  std::atomic<std::size_t> size{0};
};
struct Unfinished {
  Flag taken{false};
  std::atomic<const char*> path{nullptr};
};

constinit std::array<Mapping, 1024> mappings{};
constinit std::array<Unfinished, 64> unfinished{};
constinit std::atomic<std::uint64_t> bytes_out{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

constinit Flag files_change{false};

// Waits for a thread that makes or renames files, at most half a second: what holds it longer is a
// disk that does not answer, or a fork. True if nobody else changes files now.
bool take_turn() {
  constexpr int turns = 500;
  constexpr timespec millisecond{0, 1'000'000};
  for (int k = 0; files_change.exchange(true); ++k) {
    if (k == turns) return false;
    ::nanosleep(&millisecond, nullptr);
  }
  return true;
}

template <class Entries>
auto* free_entry(Entries& entries) {
  for (auto& entry : entries)
    if (!entry.taken.exchange(true)) return &entry;
  return static_cast<typename Entries::value_type*>(nullptr);
}

}  // namespace

namespace internal::io {

Undisturbed::Undisturbed() : locked_(take_turn()) {}
Undisturbed::~Undisturbed() {
  if (locked_) files_change = false;
}

void register_mapping(std::string_view bytes, const std::string& name) {
  Mapping* entry = free_entry(mappings);
  if (entry == nullptr) return;
  entry->size = bytes.size();
  entry->name = name.c_str();
  entry->first = bytes.data();
}

void unregister_mapping(std::string_view bytes) {
  for (Mapping& entry : mappings) {
    if (entry.first != bytes.data()) continue;
    entry.first = nullptr;
    entry.taken = false;
  }
}

void register_temporary(const std::string& path) {
  Unfinished* entry = free_entry(unfinished);
  if (entry != nullptr) entry->path = path.c_str();
}

void unregister_temporary(const std::string& path) {
  for (Unfinished& entry : unfinished) {
    if (entry.path != path.c_str()) continue;
    entry.path = nullptr;
    entry.taken = false;
  }
}

void count_output(std::uint64_t bytes) { bytes_out += bytes; }

}  // namespace internal::io

std::uint64_t output_bytes() noexcept { return bytes_out; }

bool outputs_unfinished() noexcept {
  for (const Unfinished& entry : unfinished)
    if (entry.path != nullptr) return true;
  return false;
}

MappedInput mapped_input_at(const void* address) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (const Mapping& entry : mappings) {
    const char* name = entry.name;
    const std::size_t size = entry.size;
    const auto first = reinterpret_cast<std::uintptr_t>(entry.first.load());
    if (first == 0 || place < first || place - first >= size) continue;
    return {name, size};
  }
  return {};
}

// All or none: files whose names are being changed together are left to that thread.
void remove_unfinished_outputs() noexcept {
  const bool locked = take_turn();
  for (const Unfinished& entry : unfinished)
    if (const char* path = entry.path) ::unlink(path);
  if (locked) files_change = false;
}

}  // namespace polyak
