#pragma once

// Random numbers without state: draw t of iteration k is a pure function of
// (seed, stream, k, t). Nothing has to be saved or shared, and the numbers are the same
// for any number of threads, ranks or chunks.
//
// Philox4x32-10 of Random123 with counter (t/2, k) and a key computed from (seed, stream)
// by Philox itself; each block of 128 bits holds two draws. Ranges of draws are computed
// several blocks at a time, with the same bits as one by one.

#include <cstdint>

namespace polyak {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream);

  /// 64 random bits.
  std::uint64_t bits(std::uint64_t k, std::uint64_t t) const;
  /// Draws t = first .. first+count-1 of iteration k.
  void bits(std::uint64_t k, std::uint64_t first, std::uint64_t count, std::uint64_t* out) const;
  /// Draw 0 of iterations k = first .. first+count-1.
  void first_bits(std::uint64_t first, std::uint64_t count, std::uint64_t* out) const;
  /// Uniform in the open interval (0, 1).
  double uniform(std::uint64_t k, std::uint64_t t) const;
  /// Standard normals t = 0 .. count-1 of iteration k (Box-Muller by pairs).
  void normals(std::uint64_t k, std::uint64_t count, double* out) const;

 private:
  std::uint32_t key_[2];
};

/// Streams of one seed, so that no two uses share a number. Replicate r samples rows from
/// stream `sampling` + r.
namespace stream {
constexpr std::uint64_t left_vectors = 1ull << 60;   // U of a synthetic matrix
constexpr std::uint64_t right_vectors = 2ull << 60;  // V
constexpr std::uint64_t planted = 3ull << 60;        // x
constexpr std::uint64_t noise = 4ull << 60;          // epsilon
constexpr std::uint64_t entries = 5ull << 60;        // D and G of the sampling experiment
constexpr std::uint64_t lanczos = 6ull << 60;        // start vectors
constexpr std::uint64_t kernel = 7ull << 60;         // rows that represent all rows
constexpr std::uint64_t sketch = 8ull << 60;         // signs and positions of a sketch
constexpr std::uint64_t subset = 9ull << 60;         // rows of a subset that is solved or checked
constexpr std::uint64_t estimate = 10ull << 60;      // rows of an error estimate; + replicate
constexpr std::uint64_t reservoir = 11ull << 60;     // rows of a stream that are kept
constexpr std::uint64_t sampling = 0;                // row draws; + replicate
}  // namespace stream

}  // namespace polyak
