// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One run of `pbc tune --kernels`, from a source to the program made with the best kernels.
//
//   TuneOptions options{.program = "blur.pbcc", .kernels = true};
//   runKernelSession(options)  ->  ./blur, and blur.cfg with its [kernels]; exit status
//
// Variants run with the choices and tunables of the program's configuration, if there is one; those stay in
// the file as they are, and those of another version of the program are used as far as they fit.
#pragma once
#include "tuner/session.h"

namespace pbc::tuner {

/// Throws TunerError for errors that the user can correct.
int runKernelSession(const TuneOptions &);

} // namespace pbc::tuner
