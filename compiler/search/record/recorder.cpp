// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/record/recorder.h"
#include "compiler/search/count.h"
#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <utility>
#include <xxhash.h>

namespace pbc::search {
namespace {

/// Of a library: enough that its headers cost little, few enough that not much is lost when a recorder ends.
constexpr std::size_t kPrograms = 48;
constexpr int kMoments = 2; // at which a program is measured

bool isBetter(const Measurement &made, const Measurement &before) {
  return before.fate != Fate::Measured || made.fate != Fate::Measured || made.seconds < before.seconds;
}

} // namespace

Recorder::Recorder(const kernel::Scheduled &lifted, const NestOptions &options, MachineTimes &times,
                   Journal &journal, long mostLeaves)
    : times_(times), journal_(journal) {
  NestSpaces made = nestSpaces(lifted, options);
  if (made.spaces.empty())
    throw Unsearchable(made.why);
  spaces_ = std::move(made.spaces);
  for (std::size_t root = 0; root < spaces_.size(); ++root) {
    State state(spaces_[root].space->problem());
    if (!state.propagate())
      continue;
    const bool isAll = enumerate(state, [&](const State &leaf) {
      leaves_.try_emplace(script::line(scriptOf(spaces_[root], leaf)), Leaf{root, leaf.domains()});
      return long(++progress_.leaves) <= mostLeaves;
    });
    if (!isAll)
      throw Unsearchable(fmt::format("its spaces have more than {} programs", mostLeaves));
  }
  progress_.scripts = leaves_.size();
  for (const auto &[script, leaf] : leaves_)
    progress_.known += journal_.find(script) != nullptr;
}

bool Recorder::run(const std::function<bool(const Progress &)> &goesOn) {
  LeafBuilder &builder = times_.builder();
  Worker &worker = times_.worker();
  std::vector<Program> next, inWork;
  std::future<std::vector<Program>> work;
  const auto settle = [&] {
    if (work.valid())
      keep(work.get());
    inWork.clear();
  };
  const auto begin = [&] {
    settle();
    inWork = std::exchange(next, {});
    if (!inWork.empty())
      work = std::async(std::launch::async,
                        [&, programs = inWork] { return measured(programs, builder, worker); });
  };
  for (const auto &[script, leaf] : leaves_) {
    if (journal_.find(script))
      continue;
    State state(spaces_[leaf.root].space->problem());
    state.take(leaf.domains);
    LeafBuilder::Leaf printed = builder.leaf(scriptOf(spaces_[leaf.root], state));
    if (printed.functions.empty()) {
      journal_.add(script, {Fate::NotCompiled, 0, 0, 0, printed.why});
      ++progress_.known;
      continue;
    }
    const std::uint64_t hash = XXH3_64bits(printed.functions.data(), printed.functions.size());
    const auto isSame = [&](const Program &program) { return program.hash == hash; };
    if (std::any_of(inWork.begin(), inWork.end(), isSame))
      settle();
    if (const Measurement *known = journal_.findProgram(hash)) {
      journal_.add(script, Measurement(*known), hash);
      ++progress_.known;
      continue;
    }
    if (const auto same = std::find_if(next.begin(), next.end(), isSame); same != next.end()) {
      same->scripts.push_back(script);
      continue;
    }
    next.push_back({hash, std::move(printed.functions), {script}, {}});
    if (next.size() < kPrograms)
      continue;
    begin();
    if (!goesOn(progress_)) {
      settle();
      return false;
    }
  }
  begin();
  settle();
  return true;
}

std::vector<Recorder::Program> Recorder::measured(std::vector<Program> programs, LeafBuilder &builder,
                                                  Worker &worker) {
  std::vector<std::string> functions;
  for (const Program &program : programs)
    functions.push_back(program.functions);
  const LeafBuilder::Built built = builder.compile(functions);
  if (built.library.empty() && programs.size() > 1) {
    // One of them is at fault.
    for (Program &program : programs)
      program = std::move(measured({std::move(program)}, builder, worker).front());
    return programs;
  }
  for (Program &program : programs)
    program.made = {Fate::NotCompiled, 0, 0, 0, built.why};
  for (int moment = 0; moment < kMoments && !built.library.empty(); ++moment)
    for (std::size_t p = 0; p < programs.size(); ++p) {
      if (moment > 0 && programs[p].made.fate != Fate::Measured)
        continue;
      const Measurement made = worker.measure({built.library, std::uint32_t(p)}, {});
      if (isBetter(made, programs[p].made))
        programs[p].made = made;
    }
  LeafBuilder::remove(built);
  return programs;
}

void Recorder::keep(const std::vector<Program> &programs) {
  for (const Program &program : programs) {
    ++progress_.measured;
    for (const std::string &script : program.scripts) {
      journal_.add(script, program.made, program.hash);
      ++progress_.known;
    }
  }
}

void Recorder::addTo(Record &record) const {
  for (const auto &[script, leaf] : leaves_)
    if (const Measurement *made = journal_.find(script))
      record.times[script] = *made;
}

} // namespace pbc::search
