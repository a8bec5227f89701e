// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/lattice.h"
#include <algorithm>
#include <numeric>
#include <optional>

namespace pb::device {
namespace {

/// `count` positions that are `stride` bytes apart.
struct Run {
  long stride, count;
};

/// The view as runs with ascending strides, the first over `unit` bytes each; runs that continue each other
/// are joined. Nothing if cells overlap. Moves the offset to the lowest cell.
std::optional<std::vector<Run>> runsOf(const View &v, long &offset) {
  std::vector<Run> dimensions;
  for (int d = 0; d < v.rank; ++d) {
    if (v.extent[d] == 1 || v.stride[d] == 0)
      continue; // the same cells again
    if (v.stride[d] < 0)
      offset += v.stride[d] * (v.extent[d] - 1);
    dimensions.push_back({std::abs(v.stride[d]), v.extent[d]});
  }
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Run &a, const Run &b) { return a.stride < b.stride; });
  const long unit = std::gcd(offset, static_cast<long>(v.elementBytes));
  std::vector<Run> runs{{unit, v.elementBytes / unit}};
  for (const Run &r : dimensions) {
    const long end = runs.back().stride * runs.back().count;
    if (r.stride < end)
      return std::nullopt;
    if (r.stride == end)
      runs.back().count *= r.count;
    else
      runs.push_back(r);
  }
  return runs;
}

} // namespace

int Lattice::find(long stride) const {
  for (int d = 0; d < rank_; ++d)
    if (stride_[d] == stride)
      return d;
  return -1;
}

void Lattice::interval(long low, long high, int first, int last, Box box, std::vector<Box> &result) const {
  if (low >= high)
    return;
  const int d = last - 1;
  const long u = stride_[d];
  if (d == first) {
    box.low[d] = low / u, box.high[d] = high / u;
    if (box.low[d] < box.high[d])
      result.push_back(box);
    return;
  }
  long begin = low / u;
  const long end = high / u;
  const auto at = [&](long from, long to) {
    box.low[d] = from, box.high[d] = to;
    return box;
  };
  if (begin == end)
    return interval(low % u, high % u, first, d, at(begin, begin + 1), result);
  if (low % u) {
    interval(low % u, u, first, d, at(begin, begin + 1), result);
    ++begin;
  }
  if (begin < end)
    interval(0, u, first, d, at(begin, end), result);
  interval(0, high % u, first, d, at(end, end + 1), result);
}

bool Lattice::refine(long stride, const std::vector<BoxSet *> &sets) {
  if (find(stride) >= 0)
    return true;
  int at = 0;
  while (at < rank_ && stride_[at] < stride)
    ++at;
  // The strides below must keep dividing it.
  if (rank_ == kMostStrides || (at > 0 ? stride % stride_[at - 1] : rank_ > 0 ? stride_[0] % stride : 0))
    return false;
  std::copy_backward(stride_ + at, stride_ + rank_, stride_ + rank_ + 1);
  stride_[at] = stride;
  ++rank_;
  for (BoxSet *set : sets) {
    std::vector<Box> converted;
    for (const Box &old : set->boxes()) {
      Box box = old;
      box.rank = rank_;
      for (int d = at + 1; d < rank_; ++d)
        box.low[d] = old.low[d - 1], box.high[d] = old.high[d - 1];
      if (at > 0) {
        const long u = stride_[at - 1];
        interval(old.low[at - 1] * u, old.high[at - 1] * u, at - 1, at + 1, box, converted);
      } else {
        box.low[0] = 0, box.high[0] = stride_[1] / stride;
        converted.push_back(box);
      }
    }
    *set = BoxSet(converted);
  }
  return true;
}

BoxSet Lattice::whole() const {
  std::vector<Box> boxes;
  Box box{rank_, {}, {}};
  if (rank_)
    interval(0, bytes_ / stride_[0] * stride_[0], 0, rank_, box, boxes);
  return BoxSet(boxes);
}

Cover Lattice::cover(const View &view, const std::vector<BoxSet *> &sets) {
  for (int d = 0; d < view.rank; ++d)
    if (view.extent[d] <= 0)
      return {};
  long offset = view.offset;
  std::optional<std::vector<Run>> runs = runsOf(view, offset);
  long unit = rank_ ? stride_[0] : runs ? (*runs)[0].stride : view.elementBytes;
  if (runs)
    unit = std::gcd(unit, (*runs)[0].stride);
  refine(unit, sets); // it divides all strides; a sixth stride is refused
  const auto inexact = [&] { return Cover{whole(), false}; };
  if (!runs || offset < 0 || stride_[0] != unit)
    return inexact();
  (*runs)[0].count *= (*runs)[0].stride / unit;
  (*runs)[0].stride = unit;
  for (const Run &r : *runs)
    if (!refine(r.stride, sets))
      return inexact();

  // Finds where the runs begin in the lattice, and which dimension belongs to which run, largest first.
  std::vector<long> part(runs->size(), 0);
  std::vector<int> first(runs->size() + 1, rank_);
  long rest = offset;
  for (std::size_t k = runs->size(); k-- > 0;) {
    const long stride = (*runs)[k].stride;
    first[k] = find(stride);
    for (int d = first[k + 1] - 1; d >= first[k]; --d) {
      if (stride_[d] % stride)
        return inexact(); // rows of another view begin in between
      part[k] += rest / stride_[d] * stride_[d];
      rest %= stride_[d];
    }
  }
  std::vector<Box> boxes{Box{rank_, {}, {}}};
  long end = unit; // the end of the cells so far, relative to where all higher coordinates are 0
  for (std::size_t k = 0; k < runs->size(); ++k) {
    const Run &run = (*runs)[k];
    end += part[k] + (run.count - 1) * run.stride;
    if (end > (first[k + 1] < rank_ ? stride_[first[k + 1]] : bytes_))
      return inexact(); // it continues into the next row of another view
    std::vector<Box> product;
    for (const Box &b : boxes)
      interval(part[k], part[k] + run.count * run.stride, first[k], first[k + 1], b, product);
    boxes = std::move(product);
  }
  return {BoxSet(boxes), true};
}

std::vector<Transfer> Lattice::transfers(const Box &box) const {
  Transfer t;
  std::vector<Run> outer;
  t.bytes = stride_[0];
  for (int d = 0; d < rank_; ++d) {
    const long count = box.high[d] - box.low[d];
    t.offset += static_cast<unsigned long>(box.low[d] * stride_[d]);
    if (count == 1)
      continue;
    if (outer.empty() && stride_[d] == static_cast<long>(t.bytes))
      t.bytes *= static_cast<unsigned long>(count);
    else if (!outer.empty() && stride_[d] == outer.back().stride * outer.back().count)
      outer.back().count *= count;
    else
      outer.push_back({stride_[d], count});
  }
  if (!outer.empty())
    t.rows = outer[0].count, t.rowStride = outer[0].stride;
  if (outer.size() > 1)
    t.planes = outer[1].count, t.planeStride = outer[1].stride;
  std::vector<Transfer> result{t};
  for (std::size_t k = 2; k < outer.size(); ++k) {
    const std::size_t before = result.size();
    for (long i = 1; i < outer[k].count; ++i)
      for (std::size_t n = 0; n < before; ++n) {
        result.push_back(result[n]);
        result.back().offset += static_cast<unsigned long>(i * outer[k].stride);
      }
  }
  return result;
}

std::vector<Transfer> Lattice::transfers(const BoxSet &set) const {
  std::vector<Transfer> result;
  for (const Box &b : set.boxes())
    for (const Transfer &t : transfers(b))
      result.push_back(t);
  return result;
}

} // namespace pb::device
