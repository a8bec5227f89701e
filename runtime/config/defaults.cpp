// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/config/configuration.h"
#include "runtime/config/slots.h"

namespace pb::config {

void applyDefaults(const Program &program) {
  for (int i = 0; i < program.transformCount; ++i) {
    const Transform &t = *program.transforms[i];
    for (int s = 0; s < t.siteCount; ++s)
      *t.sites[s].slot = Selector{};
    for (int k = 0; k < t.tunableCount; ++k) {
      const Tunable &tunable = t.tunables[k];
      for (int v = 0; v < tunable.values(); ++v)
        setValue(tunable, v, tunable.initial);
    }
  }
}

} // namespace pb::config
