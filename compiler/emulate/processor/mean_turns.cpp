// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/processor/mean_turns.h"
#include "compiler/emulate/processor/clang_loops.h"
#include "compiler/loop/walk.h"
#include "compiler/loop/warp_lane.h"

namespace pbc::emulate {
namespace {

const loop::LaunchShape kOneItem;

struct Sample {
  long turn;
  double weight; // turns for which it stands
};

std::vector<Sample> samplesOf(long turns) {
  std::vector<Sample> all;
  if (turns <= 3)
    for (long turn = 0; turn < turns; ++turn)
      all.push_back({turn, 1});
  else
    for (const Sample &one :
         {Sample{(turns - 1) / 4, static_cast<double>(turns - 1) / 2},
          Sample{(turns - 1) * 3 / 4, static_cast<double>(turns - 1) / 2}, Sample{turns - 1, 1}})
      all.push_back(one);
  return all;
}

bool hasLoops(const loop::NodePtr &n) {
  struct Loops : loop::Visitor {
    bool has = false;
    void node(const loop::NodePtr &one) override {
      has = has || loop::as<loop::For>(one);
      Visitor::node(one);
    }
  } loops;
  loops.node(n);
  return loops.has;
}

/// Goes through the limits of loops.
class Counting : public loop::WarpLane {
public:
  Counting(const ThreadQuestion &question, const ProcessorCore &core)
      : WarpLane(kOneItem, 0, 1), question_(question), core_(core) {}

  std::map<const loop::For *, LoopTurns> count() {
    run(question_.lowered);
    std::map<const loop::For *, LoopTurns> means;
    for (const auto &[f, counted] : all_)
      means[f] = {counted.sum.all / counted.weight, counted.sum.inVectors / counted.weight};
    return means;
  }

protected:
  void access(const loop::Expr &, bool, long) override {}
  long ofLaunch(const loop::Name &n) const override {
    const auto at = question_.names.find(n.name);
    return at != question_.names.end() ? at->second : WarpLane::ofLaunch(n);
  }

  void beginLoop(const loop::For &f, long turns) override {
    const auto [at, isNew] = all_.try_emplace(&f);
    Counted &counted = at->second;
    if (isNew) {
      const LoopCode code =
          loopCode(f, question_.matrices,
                   {core_.loopVectorBytes, core_.hasGathers, question_.reassociates, core_.vectorRegisters});
      counted.inRound = code.lanes * code.vectors;
      counted.isInnermost = !hasLoops(f.body);
    }
    const double weight = open_.empty() ? 1 : open_.back().weight;
    counted.weight += weight;
    counted.sum.all += weight * static_cast<double>(turns);
    counted.sum.inVectors += weight * static_cast<double>(turns - turns % counted.inRound);
    open_.push_back({weight, weight, counted.isInnermost ? std::vector<Sample>{} : samplesOf(turns)});
  }

  std::vector<long> firstTurns(long) const override {
    std::vector<long> turns;
    for (const Sample &one : open_.back().samples)
      turns.push_back(one.turn);
    return turns;
  }
  void beginTurns(std::size_t which) override {
    open_.back().weight = open_.back().around * open_.back().samples[which].weight;
  }
  void endLoop() override { open_.pop_back(); }

private:
  struct Counted {
    double weight = 0; // how often it is come to
    LoopTurns sum;
    long inRound = 1;
    bool isInnermost = false;
  };
  struct Open {
    double around, weight; // how often it is come to, and the turn that is gone through
    std::vector<Sample> samples;
  };
  const ThreadQuestion &question_;
  const ProcessorCore &core_;
  std::map<const loop::For *, Counted> all_;
  std::vector<Open> open_;
};

} // namespace

MeanTurns::MeanTurns(const ThreadQuestion &question, const ProcessorCore &core)
    : means_(Counting(question, core).count()) {}

} // namespace pbc::emulate
