// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/realisable.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/computation.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/transform/jam.h"
#include "compiler/kernel/transform/lanes.h"
#include "compiler/kernel/transform/stream.h"
#include "compiler/kernel/transform/support.h"
#include "compiler/kernel/transform/unroll.h"
#include "compiler/kernel/transform/vector.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>

namespace pbc::kernel {
namespace {

std::vector<LoopNode> loopsInside(const LoopNode &loop) {
  std::vector<LoopNode> all;
  visit(loop.band, [&](const isl::schedule_node &node) {
    if (const std::optional<LoopNode> inner = loopAt(node))
      all.push_back(*inner);
  });
  return all;
}

/// A loop inside that the step has made, moved or realised; "" if there is none.
std::string changedInside(const LoopNode &before, const LoopNode &after) {
  const std::vector<LoopNode> were = loopsInside(before), are = loopsInside(after);
  for (std::size_t k = 0; k < are.size(); ++k)
    if (k >= were.size() || were[k].label != are[k].label || were[k].how != are[k].how ||
        isl_union_pw_aff_plain_is_equal(functionOf(were[k]).get(), functionOf(are[k]).get()) != isl_bool_true)
      return are[k].label;
  return were.size() > are.size() ? were[are.size()].label : "";
}

/// The loops are where they were and run over the same values: the step has only said how they are realised.
bool hasSameLoops(const Scheduled &before, const std::vector<LoopNode> &were, const Scheduled &after,
                  const std::vector<LoopNode> &are) {
  return were.size() == are.size() && computesAsBefore(before, after) &&
         std::equal(were.begin(), were.end(), are.begin(), [](const LoopNode &a, const LoopNode &b) {
           return a.label == b.label &&
                  isl_union_pw_aff_plain_is_equal(functionOf(a).get(), functionOf(b).get()) == isl_bool_true;
         });
}

/// Why a loop that had a realisation before the step cannot have it any longer.
struct WhyNot {
  const Scheduled &was, &kernel;
  const LoopNode &before, &loop;
  bool isSame; // all loops are where they were

  std::string operator()(const as::Scalar &) const { return ""; }
  std::string operator()(const as::Rolled &) const { return ""; }
  std::string operator()(const as::Vector &how) const {
    const std::string why = whyNoVector(kernel, loop);
    return why.empty() && how.streaming.rows ? whyNotStreamed(kernel, loop, how.streaming) : why;
  }
  std::string operator()(const as::Jam &) const { return whyNotJammed(kernel, loop); }
  std::string operator()(const as::Unroll &) const {
    if (isSame)
      return "";
    const std::string why = whyNotUnrolled(kernel, loop);
    // One that is as long as others by conditions on its points (padding_triangular) never had a constant length.
    return why.empty() || whyNotUnrolled(was, before).empty() ? why : "";
  }
  std::string operator()(const as::Lanes &how) const {
    for (const int s : statementsBelow(kernel, loop))
      for (const Access &a : kernel.statements[static_cast<std::size_t>(s)].accesses)
        if (const Buffer &b = kernel.buffers[static_cast<std::size_t>(a.buffer)];
            b.role == Buffer::Role::Local && b.lanes != how.count)
          return fmt::format("`{}` is no array of lanes", programName(kernel, b));
    return whyNoLanes(kernel, loop);
  }
  std::string operator()(const as::Item &) const {
    return isParallel(loop.band) ? "" : "its items would need each other";
  }
  std::string operator()(const as::Rounds &) const { return ""; } // its items are asked
  std::string operator()(const as::Team &) const {
    const std::string changed = changedInside(before, loop);
    return changed.empty() ? "" : fmt::format("its steps have the loop over `{}` inside", changed);
  }
  /// A block is as it was analysed: with these loops inside, and none of them realised.
  std::string operator()(const as::Registers &) const {
    const std::string changed = changedInside(before, loop);
    return changed.empty() ? "" : fmt::format("its blocks of points have the loop over `{}` inside", changed);
  }
};

} // namespace

std::string whyNotRealisable(const Scheduled &before, const Scheduled &after) {
  const std::vector<LoopNode> now = loopsOf(after.schedule.tree), were = loopsOf(before.schedule.tree);
  const bool isSame = hasSameLoops(before, were, after, now);
  for (const LoopNode &was : were)
    for (const LoopNode &loop : now)
      if (was.how && loop.label == was.label && loop.how == was.how)
        if (const std::string why = std::visit(WhyNot{before, after, was, loop, isSame}, *loop.how);
            !why.empty())
          return fmt::format("{}: {}", alreadyRealised(loop), why);
  return "";
}

} // namespace pbc::kernel
