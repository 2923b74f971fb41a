// DELTA_BINARY_PACKED: integers by the differences between neighbours, in blocks of miniblocks.
//
//   page        block size, miniblocks per block, number of values, first value; blocks
//   block       least difference; for each miniblock its width in bits, one byte; miniblocks
//   miniblock   differences minus the least one, packed in that width
//
// Sums wrap around at 64 bits, as the format says; columns of 32 bits keep the lower half.

#include <algorithm>
#include <array>

#include "io/parquet/bits.hpp"
#include "io/parquet/numbers.hpp"
#include "io/parquet/values.hpp"

namespace polyak::io::parquet {
namespace {

constexpr Index delta_piece = 512;

class DeltaValues final : public Values {
 public:
  explicit DeltaValues(const EncodedPage& page) : page_(page), bytes_(page.bytes) {
    constexpr std::uint64_t most = 1u << 20;  // values of a block
    const std::uint64_t block = number(), miniblocks = number(), count = number();
    value_ = signed_number();
    const bool possible = block > 0 && block <= most && miniblocks > 0 && block % miniblocks == 0 &&
                          block / miniblocks % 8 == 0;
    if (!possible) refuse("the size of a block is not possible");
    if (count != static_cast<std::uint64_t>(page.count))
      page.place.refuse("a page of differences has another number of values", std::to_string(count),
                        std::to_string(page.count));
    miniblocks_ = miniblocks;
    each_ = block / miniblocks;
  }

  void read(double* out, Index count) override {
    while (count > 0) {
      const Index now = std::min(delta_piece, count);
      if (page_.column.width == 4)
        read_as<std::uint32_t>(out, now);
      else
        read_as<std::uint64_t>(out, now);
      out += now;
      count -= now;
    }
  }

 private:
  [[noreturn]] void refuse(const char* why) const {
    refuse_values(page_.place, page_.encoding, why);
  }

  std::uint64_t number() {
    std::uint64_t out = 0;
    if (!take_varint(bytes_, out)) refuse("they end too early");
    return out;
  }
  std::uint64_t signed_number() {
    const std::uint64_t code = number();
    return (code >> 1) ^ (0 - (code & 1));
  }

  template <class Stored>
  void read_as(double* out, Index count) {
    std::array<Stored, to_size(delta_piece)> stored;
    for (Index i = 0; i < count; ++i) stored[to_size(i)] = static_cast<Stored>(next());
    to_doubles(page_.column, reinterpret_cast<const char*>(stored.data()), count, out);
  }

  std::uint64_t next() {
    if (first_) {
      first_ = false;
      return value_;
    }
    if (left_ == 0) open_miniblock();
    value_ += least_ + bits_at(packed_, bit_, width_);
    bit_ += width_;
    --left_;
    return value_;
  }

  void open_miniblock() {
    if (widths_.empty()) open_block();
    width_ = static_cast<unsigned char>(widths_.front());
    widths_.remove_prefix(1);
    if (width_ > 64) refuse("a difference has more than 64 bits");
    const std::size_t size = each_ / 8 * width_;
    if (size > bytes_.size()) refuse("they end too early");
    packed_ = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    bit_ = 0;
    left_ = each_;
  }

  void open_block() {
    least_ = signed_number();
    if (bytes_.size() < miniblocks_) refuse("they end too early");
    widths_ = bytes_.substr(0, miniblocks_);
    bytes_.remove_prefix(miniblocks_);
  }

  EncodedPage page_;
  std::string_view bytes_;  // behind what was read
  std::uint64_t miniblocks_ = 0, each_ = 0;
  bool first_ = true;
  std::uint64_t value_ = 0, least_ = 0;
  std::string_view widths_;  // of the miniblocks that follow in this block
  std::string_view packed_;
  std::size_t bit_ = 0;
  unsigned width_ = 0;
  std::uint64_t left_ = 0;  // values of the miniblock
};

}  // namespace

std::unique_ptr<Values> delta_values(const EncodedPage& page) {
  return std::make_unique<DeltaValues>(page);
}

}  // namespace polyak::io::parquet
