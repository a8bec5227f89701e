// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reduces the number of trials under sanitizers, which make tests at least ten times as slow.
//
//   const long trials = scaled(10'000'000);
#pragma once

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline long scaled(long trials) { return kSanitized ? trials / 10 : trials; }
