// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc explain` says of rules that read the same matrix: which of them take its rows in turn, and why others do not.
//
//   Sum.cell(y) from(A.row(y) a), Most.cell(y) from(A.row(y) a)
//   =>   rule0, rule1 take rows of A in turn where it is larger than the caches, so that it comes from memory once (turn_bytes)
#pragma once
#include "compiler/emit/emit.h"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pbc::driver {

/// An alternative with the entries "turns" and "no_turns" behind its others, where there are some.
nlohmann::ordered_json withTurns(nlohmann::ordered_json, const emit::Input &, const sema::Transform &,
                                 std::size_t alternative);

/// Lines, with four spaces in front.
std::string turnsText(const nlohmann::ordered_json &alternative);

} // namespace pbc::driver
