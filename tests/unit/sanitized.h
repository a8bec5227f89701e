// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reduces the number of trials under sanitizers, which make tests at least ten times as slow.
//
//   const long trials = scaled(10'000'000);
#pragma once
#include <cstdlib>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// PBC_ALL=1 in the environment asks for all that is otherwise left out because it costs much and shows little more.
inline bool testsAll() { return std::getenv("PBC_ALL") != nullptr; }

/// Sanitizers look at the compiler, not at the code that it makes, which the tests of the release build compile and run.
inline bool runsMadeCode() { return !kSanitized || testsAll(); }

inline long scaled(long trials) { return kSanitized ? trials / 10 : trials; }
