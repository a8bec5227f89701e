// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/box_set.h"
#include <algorithm>

namespace pb::device {
namespace {

bool meet(const Box &a, const Box &b) {
  for (int d = 0; d < a.rank; ++d)
    if (a.low[d] >= b.high[d] || b.low[d] >= a.high[d])
      return false;
  return true;
}

bool contains(const Box &outer, const Box &inner) {
  for (int d = 0; d < outer.rank; ++d)
    if (inner.low[d] < outer.low[d] || inner.high[d] > outer.high[d])
      return false;
  return true;
}

Box common(const Box &a, const Box &b) {
  Box r = a;
  for (int d = 0; d < a.rank; ++d)
    r.low[d] = std::max(a.low[d], b.low[d]), r.high[d] = std::min(a.high[d], b.high[d]);
  return r;
}

/// Appends the parts of `box` outside of `hole`. It cuts along the last dimension first, so that rows stay
/// long.
void cut(Box box, const Box &hole, std::vector<Box> &left) {
  for (int d = box.rank - 1; d >= 0; --d) {
    if (box.low[d] < hole.low[d]) {
      Box below = box;
      below.high[d] = box.low[d] = hole.low[d];
      left.push_back(below);
    }
    if (box.high[d] > hole.high[d]) {
      Box above = box;
      above.low[d] = box.high[d] = hole.high[d];
      left.push_back(above);
    }
  }
}

/// Makes `a` the union of both if that is a box.
bool join(Box &a, const Box &b) {
  int along = -1;
  for (int d = 0; d < a.rank; ++d) {
    if (a.low[d] == b.low[d] && a.high[d] == b.high[d])
      continue;
    if (along >= 0 || (a.high[d] != b.low[d] && b.high[d] != a.low[d]))
      return false;
    along = d;
  }
  if (along >= 0) {
    a.low[along] = std::min(a.low[along], b.low[along]);
    a.high[along] = std::max(a.high[along], b.high[along]);
  }
  return true;
}

} // namespace

BoxSet::BoxSet(const std::vector<Box> &boxes) {
  for (const Box &b : boxes)
    add(b);
}

long BoxSet::cells() const {
  long sum = 0;
  for (const Box &b : boxes_) {
    long n = 1;
    for (int d = 0; d < b.rank; ++d)
      n *= b.high[d] - b.low[d];
    sum += n;
  }
  return sum;
}

void BoxSet::add(const Box &box) {
  if (pb::isEmpty(box))
    return;
  for (const Box &b : boxes_)
    if (contains(b, box))
      return;
  subtract(box);
  boxes_.push_back(box);
  merge();
}

void BoxSet::add(const BoxSet &other) {
  if (&other == this)
    return;
  for (const Box &b : other.boxes_)
    add(b);
}

void BoxSet::subtract(const Box &box) {
  if (pb::isEmpty(box) ||
      std::none_of(boxes_.begin(), boxes_.end(), [&](const Box &b) { return meet(b, box); }))
    return;
  std::vector<Box> left;
  for (const Box &b : boxes_)
    if (meet(b, box))
      cut(b, box, left);
    else
      left.push_back(b);
  boxes_ = std::move(left);
  merge();
}

void BoxSet::subtract(const BoxSet &other) {
  if (&other == this)
    return clear();
  for (const Box &b : other.boxes_)
    subtract(b);
}

BoxSet BoxSet::intersected(const BoxSet &other) const {
  BoxSet r;
  for (const Box &a : boxes_)
    for (const Box &b : other.boxes_)
      if (meet(a, b))
        r.boxes_.push_back(common(a, b)); // disjoint, as both sets' boxes are
  r.merge();
  return r;
}

BoxSet BoxSet::without(const BoxSet &other) const {
  BoxSet r = *this;
  r.subtract(other);
  return r;
}

bool BoxSet::meets(const BoxSet &other) const {
  for (const Box &a : boxes_)
    for (const Box &b : other.boxes_)
      if (meet(a, b))
        return true;
  return false;
}

bool BoxSet::covers(const Box &box) const {
  if (pb::isEmpty(box))
    return true;
  for (const Box &b : boxes_)
    if (contains(b, box))
      return true;
  BoxSet rest(box);
  rest.subtract(*this);
  return rest.isEmpty();
}

bool BoxSet::covers(const BoxSet &other) const {
  return std::all_of(other.boxes_.begin(), other.boxes_.end(), [&](const Box &b) { return covers(b); });
}

void BoxSet::merge() {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < boxes_.size(); ++i)
      for (std::size_t k = i + 1; k < boxes_.size();)
        if (join(boxes_[i], boxes_[k])) {
          boxes_[k] = boxes_.back();
          boxes_.pop_back();
          again = true;
        } else {
          ++k;
        }
  }
}

} // namespace pb::device
