// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/overhead.h"

#include "compiler/model/time/whole.h"

namespace pbc::model {
namespace {

/// Extents of the inner dimensions and of the slice, as products.
struct InnerSizes {
  double extents = 1, slice = 1;
};

InnerSizes innerSizes(const StencilProblem &p, const Tile &tile) {
  InnerSizes sizes;
  for (std::size_t d = 1; d < static_cast<std::size_t>(p.stencil.dimensions); ++d) {
    sizes.extents *= static_cast<double>(p.extents[d]);
    sizes.slice *= static_cast<double>(tile.space[d]);
  }
  return sizes;
}

} // namespace

Overhead overheadOf(const StencilMachine &m, const StencilProblem &p, const Tile &tile,
                    const StencilTime &t) {
  const Hexagon hexagon{tile.space[0], tile.time, p.stencil.radius};
  const InnerSizes inner = innerSizes(p, tile);
  const double count = static_cast<double>(t.wavefronts), height = static_cast<double>(tile.time);
  const double groups = count * static_cast<double>(t.rounds);               // of one unit
  const double tiles = static_cast<double>(t.rounds * t.resident);           // of one unit in a wavefront
  const double slices = groups * static_cast<double>(t.resident * t.slices); // of one unit
  const double turns = (t.compute - height * m.barrier) / p.iteration;       // of the lanes, in a slice

  Overhead o;
  o.time = count * height / (2 * static_cast<double>(p.steps));
  o.wavefront = tiles * static_cast<double>(m.units) * static_cast<double>(hexagon.pitch()) /
                static_cast<double>(p.extents[0]);
  o.fringe = static_cast<double>(t.slices) * inner.slice / inner.extents;
  o.lanes = turns * static_cast<double>(m.lanes) / (static_cast<double>(hexagon.area()) * inner.slice);
  o.ideal = idealTime(m, p);
  o.launches = count * m.launch;
  o.isComputeBound = t.compute >= t.transfer;
  // The number of its slices that compute while nothing is transferred: all, or those at the ends of a
  // pipeline.
  double shown = slices;
  if (!o.isComputeBound && t.resident > 1)
    shown = p.stencil.dimensions == 1 ? groups : 0;
  o.computing = shown * turns * p.iteration;
  o.barriers = shown * height * m.barrier;
  o.transfers = t.total - o.launches - o.computing - o.barriers;
  return o;
}

double printedOverhead(const StencilProblem &p, const Tile &tile) {
  return p.iteration * static_cast<double>(p.extents[0]) * static_cast<double>(p.steps) /
         (static_cast<double>(tile.space[0]) + static_cast<double>(tile.time) / 2);
}

double rowOverhead(const StencilMachine &m, const StencilProblem &p, const Tile &tile, double wasted) {
  const Hexagon hexagon{tile.space[0], tile.time, p.stencil.radius};
  const double rows = 2 * static_cast<double>(p.steps) * static_cast<double>(p.extents[0]) /
                      static_cast<double>(hexagon.pitch());
  double slices = 1;
  for (std::size_t d = 1; d < static_cast<std::size_t>(p.stencil.dimensions); ++d)
    slices *= static_cast<double>(roundedUp(p.extents[d] + p.stencil.radius * tile.time, tile.space[d]));
  return rows * slices / static_cast<double>(m.units) * (wasted * p.iteration + m.barrier);
}

} // namespace pbc::model
