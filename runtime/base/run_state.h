// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a rule body can ask about the current run (PetabricksRuntime::isTrainingRun, untrained).
#pragma once

namespace pb::base {

/// Whether a tuner runs the program; false unless it is set, which must happen before any rule runs.
void setTraining(bool);
/// Whether the program runs with its defaults alone; true unless it is set, which must happen before any rule
/// runs.
void setUntrained(bool);

} // namespace pb::base
