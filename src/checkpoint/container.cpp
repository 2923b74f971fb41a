#include "checkpoint/container.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "polyak/error.hpp"

namespace polyak::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the file holds little-endian numbers, copied as they are in memory");

constexpr std::uint32_t version = 4;
constexpr std::size_t head_size = 32, sum_size = 16, body_at = head_size + sum_size;

struct Head {
  char magic[8];
  std::uint32_t version, zero;
  std::uint64_t manifest, numbers;
};
static_assert(sizeof(Head) == head_size);

std::string checksum(const std::function<std::string_view()>& next) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  if (!state) throw Error(ErrorCode::out_of_memory, {.what = "no memory for a checksum"});
  XXH3_128bits_reset(state.get());
  for (std::string_view part = next(); !part.empty(); part = next())
    XXH3_128bits_update(state.get(), part.data(), part.size());
  XXH128_canonical_t out;
  XXH128_canonicalFromHash(&out, XXH3_128bits_digest(state.get()));
  return {reinterpret_cast<const char*>(out.digest), sum_size};
}

// Of head and body, one after the other; the head is never empty.
std::string checksum(std::string_view head, std::string_view body) {
  return checksum([&] { return std::exchange(head, std::exchange(body, {})); });
}

[[noreturn]] void refuse(const std::string& name, const std::string& what, std::string found,
                         std::string expected) {
  throw Error(
      ErrorCode::bad_data,
      {.what = what, .where = name, .found = std::move(found), .expected = std::move(expected)});
}

Head read_head(const std::string& name, std::string_view bytes) {
  Head head{};
  if (bytes.size() < body_at)
    refuse(name, "the checkpoint is cut short", fmt::format("{} bytes", bytes.size()),
           fmt::format("at least {}", body_at));
  std::memcpy(&head, bytes.data(), head_size);
  if (std::string_view(head.magic, sizeof head.magic) != mark)
    refuse(name, "this is not a checkpoint of polyak", "other first bytes", std::string(mark));
  if (head.version != version)
    refuse(name, "the checkpoint has a format this program does not know",
           fmt::format("version {}", head.version), fmt::format("version {}", version));
  return head;
}

// True if the sizes in the head are those of the body; no overflow for any head.
bool fits(const Head& head, std::size_t body) {
  return head.manifest <= body && (body - head.manifest) % sizeof(double) == 0 &&
         (body - head.manifest) / sizeof(double) == head.numbers;
}

}  // namespace

std::string pack(const Contents& contents) {
  std::string body = contents.manifest;
  body.resize((body.size() + 7) / 8 * 8, ' ');
  Head head{.magic = {},
            .version = version,
            .zero = 0,
            .manifest = body.size(),
            .numbers = contents.numbers.size()};
  mark.copy(head.magic, sizeof head.magic);
  body.append(reinterpret_cast<const char*>(contents.numbers.data()),
              contents.numbers.size() * sizeof(double));
  const std::string_view start(reinterpret_cast<const char*>(&head), head_size);
  std::string out(start);
  out += checksum(start, body);
  return out + body;
}

Contents unpack(const std::string& name, std::string_view bytes) {
  const Head head = read_head(name, bytes);
  const std::string_view body = bytes.substr(body_at);
  if (!fits(head, body.size()))
    refuse(name, "the checkpoint is cut short or has grown", fmt::format("{} bytes", bytes.size()),
           "the size in its header");
  if (checksum(bytes.substr(0, head_size), body) != bytes.substr(head_size, sum_size))
    refuse(name, "the checkpoint is damaged: its checksum does not fit", "other bytes",
           "those that were written");
  Contents out;
  out.manifest = body.substr(0, head.manifest);
  out.numbers.resize(head.numbers);
  if (head.numbers > 0)
    std::memcpy(out.numbers.data(), body.data() + head.manifest, head.numbers * sizeof(double));
  return out;
}

std::string digest(const std::function<std::string_view()>& next) {
  std::string out;
  for (const char c : checksum(next)) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string digest(std::string_view bytes) {
  return digest([&] { return std::exchange(bytes, {}); });
}

}  // namespace polyak::checkpoint
