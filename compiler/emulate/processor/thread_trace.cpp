// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/processor/thread_trace.h"
#include "compiler/emulate/processor/line_sources.h"
#include "compiler/emulate/processor/thread_lane.h"
#include <algorithm>
#include <numeric>

namespace pbc::emulate {
namespace {

constexpr long kHoisted = 8; // what a loop of so many iterations does not change costs nothing inside of it

/// By how many bytes each access moves, in an iteration of each loop.
std::vector<std::vector<long>> moves(const ThreadQuestion &question, const ProcessorCore &core,
                                     const loop::ServedStatements &served, const MeanTurns &means,
                                     const Ran &ran, const std::vector<long> &steps) {
  std::vector<std::vector<long>> all(ran.reached.size(), std::vector<long>(ran.trace.loops.size(), 0));
  for (std::size_t loop = 0; loop < ran.trace.loops.size(); ++loop) {
    // The last iteration of a loop over tiles may be a shorter one, in which those inside do not come to where they were.
    for (const long by : {-1L, 1L}) {
      if (ran.turns[loop] + by < 0)
        continue;
      const Ran next =
          ThreadLane(question, core, served, means, {&ran, static_cast<int>(loop), false, &steps, by}).take();
      if (by < 0 && next.reached.size() < ran.reached.size())
        continue;
      for (std::size_t k = 0; k < std::min(next.reached.size(), all.size()); ++k)
        all[k][loop] = (next.reached[k].byte - ran.reached[k].byte) * by;
      break;
    }
  }
  for (const Rest &rest : ran.rests)
    for (std::vector<long> &one : all)
      one[static_cast<std::size_t>(rest.loop)] = one[static_cast<std::size_t>(rest.of)] / rest.lanes;
  return all;
}

class Assembly {
public:
  Assembly(Ran ran, std::vector<std::vector<long>> moves, const ProcessorCore &core, bool isWarm)
      : ran_(std::move(ran)), moves_(std::move(moves)), core_(core), isWarm_(isWarm),
        isGone_(ran_.trace.instructions.size(), false) {}

  Trace take() {
    keepInRegisters();
    fetchLines();
    return remaining();
  }

private:
  long stride(const Accessing &a, long loop) const {
    return moves_[a.reached][static_cast<std::size_t>(loop)];
  }

  bool isStoredIn(int matrix, long loop) const {
    return std::any_of(ran_.accesses.begin(), ran_.accesses.end(), [&](const Accessing &a) {
      return a.isStore && ran_.reached[a.reached].matrix == matrix &&
             std::find(a.loops.begin(), a.loops.end(), loop) != a.loops.end();
    });
  }

  /// Loads of what the innermost loop does not change, and of what its last iteration has stored.
  void keepInRegisters() {
    for (const Accessing &a : ran_.accesses) {
      if (a.isOverwritten)
        isGone_[static_cast<std::size_t>(a.instruction)] = true;
      if (a.isStore || a.loops.empty())
        continue;
      const long inner = a.loops.back();
      const Reached &here = ran_.reached[a.reached];
      const bool isLong = ran_.trace.loops[static_cast<std::size_t>(inner)].times >= kHoisted;
      if (isLong && stride(a, inner) == 0 && !isStoredIn(here.matrix, inner))
        isGone_[static_cast<std::size_t>(a.instruction)] = true;
      for (const Accessing &b : ran_.accesses)
        if (b.isStore && b.value >= 0 && b.loops == a.loops &&
            ran_.reached[b.reached].matrix == here.matrix && stride(b, inner) == stride(a, inner) &&
            ran_.reached[b.reached].byte - here.byte == stride(a, inner)) {
          replace(a, b.value);
          beginAnew(inner, b.value);
          // The same cell in all iterations is stored when the loop has ended.
          if (isLong && stride(b, inner) == 0)
            isGone_[static_cast<std::size_t>(b.instruction)] = true;
        }
    }
  }

  /// The first iteration has loaded its value in front of the loop, and does not wait for what the loop did the time before.
  void beginAnew(long loop, int value) {
    const int first = ran_.trace.loops[static_cast<std::size_t>(loop)].first;
    if (first > 0)
      ran_.trace.instructions[static_cast<std::size_t>(first) - 1].writes.push_back(value);
  }

  void replace(const Accessing &load, int value) {
    isGone_[static_cast<std::size_t>(load.instruction)] = true;
    for (Instruction &i : ran_.trace.instructions)
      std::replace(i.reads.begin(), i.reads.end(), load.value, value);
  }

