// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The inner minimum of codesign: for each chip, the tile with which one problem takes the least time on it.
// The result is exact, as if every tile were tried on every chip; but among chips of equal units and lanes
// most tiles are ruled out at once.
//
//   CodesignTiles space(basis, stencil, iteration, tiles);
//   InnerMinima(space, problem, TimeModel::Corrected).of(designs)    {0.0987 s, tile 12}, ...
//                                                                    in the order of the designs
//
// Why it is fast: what a tile needs of transfer and lanes is computed once for each number of lanes; and no
// tile is faster than
//   Nw (Ts + w / units * slices * max(m', c))
// which holds for every number of resident tiles, thus for all sizes of shared memory together. Only tiles
// whose bound is below the best time so far are computed in full. As all figures of a tile that are needed
// come from feasibleTime, results are bit for bit those of stencilTime with the most resident tiles.
//
// Invariant: of equally fast tiles the first one in `tiles` is taken; a chip on which no tile fits has none.
// Source: cost-models.md sections 1.7, 4.1 (C.19).
#pragma once
#include "compiler/model/codesign/design.h"
#include "compiler/model/time/stencil_time.h"

#include <map>

namespace pbc::model {

enum class TimeModel {
  Corrected,   // all errata corrected: the form to trust
  Balanced,    // also allows a smaller last group of a unit, with the pipeline's ends (1.7)
  Uncontended, // units do not share the far memory's bandwidth: corrects only the errors of pitch and slices
  Printed      // as in the source; faster than any machine could be
};
const char *nameOf(TimeModel);
/// Throws Problem with the names of the models.
TimeModel timeModel(const std::string &name);

/// The properties of the machine on which the chips are modelled and that all chips share: bandwidth,
/// barrier, launch, blocks per unit, and the shared memory that a block may have at most.
StencilMachine machineOf(const Design &, const StencilMachine &basis);

/// The time of a problem on a machine, with as many resident tiles as fit. Throws Problem if the tile does
/// not fit.
double modelledTime(const StencilMachine &, const StencilProblem &, const Tile &, TimeModel);

struct InnerMinimum {
  double seconds = 0; // infinite if no tile fits
  int tile = -1;
};

/// The tiles that are tried, by rising memory, with the values that do not depend on the extents. Shared by
/// all sizes.
class CodesignTiles {
public:
  CodesignTiles(const StencilMachine &basis, const Stencil &, double iteration, std::vector<Tile> tiles);

  const StencilMachine &basis() const { return basis_; }
  const std::vector<Tile> &tiles() const { return tiles_; }
  /// A tile's index in the order in which the tiles were given.
  int given(size_t tile) const { return given_[tile]; }
  long words(size_t tile) const { return words_[tile]; }
  /// For each tile the seconds that a unit with `lanes` lanes needs to compute a slice.
  const std::vector<double> &compute(int lanes);

private:
  StencilMachine basis_;
  StencilProblem problem_; // with one point
  std::vector<Tile> tiles_;
  std::vector<int> given_;
  std::vector<long> words_;
  std::map<int, std::vector<double>> compute_;
};

class InnerMinima {
public:
  InnerMinima(CodesignTiles &, const StencilProblem &, TimeModel);

  /// Consecutive designs with equal units and lanes share their work.
  std::vector<InnerMinimum> of(const std::vector<Design> &designs);

private:
  struct Fit { // the tiles that a design's shared memory allows
    long unitWords = 0, blockWords = 0;
    size_t tiles = 0; // the number of such tiles, which come first
  };

  Fit fitOf(const Design &) const;
  void setBounds(const std::vector<double> &compute, int units);
  double transfer(size_t tile, int units) const;
  double timeOf(size_t tile, const std::vector<double> &compute, const Fit &, int units) const;
  void minimaOf(const Design *designs, size_t count, InnerMinimum *out);

  CodesignTiles &space_;
  int dimensions_;
  TimeModel model_;
  TimeForm form_;
  std::vector<double> wavefronts_, slices_, moved_; // of each tile
  std::vector<long> width_;
  std::vector<double> bound_; // lower bounds of the time, for the current units
  std::vector<size_t> candidates_;
};

} // namespace pbc::model
