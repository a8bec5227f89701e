// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/verdict.h"
#include <fmt/format.h>

namespace pbc::emulate {
namespace {

constexpr double kSignificant = 0.30;

} // namespace

Verdict verdictOf(const Analysis &analysis) {
  Verdict made;
  made.isBalanced = analysis.isBalanced();
  if (!analysis.all.empty())
    made.bottleneck = analysis.all.front();
  if (analysis.all.size() > 1 && analysis.all[1].value > 0)
    made.next = analysis.all[1];
  if (made.bottleneck) {
    made.isClear = made.bottleneck->value >= kSignificant;
    made.isMixed = made.isBalanced || (made.next && made.next->value >= made.bottleneck->value / 2);
  }
  return made;
}

std::string nameOf(const Parameter &parameter, const Core &core) {
  if (parameter.resource == Parameter::kIssue)
    return "issue";
  const std::string mode = parameter.mode == Mode::Latency ? " latency" : " throughput";
  return (parameter.resource == Parameter::kBarrier
              ? "barrier"
              : core.resources[static_cast<std::size_t>(parameter.resource)].name) +
         mode;
}

std::string sentence(const Verdict &verdict, const Core &core) {
  if (!verdict.bottleneck)
    return "nothing limits it: it has no instructions";
  const auto named = [&](const Elasticity &e) {
    return fmt::format("{} ({:.2f})", nameOf(e.parameter, core), e.value);
  };
  std::string text = (verdict.isClear ? "limited by " : "limited by nothing in particular; most by ") +
                     named(*verdict.bottleneck);
  if (verdict.next)
    text += (verdict.next->value >= verdict.bottleneck->value / 2 ? ", as much by " : ", next ") +
            named(*verdict.next);
  return text + (verdict.isBalanced ? "; two limits meet here, so that less of one alone brings little" : "");
}

} // namespace pbc::emulate
