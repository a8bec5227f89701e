// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/sectors.h"
#include "compiler/kernel/footprint.h"
#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace pbc::loop {
namespace {

constexpr long kSector = 32;      // bytes
constexpr long kRow = 1L << 20;   // cells between neighbours along each dimension but the first
constexpr int kTurnsOfLoop = 2;   // of loops that are not written out
constexpr long kFarInside = 4096; // from the first cells: no access is cut off at an edge

/// What a warp touches by one access, in one iteration of the loops that are not written out.
struct Touched {
  const Matrix *matrix = nullptr;
  bool isWrite = false;
  std::set<std::pair<int, long>> cells = {}; // of each lane
};
using Accesses = std::map<std::pair<const void *, std::vector<long>>, Touched>;

/// Notes what one lane touches.
class Touching : public WarpLane {
public:
  Touching(const std::vector<Matrix> &matrices, const LaunchShape &shape, int lane, Accesses &accesses)
      : WarpLane(shape, lane, kTurnsOfLoop), matrices_(matrices), accesses_(accesses) {
    low_ = kFarInside;
  }

protected:
  void access(const Expr &e, bool isWrite, long cells) override {
    const Element *element = as<Element>(e);
    if (!element || element->indices.empty())
      return;
    const Matrix &matrix = matrices_[static_cast<std::size_t>(element->buffer)];
    if (!matrix.ofGroup.empty())
      return;
    long place = 0, stride = 1;
    for (const Expr &index : element->indices) {
      place += valueOf(index) * stride;
      stride *= kRow;
    }
    std::vector<long> moment = turns_;
    moment.push_back(isWrite);
    Touched &touched =
        accesses_.try_emplace({e.get(), std::move(moment)}, Touched{&matrix, isWrite}).first->second;
    for (long k = 0; k < cells; ++k)
      touched.cells.emplace(lane_, place + k);
  }

private:
  const std::vector<Matrix> &matrices_;
  Accesses &accesses_;
};

double sectorsForEachFilled(const Touched &touched) {
  const auto bytes = static_cast<long>(kernel::bytesOf(touched.matrix->element));
  std::set<long> sectors;
  for (const auto &[lane, cell] : touched.cells)
    sectors.insert(cell * bytes / kSector);
  const long filled = (static_cast<long>(touched.cells.size()) * bytes + kSector - 1) / kSector;
  return std::max(1.0, static_cast<double>(sectors.size()) / static_cast<double>(filled));
}

} // namespace

std::vector<SectorUse> sectorUses(const std::vector<Matrix> &matrices, const NodePtr &lowered,
                                  const LaunchShape &shape) {
  Accesses accesses;
  const int items = shape.group[0] * shape.group[1] * shape.group[2];
  for (int lane = 0; lane < std::min(kLanes, items); ++lane)
    Touching(matrices, shape, lane, accesses).run(lowered);
  std::map<std::string, SectorUse> all;
  for (const auto &[moment, touched] : accesses) {
    SectorUse &use = all.try_emplace(touched.matrix->name, SectorUse{touched.matrix->name}).first->second;
    double &worst = touched.isWrite ? use.writes : use.reads;
    worst = std::max(worst, sectorsForEachFilled(touched));
  }
  std::vector<SectorUse> uses;
  for (const auto &[name, use] : all)
    uses.push_back(use);
  return uses;
}

} // namespace pbc::loop
