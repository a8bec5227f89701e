// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/group_rows.h"
#include <algorithm>
#include <numeric>

namespace pbc::kernel {
namespace {

constexpr long kBanks = 128, kWord = 4; // bytes
constexpr long kAligned = 16;           // of the widest access
constexpr long kColumnsOfCopy = 8;      // of a matrix whose rows become columns

long modulo(long value, long of) { return (value % of + of) % of; }

/// How many neighbours in a row of the matrix a copy takes at once that lays them in different rows of the memory: 8, or all of shorter rows.
long columnsAtOnce(const GroupBox &box) {
  const GroupDimension &row = box.dimensions.front();
  const bool isShort =
      box.dimensions.size() == 2 && row.axis < 0 && row.sizes.empty() && row.extent < kColumnsOfCopy;
  return isShort && kColumnsOfCopy % row.extent == 0 ? row.extent : kColumnsOfCopy;
}

/// Whether a row whose cells do not move with items begins at the same bank as the one behind it.
bool fillsBanks(const GroupDimension &row, long bytes) {
  return row.sizes.empty() && row.extent * bytes % kBanks == 0;
}

/// The dimension that is the memory's first.
const GroupDimension &rowOf(const GroupBox &box, bool isTransposed) {
  if (!isTransposed)
    return box.dimensions.front();
  const auto block = std::find_if(box.dimensions.begin(), box.dimensions.end(),
                                  [](const GroupDimension &d) { return d.axis >= 0 && d.isBlock; });
  return block == box.dimensions.end() ? box.dimensions.back() : *block;
}

/// Rows in so many parts, each of which is for other items than its neighbours. Parts begin in different banks, and rows behind what the copy
/// has filled of the row in front.
void layParts(CopyRequest &copy, const GroupBox &box, long bytes) {
  const GroupDimension &row = rowOf(box, copy.isTransposed);
  const long cells = kBanks / bytes; // that all banks hold
  const long atOnce = copy.isTransposed ? cells / std::min(cells, columnsAtOnce(box)) : cells; // of a row
  const long used = std::min(copy.parts, atOnce);
  const long extent = (row.extent + copy.parts - 1) / copy.parts;
  const long length = extent - row.factor / copy.parts; // of a part, and a multiple of the banks' cells
  copy.gap = modulo(cells / used - length, cells);
  if (box.dimensions.size() == 1)
    return;
  const long next = copy.isTransposed ? std::max(1L, atOnce / used) : length;
  copy.pad = modulo(next - copy.parts * (length + copy.gap), cells);
}

} // namespace

bool isReadAlongSteps(const GroupBox &box, const GroupDimension &moving, long bytes) {
  const GroupDimension &row = box.dimensions.front();
  return row.axis < 0 && moving.axis != 0 && fillsBanks(row, bytes);
}

void layRows(CopyRequest &copy, const GroupBox &box, long bytes) {
  const GroupDimension &row = rowOf(box, copy.isTransposed);
  if (!row.sizes.empty()) // which banks they fill is not known yet
    return;
  if (row.axis == 0)
    copy.parts = std::gcd(row.factor, kBanks / std::max(kWord, bytes));
  if (copy.parts > 1)
    layParts(copy, box, bytes);
  else if (!copy.isTransposed && row.axis < 0 && fillsBanks(row, bytes))
    copy.pad = kAligned / bytes;
  else if (copy.isTransposed)
    copy.pad = modulo(kBanks / columnsAtOnce(box) / bytes - (row.extent - row.factor), kBanks / bytes);
}

} // namespace pbc::kernel
