// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/along.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/copies.h"
#include "compiler/kernel/transform/mapped.h"
#include "compiler/kernel/tree.h"
#include <algorithm>

namespace pbc::kernel {
namespace {

/// Whether the innermost of the loops goes across the rows of the matrix from which the statement copies.
bool readsAcrossRows(const Scheduled &kernel, const Statement &copy, const LoopNode &innermost) {
  const int dimension = memberDimension(kernel, innermost.band);
  return dimension >= 0 && std::any_of(copy.accesses.begin(), copy.accesses.end(), [&](const Access &a) {
           return !a.isWrite && along(kernel, a, dimension) == Along::Strided;
         });
}

/// The loops around a copy that lie directly in each other.
std::vector<LoopNode> loopsOfCopy(const Scheduled &kernel, int copy) {
  std::vector<LoopNode> nest;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    if (statementsBelow(kernel, loop) == std::vector<int>{copy})
      nest.push_back(loop);
  return nest;
}

/// A matrix whose rows become columns is copied in strips as wide as a cache line: each line of both comes into a cache once.
Scheduled inStrips(const Scheduled &kernel, std::size_t first) {
  constexpr long kLine = 64; // bytes
  Combined steps(kernel);
  for (std::size_t s = first; s < kernel.statements.size(); ++s) {
    const Statement &copy = kernel.statements[s];
    const std::vector<LoopNode> nest = loopsOfCopy(kernel, static_cast<int>(s));
    if (nest.size() < 2 || !readsAcrossRows(kernel, copy, nest.back()))
      continue;
    std::vector<long> sizes(nest.size(), 0);
    sizes.back() = kLine / static_cast<long>(bytesOf(kernel.buffers[copy.accesses.front().buffer].element));
    steps.add(script::step("tile", labelsOf(nest), sizes));
  }
  return steps.kernel();
}

Outcome applyGmMap(const Scheduled &kernel, const Arguments &arguments) {
  const CopyRequest asked{.matrix = arguments.name("matrix"),
                          .isTransposed = arguments.name("mode") == "Transpose",
                          .isMirrored = arguments.name("mode") == "Symmetry"};
  if (kernel.schedule.target == Target::Device)
    return withMappedCopy(kernel, asked);
  Outcome copied = withCopies(kernel, asked);
  if (copied.kernel)
    copied.kernel = inStrips(*copied.kernel, kernel.statements.size());
  return copied;
}

} // namespace

Transformation gmMapTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "GM_map",
          .doc = "copies all that the kernel reads of a matrix before its loops run",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         {.name = "mode",
                          .kind = Kind::Word,
                          .doc = "how it is copied",
                          .words = {"NoChange", "Transpose", "Symmetry"}}},
          .apply = applyGmMap,
          .stage = Stage::Loops,
          .mixing = {.place = Mixing::Place::First}};
}

} // namespace pbc::kernel
