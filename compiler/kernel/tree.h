// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small steps on isl schedule trees that the transformations share.
#pragma once
#include "compiler/kernel/realisation.h"
#include "compiler/kernel/schedule.h"
#include <isl/schedule_node.h>

namespace pbc::kernel {

/// A mark of a tree or of the loops that are made from it. It is the user pointer of the node's isl_id, which owns it; the
/// id's name is its text.
struct PlacedMark {
  Mark mark;
  /// The number of loops around, including those that run once, if withDepths() has noted it; else -1.
  int depth = -1;
};
isl::schedule_node insertMark(const isl::schedule_node &, Mark);
/// What a mark node says; nothing for other nodes.
std::optional<Mark> markAt(const isl::schedule_node &);
/// The same for nodes of loops.
std::optional<PlacedMark> markAt(const isl::ast_node &);
/// The realisation that a mark node requests, if it is of this kind.
template <class How>
std::optional<How> realisedAs(const std::optional<Mark> &mark) {
  const Realisation *how = mark ? std::get_if<Realisation>(&*mark) : nullptr;
  const How *found = how ? std::get_if<How>(how) : nullptr;
  return found ? std::optional<How>(*found) : std::nullopt;
}
template <class How>
std::optional<How> realisedAs(const isl::schedule_node &node) {
  return realisedAs<How>(markAt(node));
}
/// The same schedule, whose marks know the number of loops around them.
isl::schedule withDepths(const isl::schedule &);

bool isBand(const isl::schedule_node &);
int members(const isl::schedule_node &band);
/// One member of a band as a function of the statement instances.
isl::union_pw_aff member(const isl::schedule_node &band, int k);

/// The same for one statement; nothing if the band does not schedule it.
std::optional<isl::pw_aff> member(const isl::schedule_node &band, int k, const std::string &statement);

/// What a band of one member runs over: a dimension of its statements, without a shift.
struct MemberDirection {
  int dimension;
  bool isBackward; // over the dimension's negative
};
std::optional<MemberDirection> memberDirection(const Kernel &, const isl::schedule_node &band);
/// The same for one statement: those of several rules may number their variables differently.
std::optional<MemberDirection> memberDirection(const Statement &, const isl::schedule_node &band);
/// The dimension, if it runs upwards; else -1.
int memberDimension(const Kernel &, const isl::schedule_node &band);

/// The same schedule with every band split into bands of one member.
isl::schedule splitBands(const isl::schedule &);

/// The same schedule, whose loops run iteration by iteration, those of an item of a device, too.
isl::schedule withoutRealisations(const isl::schedule &);

/// The same schedule, in which each loop is to be printed once, over its whole range.
isl::schedule withSingleLoops(const isl::schedule &);

/// Replaces nodes of the schedule: `change` gets each node from the leaves upwards and returns it, changed or
/// not, at the same position.
isl::schedule mapBottomUp(const isl::schedule &,
                          const std::function<isl::schedule_node(const isl::schedule_node &)> &change);

/// Visits the nodes of the tree, parents first.
void visit(const isl::schedule_node &, const std::function<void(const isl::schedule_node &)> &);

/// Whether some loop is realised with vectors or in groups of lanes.
bool isVectorised(const Scheduled &);

/// Names of the statements with instances at this node.
std::vector<std::string> statementsAt(const isl::schedule_node &);
std::vector<std::string> statementsOf(const isl::union_set &instances);
/// The index of the statement with this name; -1 if there is none.
int statementIndex(const Kernel &, const std::string &name);

} // namespace pbc::kernel
