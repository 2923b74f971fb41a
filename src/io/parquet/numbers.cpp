#include "io/parquet/numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace polyak::io::parquet {
namespace {

__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

template <class Value>
void convert(const char* stored, Index count, double* out) {
  for (Index i = 0; i < count; ++i) {
    Value value;
    std::memcpy(&value, stored + to_size(i) * sizeof value, sizeof value);
    out[i] = static_cast<double>(value);
  }
}

// Sign, 5 bits of the exponent, 10 of the fraction.
double half_value(std::uint16_t bits) {
  constexpr int largest = 31, bias = 15, digits = 10;
  const int exponent = bits >> digits & largest, fraction = bits & 0x3ff;
  double size = std::ldexp(fraction, 1 - bias - digits);
  if (exponent > 0) size = std::ldexp(fraction + (1 << digits), exponent - bias - digits);
  if (exponent == largest)
    size = fraction == 0 ? std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  return bits >> 15 ? -size : size;
}

void convert_half(const char* stored, Index count, double* out) {
  for (Index i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, stored + to_size(i) * sizeof bits, sizeof bits);
    out[i] = half_value(bits);
  }
}

constexpr int exact_powers = 22;  // 10^22 is the largest power of ten that is a double

constexpr std::array<double, exact_powers + 1> powers_of_ten() {
  std::array<double, exact_powers + 1> out{1.0};
  for (std::size_t k = 1; k < out.size(); ++k) out[k] = 10.0 * out[k - 1];
  return out;
}
constexpr auto power = powers_of_ten();

// value / 10^scale through its text, which from_chars rounds correctly.
double decimal_through_text(Wide value, int scale) {
  std::array<char, 64> text;
  char* first = text.data() + 40;
  char* last = std::to_chars(first, text.data() + text.size(), -scale).ptr;
  *--first = 'e';
  WideUnsigned digits =
      value < 0 ? 0 - static_cast<WideUnsigned>(value) : static_cast<WideUnsigned>(value);
  do *--first = static_cast<char>('0' + static_cast<int>(digits % 10));
  while ((digits /= 10) != 0);
  double out = 0.0;
  std::from_chars(first, last, out);
  return value < 0 ? -out : out;
}

// Both numbers of the quotient are doubles: it is rounded once.
double decimal(Wide value, int scale) {
  constexpr Wide exact = Wide{1} << 53;
  if (value < -exact || value > exact || scale > exact_powers)
    return decimal_through_text(value, scale);
  return static_cast<double>(value) / power[static_cast<std::size_t>(scale)];
}

template <class Value>
void convert_decimal(int scale, const char* stored, Index count, double* out) {
  for (Index i = 0; i < count; ++i) {
    Value value;
    std::memcpy(&value, stored + to_size(i) * sizeof value, sizeof value);
    out[i] = decimal(value, scale);
  }
}

// Two's complement, the highest byte first.
Wide big_endian(const char* stored, int width) {
  WideUnsigned bits = static_cast<signed char>(stored[0]) < 0 ? ~WideUnsigned{0} : 0;
  for (int k = 0; k < width; ++k) bits = bits << 8 | static_cast<unsigned char>(stored[k]);
  return static_cast<Wide>(bits);
}

}  // namespace

void to_doubles(const Column& column, const char* stored, Index count, double* out) {
  if (count == 0) return;
  switch (column.number) {
    case Number::float64: std::memcpy(out, stored, to_size(count) * sizeof *out); return;
    case Number::float32: return convert<float>(stored, count, out);
    case Number::int32: return convert<std::int32_t>(stored, count, out);
    case Number::uint32: return convert<std::uint32_t>(stored, count, out);
    case Number::int64: return convert<std::int64_t>(stored, count, out);
    case Number::uint64: return convert<std::uint64_t>(stored, count, out);
    case Number::float16: return convert_half(stored, count, out);
    case Number::decimal32: return convert_decimal<std::int32_t>(column.scale, stored, count, out);
    case Number::decimal64: return convert_decimal<std::int64_t>(column.scale, stored, count, out);
    case Number::decimal_bytes:
      for (Index i = 0; i < count; ++i)
        out[i] = decimal(big_endian(stored + i * column.width, column.width), column.scale);
      return;
    case Number::boolean: return;
  }
}

}  // namespace polyak::io::parquet
