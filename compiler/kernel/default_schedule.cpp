#include "compiler/kernel/default_schedule.h"
#include "compiler/kernel/interchange.h"
#include "compiler/kernel/jam.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/register_tile.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/tree.h"
#include "compiler/kernel/vectorise.h"
#include "compiler/kernel/verify.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <isl/schedule.h>

namespace pbc::kernel {
namespace {

// The order of the outermost band's members that has dimension 0 innermost, the last dimension outermost.
std::vector<int> localityOrder(const Kernel &kernel) {
  const isl::schedule split = splitBands(kernel.schedule);
  std::vector<int> dimensions; // per member
  isl::schedule_node node = isl::manage(isl_schedule_node_child(isl_schedule_get_root(split.get()), 0));
  while (isBand(node)) {
    const int d = memberDimension(kernel, node);
    const int s = statementIndex(kernel, statementsAt(node).front());
    if (d < 0 || d >= kernel.statements[s].freeCount)
      break;
    dimensions.push_back(d);
    node = isl::manage(isl_schedule_node_child(node.release(), 0));
  }
  std::vector<int> order(dimensions.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    order[k] = static_cast<int>(k);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return dimensions[a] > dimensions[b]; });
  return order;
}

void check([[maybe_unused]] const Kernel &kernel, [[maybe_unused]] const char *step) {
#ifdef PBC_VERIFY
  for (const std::string &complaint : verify(kernel)) {
    std::fprintf(stderr, "pbc: internal error: kernel %s after %s: %s\n", kernel.name.c_str(), step,
                 complaint.c_str());
    std::abort();
  }
#endif
}

} // namespace

Kernel defaultSchedule(const Kernel &kernel) {
  Kernel best = kernel;
  check(best, "lift");
  // A step that isl gives up on (it has a budget) is one that does not apply.
  auto attempt = [&](const char *step, const std::function<Outcome()> &f) {
    bool applies = false;
    try {
      if (Outcome o = f(); o.kernel) {
        best = std::move(*o.kernel);
        applies = true;
      } else {
        best.notes.push_back({step, o.why});
      }
    } catch (const isl::exception &) {
      best.notes.push_back({step, "it would take too long to find out whether it applies"});
    }
    check(best, step);
    return applies;
  };
  const std::vector<int> order = localityOrder(best);
  if (!std::is_sorted(order.begin(), order.end()))
    attempt("interchange", [&] { return interchange(best, order); });
  attempt("splitIntoTasks", [&] { return splitIntoTasks(best); });
  best.plain = best.schedule;
  // Long bodies in blocks of points; short ones LLVM unrolls into a vector loop.
  if (!attempt("registerTile", [&] { return registerTile(best); }))
    if (attempt("vectorise", [&] { return vectorise(best); }))
      attempt("jam", [&] { return jam(best); });
  return best;
}

} // namespace pbc::kernel
