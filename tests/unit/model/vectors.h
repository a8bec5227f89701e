// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The specification's figures, as its own script computed them (cost_models_vectors.json: name -> value).
//
//   vector("(8.5) printed overhead / true Talg-Tideal")   the first value of that name
//
// Invariant: each name occurs once.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace pbc::model {

/// Throws std::out_of_range if there is none of this name, so that a test cannot pass because its figure is
/// missing.
const nlohmann::json &vectorNamed(const std::string &name);

} // namespace pbc::model
