// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What several transformations need: nests that hold the loops of a step, and the labels of new loops.
//
//   nestOf(scheduled, {"y", "x"})   the loops from the outermost of these to the innermost, if they lie directly in each other
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/transformation.h"
#include <cstddef>

namespace pbc::kernel {

struct Nest {
  std::vector<LoopNode> loops;        // from the first named loop to the last one, those between them, too
  std::vector<std::size_t> positions; // of the named loops, in the order in which they were named
  std::string why;                    // if `loops` is empty

  bool isWhole() const { return loops.size() == positions.size(); }
};

Nest nestOf(const Scheduled &, const std::vector<std::string> &labels);

bool usesBuffer(const Statement &, int buffer);

/// The buffer with this name, which exists.
int bufferIndex(const Kernel &, const std::string &name);

/// `wanted`, with a number behind it if a statement or a buffer has that name.
std::string freshName(const Kernel &, const std::string &wanted);

/// The loops around this one, the innermost first.
std::vector<LoopNode> around(const LoopNode &);
/// Their labels, the outermost first.
std::vector<std::string> loopsAround(const LoopNode &);

/// Whether the second loop lies in the first one, directly or not.
bool isAround(const LoopNode &outer, const LoopNode &inner);

/// The functions of loops, the outermost first.
std::vector<isl::union_pw_aff> functionsOf(const std::vector<LoopNode> &);
isl::union_pw_aff functionOf(const LoopNode &);
NewLoop asBefore(const LoopNode &);

/// The labels for the loops that a step makes: those that it names, or `byDefault` with numbers where these are taken.
/// A sentence if it names too few or too many, or one that another loop has; `given up` are labels that the step removes.
struct NewLabels {
  std::vector<std::string> labels;
  std::string why;
};
NewLabels newLabels(const Scheduled &, const Arguments &, const std::vector<std::string> &byDefault,
                    const std::vector<std::string> &givenUp);

/// The same kernel with another tree: if it breaks a dependence, the two instances that clash.
Outcome withTree(const Scheduled &, const isl::schedule &);
/// The same for a tree that runs all instances in the order in which they run already, and whose loops have the flags that they had:
/// nothing is found out again. Verifiers check it (verify.h).
Outcome inSameOrder(const Scheduled &, const isl::schedule &);

std::vector<std::string> labelsOf(const std::vector<LoopNode> &);

/// "y, x"
std::string listed(const std::vector<std::string> &);
/// "`y`, `x`", as messages name several loops.
std::string quoted(const std::vector<std::string> &);
/// "1 loop", "2 loops"
std::string counted(std::size_t number, const std::string &what);

/// The statements below a loop, by index.
std::vector<int> statementsBelow(const Kernel &, const LoopNode &);

/// A statement below the loop that has instances outside of it, too, because the iterations of a loop around were cut; "" if
/// there is none. What such a statement accesses cannot be changed for the loop alone.
std::string runsElsewhere(const Scheduled &, const LoopNode &);

/// The largest number of iterations of a loop for fixed values of the loops around it; nothing if no constant bounds it.
std::optional<long> tripCount(const Scheduled &, const LoopNode &);

/// Whether a loop has other bounds in the next step of a loop around it.
bool boundsMove(const Scheduled &, const LoopNode &inner, const LoopNode &outer);

/// Why the loop does not go up in steps of one; "" if it does.
std::string whyNotCounting(const Scheduled &, const LoopNode &);

/// Whether the steps of a loop and of those around it are one range each, so that no condition inside cuts them into
/// several loops.
bool isOneRange(const Scheduled &, const LoopNode &);

/// Why iterations of the loop cannot run at the same time: they would share scratch memory that is declared inside. "" if
/// there is none.
std::string whySharedScratch(const Kernel &, const LoopNode &);

/// Whether one iteration of the loop is complete before the next one begins.
bool isInTurn(const LoopNode &);
/// Why scratch memory cannot be declared inside of a loop: the loop, or one around it, is realised so that several iterations would use
/// it at once. "" if none is.
std::string runsAtOnce(const LoopNode &);

/// Why a loop cannot be realised in this way, whatever it is: it is realised already. "" if it is not.
std::string alreadyRealised(const LoopNode &);

} // namespace pbc::kernel
