// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/body_length.h"
#include "compiler/kernel/formula.h"
#include <algorithm>

namespace pbc::kernel {

bool hasBodyLoops(const Kernel &kernel) {
  return std::any_of(kernel.statements.begin(), kernel.statements.end(),
                     [](const Statement &s) { return static_cast<int>(s.dimensions.size()) > s.freeCount; });
}

std::string whyTooLong(const Kernel &kernel, long most) {
  long total = 0;
  for (const Statement &s : kernel.statements) {
    long perPoint = 1;
    for (int d = s.freeCount; d < static_cast<int>(s.dimensions.size()); ++d) {
      const std::optional<long> trips = tripCount(s.domain.intersect_params(kernel.context), d);
      if (!trips)
        return "the loop over `" + s.dimensions[d] + "` has no constant length";
      perPoint *= *trips;
      if (perPoint > most)
        return "the loop over `" + s.dimensions[d] + "` has more than " + std::to_string(most) +
               " iterations";
    }
    total += perPoint;
  }
  return hasBodyLoops(kernel) && total > 2 * most ? "the body would become too long" : "";
}

static int functionsIn(const ExprPtr &e) {
  if (!e)
    return 0;
  int count = e->kind == Expr::Kind::Call;
  for (const ExprPtr &operand : e->operands)
    count += functionsIn(operand);
  return count;
}

int functionsCalled(const Kernel &kernel) {
  int count = 0;
  for (const Statement &s : kernel.statements)
    count += functionsIn(s.value);
  return count;
}

} // namespace pbc::kernel
