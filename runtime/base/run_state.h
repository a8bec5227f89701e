// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a rule body can ask about the run that it is part of (PetabricksRuntime::isTrainingRun, untrained).
#pragma once

namespace pb::base {

/// A tuner runs the program. Set before any rule runs; false without.
void setTraining(bool);
/// The program runs with its defaults alone. Set before any rule runs; true without.
void setUntrained(bool);

} // namespace pb::base
