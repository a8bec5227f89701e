// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of a compilation, in order.
//
//   Pipeline p(options);   return p.run();      // 0, or 1 with messages on standard error
//
// Invariant: a step runs only if all earlier ones reported no error; later steps never change its result.
// With PBC_VERIFY a verifier runs after each step that has one, and a violation is an internal error.
#pragma once
#include "compiler/driver/options.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pbc::kernel {
struct Kernel;
}
namespace pbc::emit {
struct Input;
}

namespace pbc::driver {

/// Compiles, or prints a stage. Returns the exit status.
int compileProgram(const Options &);

/// Calls `take` with the kernel of each rule of a program (driver/rule_kernels.h). False: the program has errors, which were
/// printed. The argument of `take` does not outlive the call.
bool eachKernel(const std::string &file, const std::function<void(const kernel::Kernel &)> &take);

/// Calls `take` with all of a program's kernels, those for devices included. False, and the argument: as eachKernel.
bool withKernels(const std::string &file, const std::vector<std::string> &words,
                 const std::function<void(const emit::Input &)> &take);

/// What `--emit=lifted` prints of a program, or `--emit=chains`; nothing if it has errors, which were printed. `words`: further options of
/// `pbc`.
std::optional<std::string> liftedKernels(const std::string &file, const std::vector<std::string> &words = {},
                                         bool withChains = false);

} // namespace pbc::driver
