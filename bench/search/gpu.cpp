// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The search in the space of SGEMM on a GPU (lower-bound-search.md, section 6), with a device whose time is a function of the schedule:
// how many programs there are, how many the search looks at, and where it cuts.
//
//   build/release/bin/bench_search_gpu k20c 1024
#include "compiler/model/machine/machine_file.h"
#include "compiler/search/count.h"
#include "compiler/search/strategy/search.h"
#include "tests/unit/search/gpu_examples.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace pbc;

namespace {

/// About how many programs a region has.
double programsOf(const search::Problem &problem, const std::vector<search::Domain> &domains) {
  search::State state(problem);
  state.take(domains);
  return double(search::countLeaves(state, {.mostStates = 500, .descents = 60}).leaves);
}

struct Seen {
  search::Region region;
  bool isCut;
};

void printVolumes(const search::GpuModel &model, const std::vector<Seen> &seen, long measured) {
  double all = 0, cut[3] = {0, 0, 0}, divided[3] = {0, 0, 0};
  for (const Seen &s : seen) {
    const double programs = programsOf(model.problem(s.region.root), s.region.domains);
    (s.isCut ? cut : divided)[s.region.depth] += programs;
    all += s.region.depth == 0 ? programs : 0;
  }
  std::printf("about %.3g programs, %.3g for each that was measured\n", all, all / double(measured));
  // What is cut at a level and what is divided there were one part of the level before: shares are of what was left.
  double left = 1;
  for (int depth = 0; depth < 3; ++depth) {
    left *= divided[depth] / (cut[depth] + divided[depth]);
    std::printf("  after level %d (%d decisions): %.2f %% of the programs are left\n", depth + 1, depth,
                left * 100);
  }
}

} // namespace

int main(int argc, char **argv) {
  const std::string machine = argc > 1 ? argv[1] : "k20c";
  const long n = argc > 2 ? std::atol(argv[2]) : 1024;
  const double budget = argc > 3 ? std::atof(argv[3]) : 900;
  const search::GpuRates rates =
      machine == "toy" ? search::toyGpu() : search::gpuRatesOf(model::findMachine(machine));
  const std::vector<search::GpuSpace> spaces = search::gpuSgemms(n);
  std::vector<search::ModelDevice> devices;
  for (const search::GpuSpace &space : spaces)
    devices.emplace_back(*space.space, space.work, rates);
  search::GpuModel model(
      spaces, rates, [&](std::size_t root, const search::State &leaf) { return devices[root].time(leaf); });
  const auto begin = std::chrono::steady_clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double printed = 0;
  search::SearchOptions options;
  options.seconds = budget;
  options.dives = 360;
  if (argc > 4)
    options.strategy = search::findStrategy(argv[4]);
  options.threads = argc > 5 ? std::atoi(argv[5]) : int(std::max(1u, std::thread::hardware_concurrency()));
  options.progress = [&](const search::SearchResult &r) {
    if (seconds() > printed + 10) {
      printed = seconds();
      std::printf("%6.0f s: best %.4g, bound %.4g, measured %ld, divided %ld, cut %ld\n", seconds(),
                  r.bestSeconds, r.bound, r.statistics.measured, r.statistics.divided, r.statistics.cut);
      std::fflush(stdout);
    }
    return true;
  };
  std::vector<Seen> seen;
  options.onRegion = [&](const search::Region &region, bool isCut) {
    if (region.depth < 3)
      seen.push_back({region, isCut});
  };
  const search::SearchResult r = search::search(model, options);
  std::printf(
      "%.1f s: best %.4g s, bound %.4g s, %s; measured %ld (and %ld not), divided %ld, cut %ld, empty %ld\n",
      seconds(), r.bestSeconds, r.bound, r.isComplete ? "complete" : "not complete", r.statistics.measured,
      r.statistics.notMeasured, r.statistics.divided, r.statistics.cut, r.statistics.empty);
  printVolumes(model, seen, r.statistics.measured);
  for (std::size_t t = 0; t < r.statistics.cutBy.size(); ++t)
    if (r.statistics.cutBy[t] > 0)
      std::printf("  cut by %s: %ld\n", std::string(model.limitNames()[t]).c_str(), r.statistics.cutBy[t]);
  for (std::size_t d = 0; d < r.statistics.depths.size(); ++d)
    std::printf("  depth %zu: divided %ld, cut %ld\n", d, r.statistics.depths[d].divided,
                r.statistics.depths[d].cut);
  if (r.best) {
    search::State state(model.problem(r.best->root));
    state.take(r.best->domains);
    std::printf("%s: %s\n", spaces[r.best->root].space->structure().name.c_str(),
                model.explain(r.best->root, state).c_str());
    for (int v = 0; v < int(state.domains().size()); ++v)
      if (spaces[r.best->root].space->nameOf(v)[0] != 'o')
        std::printf("  %s %s\n", spaces[r.best->root].space->nameOf(v).c_str(),
                    spaces[r.best->root].space->valuesOf(v, state.domain(v)).c_str());
  }
  return 0;
}
