// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/bound/term.h"
#include <algorithm>
#include <cmath>

namespace pbc::search {
namespace {

/// Each cell is loaded at least once if it is read, and stored at least once if it is written.
TermValue access(const TermInput &input) {
  TermValue best;
  double loads = 0, stores = 0;
  for (const NestWork::Array &array : input.work.arrays) {
    const double cells = input.view.cellsOfRow(array);
    if (cells == HUGE_VAL || array.bytes == 0)
      continue;
    const double widest = std::max(1.0, input.rates.vectorBytes / double(array.bytes));
    (array.isWritten ? stores : loads) += array.cells / std::min(cells, widest);
  }
  const auto keep = [&](double amount, double rate, std::string_view of) {
    if (rate > 0 && amount / rate > best.seconds)
      best = {amount / rate, amount, rate, of, -1, {}};
  };
  keep(loads, input.rates.loads, "loads");
  keep(stores, input.rates.stores, "stores");
  return best;
}

} // namespace

Term accessTerm() {
  return {"access", "(8)",
          "An instruction loads or stores cells of one row only, as many as a vector or a loop that is "
          "written out puts "
          "side by side.",
          "A vector along rows, or a copy with rows of the other direction (stage).", access};
}

} // namespace pbc::search
