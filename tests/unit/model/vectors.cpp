// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/model/vectors.h"

#include <fstream>

namespace pbc::model {

const nlohmann::json &vectorNamed(const std::string &name) {
  static const nlohmann::json all = [] {
    std::ifstream in(PBC_SOURCE_DIR "/tests/unit/model/cost_models_vectors.json");
    return nlohmann::json::parse(in);
  }();
  return all.at(name);
}

} // namespace pbc::model
