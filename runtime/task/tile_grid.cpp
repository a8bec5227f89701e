// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/task/tile_grid.h"
#include <algorithm>

namespace pb {

namespace {

long dividedUp(long a, long b) { return a > 0 ? (a + b - 1) / b : -(-a / b); }
long dividedDown(long a, long b) { return -dividedUp(-a, b); }

} // namespace

TileGrid::TileGrid(const Box &box, const TimeShape *shape, const Split &size) : box_(box) {
  if (shape)
    for (int d = 0; d < box.rank; ++d)
      if (shape->along[d] >= 0 && shape->slope[d] > 0) {
        time_ = shape->along[d];
        slope_[d] = shape->slope[d];
      }
  const long steps = time_ < 0 ? 0 : box.high[time_] - box.low[time_];
  for (int d = 0; d < box.rank; ++d) {
    const long extent = box.high[d] - box.low[d] + (slope_[d] > 0 ? slope_[d] * (steps - 1) : 0);
    size_[d] = size.size[d] > 0 ? size.size[d] : extent;
    count_[d] = dividedUp(extent, size_[d]);
  }
  if (time_ < 0 || shape->diamond < 0)
    return;
  columns_ = shape->diamond;
  up_ = slope_[columns_];
  down_ = shape->down;
  const long side = size_[columns_], both = up_ + down_, places = box.high[columns_] - box.low[columns_];
  size_[time_] = side;
  margin_ = side > places ? (side - places) / 2 : 0;
  count_[columns_] = (both * (places - 1 + margin_) + (both - 1) * side) / (both * side) + 1;
  count_[time_] = (both * (steps - 1) + side - 1) / side + 1;
}

long TileGrid::tiles() const {
  long all = 1;
  for (int d = 0; d < box_.rank; ++d)
    all *= count_[d];
  return all;
}

void TileGrid::run(const long *position, BoxFunction function, const void *context) const {
  long low[kMostRank], high[kMostRank];
  for (int d = 0; d < box_.rank; ++d) {
    low[d] = box_.low[d] + position[d] * size_[d] + (slope_[d] > 0 ? slope_[d] * box_.low[time_] : 0);
    high[d] = low[d] + size_[d];
    if (slope_[d] == 0)
      high[d] = std::min(high[d], box_.high[d]);
  }
  if (time_ < 0)
    return function(context, low, high);
  long least = 0, most = 0; // of down t - z, in diamonds
  if (columns_ >= 0) {
    // At the first step tile (0, 0) is widest and begins at the first place, or contains all places in its
    // middle.
    const long layer = position[time_], a = position[columns_] + offset(layer), side = size_[columns_];
    const long step = box_.low[time_];
    low[columns_] = box_.low[columns_] - margin_ + up_ * step + a * side;
    high[columns_] = low[columns_] + side;
    least = down_ * step - box_.low[columns_] + margin_ - (side - 1) + (layer - a) * side;
    most = least + side;
    low[time_] = std::max(step, dividedUp(low[columns_] + least, up_ + down_));
    high[time_] = std::min(box_.high[time_], dividedDown(high[columns_] + most - 2, up_ + down_) + 1);
  }
  for (int d = 0; d < box_.rank; ++d)
    if (slope_[d] > 0) { // only steps at which it has places
      low[time_] = std::max(low[time_], dividedDown(low[d] - box_.high[d], slope_[d]) + 1);
      high[time_] = std::min(high[time_], dividedUp(high[d] - box_.low[d], slope_[d]));
    }
  long from[kMostRank], to[kMostRank]; // the steps so far that have the same places
  bool isAny = false;
  for (long t = low[time_]; t < high[time_]; ++t) {
    long begin[kMostRank], end[kMostRank];
    bool isEmpty = false, isSame = isAny;
    for (int d = 0; d < box_.rank; ++d) {
      if (d == time_)
        continue;
      begin[d] = low[d] - slope_[d] * t;
      end[d] = high[d] - slope_[d] * t;
      if (d == columns_) {
        begin[d] = std::max(begin[d], down_ * t - most + 1);
        end[d] = std::min(end[d], down_ * t - least + 1);
      }
      begin[d] = std::max(begin[d], box_.low[d]);
      end[d] = std::min(end[d], box_.high[d]);
      isEmpty |= begin[d] >= end[d];
      isSame &= isAny && begin[d] == from[d] && end[d] == to[d];
    }
    if (isSame) {
      ++to[time_];
      continue;
    }
    if (isAny)
      function(context, from, to);
    isAny = !isEmpty;
    if (isEmpty)
      continue;
    begin[time_] = t;
    end[time_] = t + 1;
    std::copy(begin, begin + box_.rank, from);
    std::copy(end, end + box_.rank, to);
  }
  if (isAny)
    function(context, from, to);
}

bool TileGrid::hasDiamond(const long *position) const {
  return position[time_] >= 0 && position[time_] < count_[time_] && position[columns_] >= 0 &&
         position[columns_] < count_[columns_];
}

bool TileGrid::next(long *position, int d) const {
  if (!isOfDiamonds(d))
    return ++position[d] < count_[d];
  const long shifted = shift(position[time_]++);
  position[columns_] += d == columns_ ? 1 - shifted : -shifted;
  return hasDiamond(position);
}

bool TileGrid::previous(long *position, int d) const {
  if (!isOfDiamonds(d))
    return --position[d] >= 0;
  const long shifted = shift(--position[time_]);
  position[columns_] -= d == columns_ ? 1 - shifted : -shifted;
  return hasDiamond(position);
}

long TileGrid::firstLayer(long a) const {
  const long least = a - count_[columns_] + 1; // offset of the layer
  return least <= 0 ? 0 : dividedUp(least * (up_ + down_), up_);
}

long TileGrid::afterLastLayer(long a) const {
  return std::min(count_[time_], dividedUp((a + 1) * (up_ + down_), up_));
}

} // namespace pb
