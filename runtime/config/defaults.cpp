#include "runtime/config/configuration.h"

namespace pb::config {

void applyDefaults(const Program &program) {
  for (int i = 0; i < program.transformCount; ++i) {
    const Transform &t = *program.transforms[i];
    for (int s = 0; s < t.siteCount; ++s)
      *t.sites[s].slot = Selector{};
    for (int k = 0; k < t.tunableCount; ++k) {
      const Tunable &tunable = t.tunables[k];
      if (tunable.kind == TunableKind::Integer)
        *tunable.integerSlot = static_cast<long>(tunable.initial);
      else
        *tunable.floatSlot = tunable.initial;
    }
  }
}

} // namespace pb::config
