// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ways to compute one product or two, each with its exact count and its closed form: what the command
// compares, prints and draws.
//
//   waysOfOne({936, 1008, 552})[0].exact({65536}).words      4629312, "output kept (P0 x P2)"
//
// Source: cost-models.md sections 5, 6 and 6.4.
#pragma once
#include "compiler/model/movement/closed_forms.h"
#include "runtime/abi/data_movement.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pbc::model {

struct Way {
  std::string name;
  long firstExtent = 0, secondExtent = 0; // the extents that the tile cuts
  /// Two separate products have no common tile: 0 x 0.
  std::function<pb::Tiled(pb::FastMemory)> exact;
  std::function<ClosedForm(double memory)> closed; // empty: there is none
};

/// The output, the left and the right matrix kept, in this order.
std::vector<Way> waysOfOne(const ProductSizes &);

/// For each side: separate products; fused; fused with reductions; fused with a panel of the result kept.
struct WaysOfTwo {
  std::vector<Way> left, right;
};
WaysOfTwo waysOfTwo(const FusedSizes &, Mode);

/// The closed form, if there is one for these sizes and this memory.
std::optional<ClosedForm> closedOf(const Way &, double memory);

/// Of those that fit, the way that moves least, the first among equals. Throws Problem if none fits.
const Way &leastOf(const std::vector<Way> &, const pb::FastMemory &);

/// The approximate memory size (within 5 %) from which on `way` moves less than `other`; nothing if it does
/// not below 10^15 words.
std::optional<long> paysFrom(const Way &way, const Way &other, const pb::FastMemory &);

} // namespace pbc::model
