// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the inputs of a transform: from files, random numbers, or the program's own generator.
//
//   std::vector<Matrix> in = loadInputs(sort, {"numbers.npy"});
//   Instance i = randomInstance(program, sort, {1024}, 1, sort.generator, 2);
//   Instance part = croppedInstance(blur, photo, {640, 480, 7});
//
// Invariant: the same seed and sizes give the same inputs.
#pragma once
#include "runtime/program/runner.h"

namespace pb::program {

/// Reads one file for each input. A 0-dimensional input may be written as a number in place of a file.
std::vector<Matrix> loadInputs(const Transform &, const std::vector<std::string> &files);

/// Random inputs, or those that the transform `generator` (a name; null for none) makes. `sizes`: all size
/// variables. The generator's size variables are set from those of the same name; others become the largest
/// of `sizes`.
Instance randomInstance(const Program &, const Transform &, const std::vector<long> &sizes,
                        unsigned long seed, const char *generator, int threads);

/// The leading part of the given inputs that these sizes need. Throws base::UserError if an input is too
/// small.
Instance croppedInstance(const Transform &, const std::vector<Matrix> &inputs,
                         const std::vector<long> &sizes);

const Transform *findTransform(const Program &, const std::string &name);
/// Throws base::UserError with a suggestion and the list of transforms.
const Transform &requireTransform(const Program &, const std::string &name);

} // namespace pb::program
