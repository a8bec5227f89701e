// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The passes, one function each. The table in pipeline.cpp gives their order, with the reasons.
//
// A pass reads and writes a Compilation (compilation.h), reports errors through its diagnostics, and throws Refusal
// or InternalError (problems.h) if an error has no place in a file.
#pragma once
#include "compiler/driver/compilation.h"

namespace pbc::driver {

// read_passes.cpp: from the source file to the facts about bodies
void readSource(Compilation &);
void preprocess(Compilation &);
void lookForFinishedProgram(Compilation &);
void parse(Compilation &);
void check(Compilation &);
void understandBodies(Compilation &);

// plan_passes.cpp: which rule runs where, when and how
void chooseGrids(Compilation &);
void plan(Compilation &);
void foldVersions(Compilation &);
void readConfiguration(Compilation &);
void makeKernels(Compilation &);

// build_passes.cpp: from plans to files
void emitUnits(Compilation &);
void compileUnits(Compilation &);
void linkProgram(Compilation &);
void writeFiles(Compilation &);

/// Throws InternalError if there are violations of a pass's invariants.
void requireNone(const char *pass, const std::vector<std::string> &violations);

/// Calls requireNone() in builds with PBC_VERIFY; in other builds `find` is not called.
template <class F>
void verify([[maybe_unused]] const char *pass, [[maybe_unused]] F find) {
#ifdef PBC_VERIFY
  requireNone(pass, find());
#endif
}

} // namespace pbc::driver
