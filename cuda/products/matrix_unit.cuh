#pragma once

// A 16 × 8 piece of a product of matrices in double, by one warp: 16 terms to each entry. The
// matrix units of sm_90 take the piece as one instruction, those of sm_80 in eight; older devices
// exchange the numbers between lanes.
//
// Where the numbers are (lane l, g = l / 4, q = l % 4), as the matrix units want them: left
// factor of[2s + h] = left(g + 8h, 4s + q); right factor of[s] = right(4s + q, g); the piece
// of[2h + e] = piece(g + 8h, 2q + e).

namespace polyak::cuda {

struct Left {
  double of[8];
};
struct Right {
  double of[4];
};
struct Piece {
  double of[4];
};

#if defined(__CUDACC__)
__device__ inline void multiply_add(const Left& a, const Right& b, Piece& c) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(c.of[0]), "+d"(c.of[1]), "+d"(c.of[2]), "+d"(c.of[3])
      : "d"(a.of[0]), "d"(a.of[1]), "d"(a.of[2]), "d"(a.of[3]), "d"(a.of[4]), "d"(a.of[5]),
        "d"(a.of[6]), "d"(a.of[7]), "d"(b.of[0]), "d"(b.of[1]), "d"(b.of[2]), "d"(b.of[3]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
  for (int s = 0; s < 4; ++s)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
          : "+d"(c.of[2 * h]), "+d"(c.of[2 * h + 1])
          : "d"(a.of[2 * s + h]), "d"(b.of[s]));
#else
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4 * 4, q = lane % 4;
#pragma unroll
  for (int s = 0; s < 4; ++s)
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const double top = __shfl_sync(~0u, a.of[2 * s], g + k);
      const double bottom = __shfl_sync(~0u, a.of[2 * s + 1], g + k);
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const double right = __shfl_sync(~0u, b.of[s], 4 * (2 * q + e) + k);
        c.of[e] = __fma_rn(top, right, c.of[e]);
        c.of[2 + e] = __fma_rn(bottom, right, c.of[2 + e]);
      }
    }
#endif
}
#endif

}  // namespace polyak::cuda
