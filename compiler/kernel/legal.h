// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a schedule keeps every dependence, and which loops carry none.
//
//   dependences { S[i] -> S[i+1] }   band i: sequential   band -i: illegal
//
// The only place that answers such questions; transformations ask it and never decide themselves.
#pragma once
#include "compiler/kernel/kernel.h"
#include <isl/schedule_node.h>

namespace pbc::kernel {

/// The dependences between instances for which `value` is the same.
isl::union_map equalAt(const isl::union_map &dependences, const isl::union_pw_aff &value);

/// No dependence leads to an instance with a smaller value.
bool neverDecreases(const isl::union_map &dependences, const isl::union_pw_aff &value);

/// Every dependence ends later than it begins.
bool isLegal(const isl::schedule &, const isl::union_map &dependences);

/// Member `k` of the band carries no dependence between instances that agree on all loops around it (outer
/// bands and, with `outerMembers`, the band's members before it): its iterations may run at once.
bool isParallel(const isl::schedule_node &band, int k, const isl::union_map &dependences, bool outerMembers);

/// No dependence goes backwards in any member, for fixed outer bands: members may be reordered and tiled.
bool isPermutable(const isl::schedule_node &band, const isl::union_map &dependences);

/// The schedule with coincident and permutable flags of all bands set to what the dependences say.
isl::schedule withFlags(const isl::schedule &, const isl::union_map &dependences);

} // namespace pbc::kernel
