// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures the cost of threads waiting for each other.
//
//   barrierTime(2)      =>  seconds until both threads have passed a barrier
//   threadStartTime(2)  =>  seconds to start a thread on each unit and to wait for their ends
#pragma once
#include "compiler/model/measure/sampling.h"

namespace pbc::model {

Figure barrierTime(int threads, const Sampling &);
Figure threadStartTime(int threads, const Sampling &);

} // namespace pbc::model
