// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/machine/machine.h"

#include "runtime/base/closest.h"

namespace pbc::model {

const Memory &Machine::memory(const std::string &wanted) const {
  std::vector<std::string> known;
  for (const Memory &m : memories) {
    if (m.name == wanted)
      return m;
    known.push_back(m.name);
  }
  throw Problem("the description of " + name + " has no memory '" + wanted + "'" +
                    pb::base::didYouMean(wanted, known),
                known.empty() ? "add a table [[memory]] to it" : "it has " + pb::base::listed(known));
}

} // namespace pbc::model
