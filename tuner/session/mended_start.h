// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Examines a stored configuration before it is refreshed: the program or the file may have changed, so it may be
// wrong.
//
//   mendStart(context, bin, start);
//   progress: "the stored configuration crashes at n=65: this starts from the default instead"
//
// It is the reference of a refresh, so it is examined before anything runs for long. If it fails, the decisions that
// the change touches go back to the default; if that fails, too, all decisions do.
#pragma once
#include "tuner/session/prepared_bin.h"

namespace pbc::tuner {

/// For a refresh of a program without a goal. The budget begins when it did before.
void mendStart(const SessionContext &, PreparedBin &, StartingPoint &);

} // namespace pbc::tuner
