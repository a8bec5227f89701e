// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `--bounds=FILE.pbcc`: the bounds of a program's rules at the sizes that are tuned, as the compiler finds them.
//
//   const auto bounds = programBounds(context, bin);    null without the option
//   evaluator.setBounds(bounds.get());
//
// They are also written into the journal, for `pbc explain ./prog` and the report. Throws TunerError if the file is not the source of the
// program.
#pragma once
#include "tuner/evaluate/lower_bounds.h"
#include "tuner/session/context.h"
#include "tuner/session/prepared_bin.h"

#include <memory>

namespace pbc::tuner {

std::unique_ptr<LowerBounds> programBounds(const SessionContext &, PreparedBin &);

} // namespace pbc::tuner
