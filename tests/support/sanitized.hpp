#pragma once

// POLYAK_SANITIZED: a sanitizer watches. It takes terabytes of addresses, keeps
// memory of its own and some calls for itself, so that tests of limits cannot
// run beside it.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POLYAK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define POLYAK_SANITIZED 1
#endif
#endif

/// 1 under the thread sanitizer, which cannot follow a fork.
#if defined(__SANITIZE_THREAD__)
#define POLYAK_THREAD_SANITIZER 1
#elif defined(__has_feature)
#define POLYAK_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#define POLYAK_THREAD_SANITIZER 0
#endif
