// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small steps on isl schedule trees that the transformations share.
#pragma once
#include "compiler/kernel/kernel.h"
#include <isl/schedule_node.h>

namespace pbc::kernel {

/// Marks are plain names: "vector", "unroll", "alloc:s".
isl::schedule_node insertMark(const isl::schedule_node &, const std::string &mark);
/// The name of a mark node; "" for other nodes.
std::string markName(const isl::schedule_node &);
/// "vector" or "vector:4".
bool isVectorMark(const std::string &);

bool isBand(const isl::schedule_node &);
int members(const isl::schedule_node &band);
/// One member of a band as a function of the statement instances.
isl::union_pw_aff member(const isl::schedule_node &band, int k);

/// The same for one statement; nothing if the band does not schedule it.
std::optional<isl::pw_aff> member(const isl::schedule_node &band, int k, const std::string &statement);

/// The statements' dimension that a band of one member runs over, if it does so upwards and without a shift;
/// else -1.
int memberDimension(const Kernel &, const isl::schedule_node &band);

/// The same schedule with every band split into bands of one member.
isl::schedule splitBands(const isl::schedule &);

/// The same schedule, in which each loop is to be printed once, over its whole range.
isl::schedule withSingleLoops(const isl::schedule &);

/// Replaces nodes of the schedule: `change` gets each node from the leaves upwards and returns it, changed or
/// not, at the same position.
isl::schedule mapBottomUp(const isl::schedule &,
                          const std::function<isl::schedule_node(const isl::schedule_node &)> &change);

/// Visits the nodes of the tree, parents first.
void visit(const isl::schedule_node &, const std::function<void(const isl::schedule_node &)> &);

/// Whether some loop uses vectors: it is marked `vector` or `lanes:N`.
bool isVectorised(const Kernel &);

/// Names of the statements with instances at this node.
std::vector<std::string> statementsAt(const isl::schedule_node &);
/// The index of the statement with this name; -1 if there is none.
int statementIndex(const Kernel &, const std::string &name);

} // namespace pbc::kernel
