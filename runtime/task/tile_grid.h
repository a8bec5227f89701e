// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tiles of a wavefront: how many there are, which points each has, which tiles wait for it.
//
// A tile's position is a number for each dimension of the box. In diamonds of a place z and steps t
// (TimeShape) the tile (a, b) has the points with
//
//   a S <= z + up t - z0 < (a + 1) S,  b S <= down t - z - b0 < (b + 1) S
//
// All tiles with the same a + b form a layer: they are computed at about the same time and do not wait for
// each other. A tile's position is its layer, in the dimension of time, and the column a - offset(layer), in
// that of z. Columns go straight up in time, so that the columns that have cells are about the same in all
// layers.
//
//   layer 2   \__/\__/\__/        waits for layer 1 on both sides
//   layer 1   /  \  /  \  /        S cells wide, 2 S / (up + down) steps high
//   layer 0   \__/\__/\__/        its middle is the first step
//
// If one tile of the grid can be reached from another, every tile between them is in the grid too, so that
// counting predecessors in it is enough.
#pragma once
#include "runtime/abi/loops.h"

namespace pb {

class TileGrid {
public:
  static constexpr int kMostRank = 5;

  /// `shape`: null for a wavefront that is not through time. size[d] <= 0: not cut in d.
  TileGrid(const Box &, const TimeShape *shape, const Split &size);

  int rank() const { return box_.rank; }
  /// The number of positions in dimension d.
  long count(int d) const { return count_[d]; }
  /// The number of positions in all dimensions together.
  long tiles() const;
  /// Calls `function` for the points of a tile: one step of time after the other, or several steps in one
  /// call if they have the same places.
  void run(const long *position, BoxFunction function, const void *context) const;

  /// Moves to the tile that follows in dimension d; false if there is none.
  bool next(long *position, int d) const;
  /// Moves to the tile that precedes in dimension d; false if there is none.
  bool previous(long *position, int d) const;

  /// The dimension of columns of diamonds; -1: tiles are not diamonds.
  int columns() const { return columns_; }
  int layers() const { return columns_ < 0 ? -1 : time_; }
  /// The number of values of a, and the layers that have tiles with a given a.
  long slants() const { return count_[columns_] + offset(count_[time_] - 1); }
  long firstLayer(long a) const;
  long afterLastLayer(long a) const;
  long column(long a, long layer) const { return a - offset(layer); }

private:
  long offset(long layer) const { return layer * up_ / (up_ + down_); }
  /// By how many columns the tile with the same `a` lies further left in the next layer.
  long shift(long layer) const { return offset(layer + 1) - offset(layer); }
  bool isOfDiamonds(int d) const { return columns_ >= 0 && (d == columns_ || d == time_); }
  bool hasDiamond(const long *position) const;

  Box box_;
  long size_[kMostRank] = {}, count_[kMostRank] = {};
  long slope_[kMostRank] = {}; // by which tiles move along time
  int time_ = -1;              // -1: they do not move
  int columns_ = -1;
  long up_ = 0, down_ = 0;
  long margin_ = 0; // cells between the left end of the first diamond and the first place
};

} // namespace pb
