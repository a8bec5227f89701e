// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops whose iterations are work-items of a device.
//
//   item:1: band y: item:0: band x: S     for S[x, y] with low0 <= x < high0 and low1 <= y < high1
//   =>  parallel launch 1: item1 = low1 { if item1 < high1 {
//         parallel launch 0: item0 = low0 { if item0 < high0 { S[item0, item1] } } } }
//
// To isl's AST generator, an item's value is a parameter, and the domain has the instances of one item only: so that a loop
// of which isl knows the only iteration still belongs to one item, and what an item computes has the conditions that it needs, wherever
// isl puts them. The names of the values are in scope everywhere. Where items have blocks of points or share memory, the loop tree gets
// Points instead of launches (lower/points.cpp). Source: Verdoolaege et al., Polyhedral parallel code generation for CUDA, TACO 2013,
// section 5.
//
// Invariant: a launch has as many items along an axis as its box has values of the axis' function (kernel/transform/items.h).
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/group_conditions.h"

namespace pbc::loop {

/// The schedule without the loops of items, for the instances of one item.
isl::schedule ofOneItem(const kernel::Scheduled &);

/// The body for each item of a launch. On a device, what has no items is the first item's; elsewhere, this is the body. Machines have three axes: where a kernel
/// has more, the last one has the numbers of all further ones, the first of them fastest.
NodePtr forEachItem(const kernel::Scheduled &, NodePtr body);

/// The names along each axis of the items of groups that share memory; none for other kernels.
std::vector<GroupAxis> groupAxes(const kernel::Scheduled &);

} // namespace pbc::loop
