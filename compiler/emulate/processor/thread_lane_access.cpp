// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a thread loads and stores: the part of ThreadLane that follows accesses.
#include "compiler/emulate/processor/line_sources.h"
#include "compiler/emulate/processor/thread_lane.h"
#include "compiler/kernel/footprint.h"
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace pbc::emulate {
namespace {

using body::Scalar;
using loop::Expr;
using Block = loop::BlockOfPoints;

long bytesOfCell(Scalar s) { return static_cast<long>(kernel::bytesOf(s)); }

} // namespace

ThreadLane::Where ThreadLane::reach(const Expr &e) {
  if (const loop::StripValue *strip = loop::as<loop::StripValue>(e))
    return reachStrip(*strip);
  const loop::CellVector *vector = loop::as<loop::CellVector>(e);
  const loop::Element &element = *loop::as<loop::Element>(vector ? vector->cell : e);
  const auto number = static_cast<std::size_t>(element.buffer);
  const loop::Matrix &m = question_.matrices[number];
  const std::vector<long> &extents = question_.extents[number];
  long cell = 0, stride = 1;
  for (std::size_t d = 0; d < element.indices.size(); ++d) {
    cell += valueOf(element.indices[d]) * stride;
    stride *= d < extents.size() ? extents[d] : 1;
  }
  std::optional<long> step;
  if (block_) {
    step = vector && vector->apart.parts.empty() ? 1 : 0;
    if (vector)
      for (const loop::Distance::Part &part : vector->apart.parts) {
        long apart = part.factor;
        for (int d = 0; d < part.dimension && d < static_cast<int>(extents.size()); ++d)
          apart *= extents[static_cast<std::size_t>(d)];
        *step += apart;
      }
  }
  return noted({element.buffer, cell * bytesOfCell(m.element), bytesOfCell(m.element)}, m.element, step);
}

/// A strip along x is copied into vectors of all steps, one along y into rows of all steps.
ThreadLane::Where ThreadLane::reachStrip(const loop::StripValue &value) {
  const Block::Strip &strip = block_->depth->strips[static_cast<std::size_t>(value.strip)];
  const auto of = [&](const char *name) { return valueOf(loop::index(name)); };
  const long first = of(Block::kFirstStep), steps = of(Block::kPastStep) - first,
             step = valueOf(value.step) - first;
  const long across = strip.isAlongX ? of(Block::kVectors) * of(Block::kWidth) : of(Block::kRows);
  const long place = ((strip.isAlongX ? column_ : row_) * steps + step) * across +
                     (strip.isAlongX ? of(Block::kVector) * of(Block::kWidth) : of(Block::kRow));
  return noted({static_cast<int>(question_.matrices.size()) + value.strip,
                place * bytesOfCell(block_->element), bytesOfCell(block_->element)},
               block_->element, strip.isAlongX ? 1 : 0);
}

ThreadLane::Where ThreadLane::noted(Reached reached, Scalar type, std::optional<long> step) {
  const std::size_t place = ran_.reached.size();
  ran_.reached.push_back(reached);
  if (!step)
    step = how_.steps && place < how_.steps->size() ? (*how_.steps)[place] : 1;
  return {place, type, *step};
}

int ThreadLane::loaded(const Where &w) {
  const Reached &r = ran_.reached[w.reached];
  const auto [at, isNew] = loaded_.try_emplace({r.matrix, r.byte}, -1);
  if (isNew)
    at->second = accessed(w, false, -1);
  return at->second;
}

void ThreadLane::stored(const Where &w, int value) {
  accessed(w, true, value);
  const Reached &r = ran_.reached[w.reached];
  const std::size_t here = ran_.accesses.size() - 1;
  if (const auto [at, isNew] = stored_.try_emplace({r.matrix, r.byte}, here); !isNew) {
    Accessing &before = ran_.accesses[std::exchange(at->second, here)];
    before.isOverwritten =
        before.bytes <= ran_.accesses[here].bytes && before.cells == ran_.accesses[here].cells;
  }
  std::erase_if(loaded_, [&](const auto &cell) { return cell.first.first == r.matrix; });
  loaded_[{r.matrix, r.byte}] = value;
}

int ThreadLane::accessed(const Where &w, bool isStore, int value) {
  if (!isStore) // it may read what was stored
    std::erase_if(stored_,
                  [&](const auto &cell) { return cell.first.first == ran_.reached[w.reached].matrix; });
  const long together = w.step == 0 ? 1 : numbers(), apart = together == 1 ? 1 : std::labs(w.step);
  const Reached &r = ran_.reached[w.reached];
  std::vector<int> reads;
  if (value >= 0)
    reads.push_back(value);
  const int result = emit(isStore ? CpuUnit::Stores : CpuUnit::Loads, w.type,
                          isStore ? Kind::Stores : Kind::Loads, std::move(reads), together, apart);
  Accessing made{w.reached,
                 static_cast<int>(ran_.trace.instructions.size()) - 1,
                 isStore,
                 together * r.bytesOfCell,
                 1,
                 0,
                 isStore ? value : result};
  if (apart > 1) { // lines with some cells each
    made.apart = static_cast<double>(std::max(r.bytesOfCell * apart, kLineBytes));
    made.bytes = std::min(r.bytesOfCell * apart, kLineBytes);
    made.cells = static_cast<double>(together) *
                 std::min(1.0, static_cast<double>(apart * r.bytesOfCell) / kLineBytes);
  }
  for (const Open &o : open_)
    if (!o.isStraight)
      made.loops.push_back(o.loop);
  ran_.accesses.push_back(std::move(made));
  return result;
}

} // namespace pbc::emulate
