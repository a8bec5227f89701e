// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc explain` says of matrices that a transform updates in place (sema/in_place.h):
//
//   A is updated in place
//   A is updated in place; its values before the call are copied first: the rule `Blur` reads `old A[i + 1]`, which another
//   point may have overwritten
#pragma once
#include "compiler/emit/emit.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pbc::driver {

/// Adds the entry "in_place" to an alternative, if there are such matrices.
void addInPlace(const emit::Input &, const sema::Transform &, std::size_t alternative,
                nlohmann::ordered_json &);

/// Lines, with four spaces in front.
std::string inPlaceText(const nlohmann::ordered_json &alternative);

} // namespace pbc::driver
