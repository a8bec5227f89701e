// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configuration of one context.
//
//   Configured c = configure(library, options, slots);      // slots: the context's copy of the section
//   c.threads                                               // as the configuration says; 0: it does not
//   describe(library, *c.program, slots)                    // "[Sort]\nchoice = ..."
//
// runtime/config knows the slots of a program only. Under a lock they are filled there, and then copied to the
// context's; nothing ever runs with the library's own.
#pragma once
#include "runtime/abi/library.h"
#include <string>

namespace pb::embed {

struct Configured {
  const Program *program; // the version for this processor
  int threads = 0;
  bool placesSteps = false; // on devices
};

/// Throws Refusal.
Configured configure(const Library &, const pbc_options &, char *slots);

std::string describe(const Library &, const Program &, const char *slots);

} // namespace pb::embed
