// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `pbc config check`: compares each entry of a configuration with a program, and where it comes from with
// this machine.
//
//   sort.cfg:3:1: ok            Sort.choice
//   sort.cfg:4:1: unknown       Sort.blok: Sort has nothing to set by the name 'blok'
//                               (did you mean 'block'?); ... it is left out
#pragma once
#include "tuner/space/provenance.h"
#include "tuner/travel/fitted.h"

namespace pbc::tuner {

/// The program's entries, and one more if the machine's devices are not those of the file.
Fitted checked(const ProgramSpace &, const std::optional<Provenance> &, Fitted);

/// An entry that is not mentioned is not a mistake.
bool isAllOk(const Fitted &);

std::string asText(const std::string &file, const Fitted &);
std::string asJson(const std::string &file, const Fitted &);

} // namespace pbc::tuner
