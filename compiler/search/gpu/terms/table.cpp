// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_term.h"

namespace pbc::search {

#define GPU_TERM(name) GpuTerm gpu##name##Term();
#include "compiler/search/gpu/terms/list.inc"
#undef GPU_TERM

const std::vector<GpuTerm> &gpuTerms() {
  static const std::vector<GpuTerm> all = {
#define GPU_TERM(name) gpu##name##Term(),
#include "compiler/search/gpu/terms/list.inc"
#undef GPU_TERM
  };
  return all;
}

} // namespace pbc::search
