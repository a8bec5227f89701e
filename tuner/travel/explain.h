// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc config explain`: describes what a configuration makes of a program.
//
//   Sort: which rules compute the outputs of Sort
//     n below 341          InsertionSort: rule InsertionSort computes B
//     n from 341 on        MergeSort (the default): ...
//   Sort.block = 128: tunable of Sort; 1 to 4096, default 64
//
// Invariant: there is one paragraph for each choice and one line for each tunable of the program, in its
// order.
#pragma once
#include "tuner/space/configuration.h"
#include "tuner/space/provenance.h"

namespace pbc::tuner {

std::string explained(const ProgramSpace &, const Configuration &, const std::optional<Provenance> &);
std::string explainedAsJson(const ProgramSpace &, const Configuration &, const std::optional<Provenance> &);

} // namespace pbc::tuner
