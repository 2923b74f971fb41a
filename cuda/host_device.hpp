#pragma once

// Functions marked POLYAK_HOST_DEVICE are compiled for the host by any C++20 compiler,
// where the tests run them, and for both by nvcc.

#if defined(__CUDACC__)
#define POLYAK_HOST_DEVICE __host__ __device__
#else
#define POLYAK_HOST_DEVICE
#endif
