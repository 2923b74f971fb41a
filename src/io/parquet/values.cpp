#include "io/parquet/values.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "io/parquet/bits.hpp"
#include "io/parquet/numbers.hpp"
#include "io/parquet/runs.hpp"

namespace polyak::io::parquet {
namespace {

constexpr Index piece = 512;        // values that are unpacked together
constexpr Index widest = 16;        // bytes of a value
constexpr unsigned most_bits = 32;  // of an index

class PlainValues final : public Values {
 public:
  explicit PlainValues(const EncodedPage& page) : column_(page.column), next_(page.bytes.data()) {}
  void read(double* out, Index count) override {
    to_doubles(column_, next_, count, out);
    next_ += count * column_.width;
  }

 private:
  const Column& column_;
  const char* next_;
};

// All first bytes of the values, then all second bytes, ...
class SplitValues final : public Values {
 public:
  explicit SplitValues(const EncodedPage& page)
      : column_(page.column), next_(page.bytes.data()), count_(page.count) {}
  void read(double* out, Index count) override {
    for (Index done = 0; done < count; done += piece) {
      const Index now = std::min(piece, count - done);
      gather(now);
      to_doubles(column_, whole_.data(), now, out + done);
      next_ += now;
    }
  }

 private:
  void gather(Index count) {
    const Index width = column_.width;
    for (Index k = 0; k < width; ++k)
      for (Index i = 0; i < count; ++i) whole_[to_size(i * width + k)] = next_[k * count_ + i];
  }

  const Column& column_;
  const char* next_;
  Index count_;
  std::array<char, to_size(piece* widest)> whole_;
};

class PlainBooleans final : public Values {
 public:
  explicit PlainBooleans(const EncodedPage& page) : bytes_(page.bytes) {}
  void read(double* out, Index count) override {
    for (Index i = 0; i < count; ++i, ++next_) out[i] = bytes_[next_ / 8] >> (next_ % 8) & 1;
  }

 private:
  std::string_view bytes_;
  std::size_t next_ = 0;
};

// Values that are looked up: in the dictionary, or in {0, 1} for booleans.
class IndexedValues final : public Values {
 public:
  IndexedValues(const EncodedPage& page, Runs runs, std::span<const double> values)
      : place_(page.place), encoding_(page.encoding), runs_(runs), values_(values) {}

  void read(double* out, Index count) override {
    while (count > 0) {
      const Run run = runs_.take(std::min(piece, count));
      if (run.length == 0) refuse_values(place_, encoding_, "they end too early");
      if (run.packed)
        look_up(run, out);
      else
        std::fill_n(out, run.length, value(run.value));
      out += run.length;
      count -= run.length;
    }
  }

 private:
  double value(std::uint32_t index) const {
    if (index < values_.size()) return values_[index];
    refuse_values(place_, encoding_, "an index is outside of the dictionary");
  }

  // The largest index is compared once, not each in turn.
  void look_up(const Run& run, double* out) {
    const unsigned width = runs_.width();
    std::uint32_t largest = 0;
    for (Index i = 0; i < run.length; ++i) {
      const std::size_t bit = (run.first + to_size(i)) * width;
      const auto index = static_cast<std::uint32_t>(bits_at(run.bits, bit, width));
      indices_[to_size(i)] = index;
      largest = std::max(largest, index);
    }
    (void)value(largest);
    for (Index i = 0; i < run.length; ++i) out[i] = values_[indices_[to_size(i)]];
  }

  Place place_;
  Encoding encoding_;
  Runs runs_;
  std::span<const double> values_;
  std::array<std::uint32_t, to_size(piece)> indices_;
};

// A byte with the number of bits, then the runs.
std::unique_ptr<Values> dictionary_values(const EncodedPage& page,
                                          std::span<const double> dictionary) {
  if (page.bytes.empty()) refuse_values(page.place, page.encoding, "there are none");
  const auto width = static_cast<unsigned char>(page.bytes.front());
  if (width > most_bits) refuse_values(page.place, page.encoding, "an index has more than 32 bits");
  return std::make_unique<IndexedValues>(page, Runs(page.bytes.substr(1), width), dictionary);
}

// The length of the runs in four bytes, then the runs.
std::unique_ptr<Values> boolean_runs(const EncodedPage& page) {
  static constexpr std::array values{0.0, 1.0};
  constexpr std::size_t length_bytes = 4;
  if (page.bytes.size() < length_bytes)
    refuse_values(page.place, page.encoding, "they end too early");
  const std::string_view runs = page.bytes.substr(length_bytes);
  const std::size_t length = eight_bytes(page.bytes.substr(0, length_bytes), 0);
  if (length > runs.size()) refuse_values(page.place, page.encoding, "they end too early");
  return std::make_unique<IndexedValues>(page, Runs(runs.substr(0, length), 1), values);
}

std::unique_ptr<Values> plain_booleans(const EncodedPage& page) {
  if (static_cast<Index>(page.bytes.size()) < (page.count + 7) / 8)
    refuse_values(page.place, page.encoding, "they end too early");
  return std::make_unique<PlainBooleans>(page);
}

// fastparquet appends eight zeros to the values of PLAIN.
void check_size(const EncodedPage& page, Index most_appended) {
  const Index expected = page.count * page.column.width;
  const Index more = static_cast<Index>(page.bytes.size()) - expected;
  if (more < 0 || more > most_appended)
    page.place.refuse("the values of a page have an impossible length",
                      std::to_string(page.bytes.size()) + " bytes", std::to_string(expected));
}

[[noreturn]] void refuse_encoding(const EncodedPage& page) {
  page.place.refuse("the encoding of the values is not supported", encoding_name(page.encoding),
                    "PLAIN, a dictionary, RLE (booleans), DELTA_BINARY_PACKED (integers) or "
                    "BYTE_STREAM_SPLIT",
                    "write the table again with other encodings");
}

}  // namespace

std::unique_ptr<Values> open_values(const EncodedPage& page, std::span<const double> dictionary) {
  const Physical type = page.column.physical;
  const bool boolean = type == Physical::boolean;
  const bool integer = type == Physical::int32 || type == Physical::int64;
  switch (page.encoding) {
    case Encoding::plain:
      if (boolean) return plain_booleans(page);
      check_size(page, 8);
      return std::make_unique<PlainValues>(page);
    case Encoding::plain_dictionary:
    case Encoding::rle_dictionary: return dictionary_values(page, dictionary);
    case Encoding::rle:
      if (!boolean) refuse_encoding(page);
      return boolean_runs(page);
    case Encoding::delta:
      if (!integer) refuse_encoding(page);
      return delta_values(page);
    case Encoding::byte_stream_split:
      if (boolean) refuse_encoding(page);
      check_size(page, 0);
      return std::make_unique<SplitValues>(page);
    default: refuse_encoding(page);
  }
}

void refuse_values(const Place& place, Encoding encoding, const char* why) {
  place.refuse("the values of a page are damaged: " + std::string(why), encoding_name(encoding));
}

}  // namespace polyak::io::parquet