  /// How often an access reaches into a second line. A matrix begins at a line.
  double crossing(const Accessing &a) const {
    if (a.cells > 1)
      return 0;
    long step = kLineBytes; // the places in a line are the first one and all that are a multiple of this away
    for (const long loop : a.loops)
      step = std::gcd(step, stride(a, loop));
    const int count = ran_.trace.instructions[static_cast<std::size_t>(a.instruction)].count;
    const long bytes = std::min(a.bytes / std::max(count, 1), kLineBytes),
               first = ran_.reached[a.reached].byte & (step - 1); // a power of two
    long crossing = 0;
    for (long place = first; place < kLineBytes; place += step)
      crossing += place + bytes > kLineBytes ? 1 : 0;
    return static_cast<double>(crossing * step) / kLineBytes;
  }

  /// How often the loops around an access run, for how often their trace says.
  double share(const Accessing &a) const {
    double all = 1;
    for (const long loop : a.loops) {
      const auto at = static_cast<std::size_t>(loop);
      all *= ran_.exact[at] / static_cast<double>(ran_.trace.loops[at].times);
    }
    return all;
  }

  void fetchLines() {
    Nest nest;
    nest.times = ran_.exact;
    std::vector<const Accessing *> accesses;
    for (const Accessing &a : ran_.accesses) {
      if (isGone_[static_cast<std::size_t>(a.instruction)] || a.isRest)
        continue;
      Stream stream{ran_.reached[a.reached].matrix,
                    ran_.reached[a.reached].byte,
                    a.bytes,
                    a.loops,
                    {},
                    a.isStore,
                    a.cells,
                    a.apart};
      for (const long loop : a.loops)
        stream.strides.push_back(stride(a, loop));
      nest.streams.push_back(std::move(stream));
      accesses.push_back(&a);
    }
    const LineSources sources = lineSources(nest, core_.bytes, isWarm_);
    const LineSources pages = core_.pageBytes > 0
                                  ? lineSources(nest, {core_.pageBytes, core_.knownPages * core_.pageBytes},
                                                isWarm_, core_.pageBytes)
                                  : LineSources{};
    for (std::size_t s = 0; s < accesses.size(); ++s) {
      Instruction &i = ran_.trace.instructions[static_cast<std::size_t>(accesses[s]->instruction)];
      if (const double twice = crossing(*accesses[s]); twice > 0)
        i.needs.push_back({i.resource, twice * i.transactions / i.count});
      const std::vector<double> &lines = sources.lines[s];
      const double more = share(*accesses[s]); // with those of the iterations at the end
      for (std::size_t m = 0; m < lines.size(); ++m) {
        // What comes from farther memories comes through this one. Nobody waits for a store.
        const double through = std::accumulate(lines.begin() + static_cast<long>(m), lines.end(), 0.0);
        if (through > 0)
          i.needs.push_back({kCpuUnits + static_cast<int>(m), through * more / i.count,
                             !accesses[s]->isStore && !sources.areFollowed[s]});
      }
      if (core_.pageBytes > 0 && pages.lines[s].back() > 0)
        i.needs.push_back({placeOf(CpuUnit::Pages), pages.lines[s].back() * more / i.count,
                           !accesses[s]->isStore && !sources.areFollowed[s]});
    }
  }

  Trace remaining() const {
    Trace made = ran_.trace;
    std::vector<int> place; // of each instruction among those that remain
    int next = 0;
    for (const bool isGone : isGone_) {
      place.push_back(next);
      next += isGone ? 0 : 1;
    }
    place.push_back(next);
    made.instructions.clear();
    for (std::size_t k = 0; k < isGone_.size(); ++k)
      if (!isGone_[k])
        made.instructions.push_back(ran_.trace.instructions[k]);
    for (Repeat &loop : made.loops)
      loop = {place[static_cast<std::size_t>(loop.first)], place[static_cast<std::size_t>(loop.end)],
              loop.times};
    std::erase_if(made.loops, [](const Repeat &loop) { return loop.first >= loop.end; });
    return made;
  }

  Ran ran_;
  const std::vector<std::vector<long>> moves_;
  const ProcessorCore &core_;
  const bool isWarm_;
  std::vector<bool> isGone_; // instructions
};

} // namespace

Trace threadTrace(const ThreadQuestion &question, const ProcessorCore &core) {
  const loop::ServedStatements served(question.lowered, question.matrices);
  const MeanTurns means(question, core);
  const Ran base = ThreadLane(question, core, served, means, {}).take();
  const Ran lane = ThreadLane(question, core, served, means, {&base, -1, true, nullptr}).take();
  std::vector<long> steps;
  for (std::size_t k = 0; k < base.reached.size(); ++k) {
    const long bytes = k < lane.reached.size() ? lane.reached[k].byte - base.reached[k].byte : 0;
    steps.push_back(bytes / base.reached[k].bytesOfCell);
  }
  Ran ran = ThreadLane(question, core, served, means, {&base, -1, false, &steps}).take();
  std::vector<std::vector<long>> moved = moves(question, core, served, means, ran, steps);
  return Assembly(std::move(ran), std::move(moved), core, question.isWarm).take();
}

} // namespace pbc::emulate
