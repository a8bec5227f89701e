// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/device/warp_trace.h"
#include "compiler/emulate/device/gpu_lane.h"
#include "compiler/emulate/hoist.h"
#include "compiler/emulate/list_schedule.h"
#include "compiler/emulate/unroll.h"
#include <algorithm>
#include <set>
#include <utility>

namespace pbc::emulate {
namespace {

constexpr int kBanks = 32, kWord = 4;

/// How many admissions an access of all lanes takes.
int transactionsOf(const std::vector<Address> &lanes) {
  std::set<long> sectors;
  std::map<long, std::set<long>> wordsOfBank;
  for (const Address &a : lanes)
    if (a.isShared)
      for (long byte = a.byte; byte < a.byte + a.bytes; byte += kWord)
        wordsOfBank[byte / kWord % kBanks].insert(byte / kWord);
    else
      for (long sector = a.byte / kSectorBytes; sector * kSectorBytes < a.byte + a.bytes; ++sector)
        sectors.insert(sector);
  std::size_t most = sectors.size();
  for (const auto &[bank, words] : wordsOfBank)
    most = std::max(most, words.size());
  return std::max(1, static_cast<int>(most));
}

double linesIn(const std::vector<Address> &lanes) {
  constexpr long kLine = 128;
  std::set<long> lines;
  for (const Address &a : lanes)
    for (long line = a.byte / kLine; line * kLine < a.byte + a.bytes; ++line)
      lines.insert(line);
  return static_cast<double>(lines.size());
}

/// Without loops that have nothing in them.
void removeEmptyLoops(Trace &trace) {
  std::erase_if(trace.loops, [](const Repeat &loop) { return loop.first >= loop.end; });
}

/// Of a warp; `byAccess`: the addresses of all lanes.
Work workOf(const Trace &trace, const GpuLane &lane, const std::vector<std::vector<Address>> &byAccess) {
  Work work;
  for (const Repeat &loop : trace.loops)
    work.turns.push_back(loop.times);
  for (std::size_t k = 0; k < byAccess.size(); ++k) {
    const int at = lane.accesses()[k];
    const Address &address = lane.addresses()[k];
    Accesses &to = address.isShared ? (lane.isStore(at) ? work.groupStored : work.groupLoaded)
                                    : (lane.isStore(at) ? work.stored : work.loaded);
    const double times = lane.hoisted().contains(at) ? 1 : trace.timesOf(at);
    to.bytes += times * static_cast<double>(address.bytes);
    to.transactions += times * transactionsOf(byAccess[k]);
  }
  for (std::size_t k = 0; k < trace.instructions.size(); ++k) {
    const Instruction &i = trace.instructions[k];
    double *to = i.isBarrier                               ? nullptr
                 : i.resource == placeOf(GpuUnit::F32)     ? &work.f32
                 : i.resource == placeOf(GpuUnit::F64)     ? &work.f64
                 : i.resource == placeOf(GpuUnit::Special) ? &work.special
                                                           : nullptr;
    if (to)
      *to += trace.timesOf(static_cast<int>(k)) * i.count;
  }
  return work;
}

} // namespace

WarpTrace warpTrace(const WarpQuestion &question) {
  const loop::ServedStatements served(question.lowered, question.matrices);
  GpuLane first(question, 0, served);
  first.run(question.lowered);
  const std::vector<int> accesses = first.accesses();
  std::vector<std::vector<Address>> byAccess(accesses.size());
  std::map<Key, std::size_t> placeOf;
  for (std::size_t k = 0; k < accesses.size(); ++k)
    placeOf[first.keys()[k]] = k;
  const auto note = [&](const GpuLane &lane) { // lanes may differ in what they access besides
    for (std::size_t k = 0; k < lane.keys().size(); ++k)
      if (const auto at = placeOf.find(lane.keys()[k]); at != placeOf.end())
        byAccess[at->second].push_back(lane.addresses()[k]);
  };
  note(first);
  const int items = question.shape.group[0] * question.shape.group[1] * question.shape.group[2];
  for (int lane = 1; lane < std::min(loop::kLanes, items); ++lane) {
    GpuLane other(question, lane, served);
    other.run(question.lowered);
    note(other);
  }
  Trace trace = first.take();
  Reuse reuse;
  if (!question.hits)
    reuse =
        reuseOf({question.matrices, question.lowered, question.shape, question.sizes, question.otherSizes});
  std::map<int, InCaches> inCaches; // transactions, by instruction
  std::map<int, double> linesOf;    // of 128 bytes
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const int transactions = transactionsOf(byAccess[k]);
    trace.instructions[static_cast<std::size_t>(accesses[k])].transactions +=
        transactions - 1; // each was counted once already
    if (first.addresses()[k].isShared)
      continue;
    InCaches &of = inCaches[accesses[k]];
    linesOf[accesses[k]] += linesIn(byAccess[k]);
    const Key &key = first.keys()[k];
    if (question.hits)
      of.second += *question.hits * transactions;
    else if (const auto at = reuse.loads.find({key.expression, key.turns, key.copies});
             at != reuse.loads.end() && !first.isStore(accesses[k])) {
      of.first += at->second.first * transactions;
      of.second += at->second.second * transactions;
    }
  }
  for (const auto &[at, of] : inCaches) {
    Instruction &i = trace.instructions[static_cast<std::size_t>(at)];
    const double lines = linesOf[at];
    const bool isApart = 2 * lines > i.transactions; // a whole line has four sectors
    const Share inFirst{emulate::placeOf(isApart ? GpuUnit::Lines : GpuUnit::L1), of.first / i.transactions,
                        isApart ? lines / i.transactions : 1};
    if (of.first > 0 || of.second > 0)
      i.nearer = {inFirst, Share{emulate::placeOf(GpuUnit::L2), of.second / i.transactions}};
  }
  Work work = workOf(trace, first, byAccess);
  const std::vector<int> places = hoist(trace, first.hoisted());
  removeEmptyLoops(trace);
  std::vector<bool> isLoad(trace.instructions.size(), false), isStore(trace.instructions.size(), false);
  for (const int k : accesses) {
    const auto at = static_cast<std::size_t>(places[static_cast<std::size_t>(k)]);
    (first.isStore(k) ? isStore : isLoad)[at] = true;
  }
  const Unrolled unrolled = emulate::unrolled(trace);
  const auto ofUnrolled = [&](const std::vector<bool> &flags) {
    std::vector<bool> all;
    for (const int origin : unrolled.origins)
      all.push_back(flags[static_cast<std::size_t>(origin)]);
    return all;
  };
  return {withEarlyLoads(unrolled.trace, ofUnrolled(isLoad), ofUnrolled(isStore)), std::move(work),
          reuse.all};
}

} // namespace pbc::emulate
