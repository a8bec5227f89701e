// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares all strategies on problems whose best answer is known, without a machine: formulas, and spaces
// that were measured completely (tuner/evaluate/replay.h).
//
//   bench_tuner synthetic [SEEDS]   how often the optimum is found, and after how many measurements
//   bench_tuner small [SEEDS]       the same with few trials and configurations that crash
//   bench_tuner recorded FRACTION SEEDS FILE...   how far from the best, after that part of the space;
//                                   the row `(default)`: how far the default is from it, without a search
//   bench_tuner json ...            the same as JSON, for measure.py
//
// A trial is a measurement that the search asks for, at any size; repeated ones count again, the final race
// does not count.
#include "tests/unit/tuner/interrupted.h"
#include "tuner/evaluate/replay.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

using namespace pbc::tuner;
using nlohmann::json;

constexpr double kMostNoise = 0.05; // of recorded runs

/// All strategies except those that go through a whole grid, which do not show how few trials a search needs.
std::vector<std::string> comparedStrategies() {
  std::vector<std::string> names;
  for (const Strategy *strategy : strategies())
    if (!strategy->isComplete)
      names.emplace_back(strategy->name);
  return names;
}

/// A program with two sites, three numbers on different scales and configurations that crash: for small
/// budgets.
struct Rough {
  ProgramSpace space;
  std::vector<TestSize> sizes{{"n=4096", 4096, 0}};

  Rough() {
    space.program = space.main = "Rough";
    space.hash = "h2";
    for (const char *name : {"Outer", "Inner"}) {
      Site site{name, name, "", {}};
      for (const char *alternative : {"A", "B", "C", "D"})
        site.alternatives.push_back({alternative, ""});
      space.sites.push_back(site);
    }
    space.tunables.push_back({"Outer", "block", "", true, true, 8, 1, 4096});
    space.tunables.push_back({"Outer", "share", "", true, false, 0, 0, 8});
    space.tunables.push_back({"Inner", "unroll", "", true, false, 1, 1, 16});
  }
  /// 1 at the best configuration: Outer B, Inner C below 64 and D above, block 256, share 5, unroll 4.
  static double truth(const Configuration &c) {
    double time = 1;
    for (long m = 4096; m >= 2; m /= 2) {
      time += c.selectors()[0].select(m) == 1 ? 0 : 0.12;
      time += c.selectors()[1].select(m) == (m < 64 ? 2 : 3) ? 0 : 0.1;
    }
    const double block = std::log2(c.tunables()[0] / 256), unroll = c.tunables()[2] - 4;
    time += 0.04 * block * block + 0.05 * std::abs(c.tunables()[1] - 5) + 0.01 * unroll * unroll;
    return 1e-3 * time;
  }
  static bool crashes(const Configuration &c) {
    return c.selectors()[0].select(4096) == 2 || c.tunables()[0] * c.tunables()[2] > 8192;
  }
};

class RoughEvaluator : public Evaluator {
public:
  explicit RoughEvaluator(std::uint64_t seed) : random_(seed) {}
  Measurement measure(const Request &request) override {
    clock_ += 1e-3;
    if (Rough::crashes(request.configuration))
      return {{}, Rejected{Failure::Crash, "ended by signal 11"}};
    Measurement result;
    for (int i = 0; i < request.trials; ++i)
      result.seconds.push_back(Rough::truth(request.configuration) * random_.lognormal(0.02));
    if (result.seconds.front() > request.limit)
      return {{}, Rejected{Failure::TooSlow, "stopped at its time limit"}};
    return result;
  }
  double elapsed() const override { return clock_; }
  bool stopped() const override { return false; }

private:
  Random random_;
  double clock_ = 0;
};

struct Figures {
  std::vector<double> quality; // time / the best known
  std::vector<double> trials;
  double seconds = 0;

  double share(double most) const {
    const auto good = std::count_if(quality.begin(), quality.end(), [&](double q) { return q <= most; });
    return static_cast<double>(good) / static_cast<double>(quality.size());
  }
  double mean() const {
    double sum = 0;
    for (const double q : quality)
      sum += std::log(q);
    return std::exp(sum / static_cast<double>(quality.size()));
  }
};

TuneSettings settingsOf(const std::string &strategy, std::uint64_t seed, int trials) {
  TuneSettings settings;
  settings.deadline = 1e9;
  settings.seed = seed;
  settings.trials = trials;
  settings.strategy = strategy == "auto" ? ChosenStrategy{} : parseStrategy(strategy);
  return settings;
}

template <typename Run>
Figures over(int seeds, const Run &run) {
  Figures figures;
  const auto begin = std::chrono::steady_clock::now();
  for (int seed = 1; seed <= seeds; ++seed)
    run(static_cast<std::uint64_t>(seed), figures);
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return figures;
}

Figures twelveLevels(const std::string &strategy, int seeds, int trials, double noise) {
  static const ProgramSpace space = syntheticSpace();
  return over(seeds, [&](std::uint64_t seed, Figures &figures) {
    const std::vector<TestSize> sizes = powersOfTwo(1, 23);
    Synthetic evaluator(space, sizes, noise, seed * 77);
    Silent silent;
    const TuneResult result = tune(space, sizes, {}, settingsOf(strategy, seed, trials), evaluator, silent);
    figures.quality.push_back(evaluator.truth(result.best, sizes.back().n) /
                              evaluator.optimum(sizes.back().n));
    figures.trials.push_back(result.measurements);
  });
}

Figures rough(const std::string &strategy, int seeds, int trials) {
  static const Rough problem;
  return over(seeds, [&](std::uint64_t seed, Figures &figures) {
    RoughEvaluator evaluator(seed * 77);
    Silent silent;
    const TuneResult result =
        tune(problem.space, problem.sizes, {}, settingsOf(strategy, seed, trials), evaluator, silent);
    figures.quality.push_back(Rough::truth(result.best) / 1e-3);
    figures.trials.push_back(result.measurements);
  });
}

/// `trials`: with `isTimed`, the number for which there is time.
Figures recorded(const MeasuredSpace &measured, const std::string &strategy, int seeds, int trials,
                 bool isTimed) {
  return over(seeds, [&](std::uint64_t seed, Figures &figures) {
    Replay replay(measured, seed * 77);
    Silent silent;
    TuneSettings settings = settingsOf(strategy, seed, isTimed ? 0 : trials);
    if (isTimed) { // as for long runs, the overhead is small
      replay.overhead = 0.01 * measured.sizes.back().defaultSeconds;
      settings.deadline = trials * (measured.sizes.back().defaultSeconds + replay.overhead);
    }
    const TuneResult result = tune(measured.space, measured.sizes, {}, settings, replay, silent);
    figures.quality.push_back(replay.truth(result.best) / replay.optimum());
    figures.trials.push_back(result.measurements);
  });
}

/// How far the default is from the best.
Figures byDefault(const MeasuredSpace &measured) {
  const Replay replay(measured, 1);
  return {{replay.truth(Configuration::defaults(measured.space)) / replay.optimum()}, {0}};
}

/// Runs of 50 us and more, on a machine where some runs are interrupted; 6 s. `equal`: nothing is faster than
/// the default.
json interrupted(double chance, bool equal, int seeds) {
  const std::vector<TestSize> sizes = powersOfTwo(9, 12);
  int changed = 0;
  double seconds = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Interrupted evaluator(sizes, chance, static_cast<std::uint64_t>(seed) * 77);
    if (equal)
      evaluator.seconds.assign(4, 12e-9);
    const TuneResult result = tuneInterrupted(evaluator, sizes, static_cast<std::uint64_t>(seed));
    changed += result.changed;
    seconds += evaluator.elapsed() / seeds;
  }
  return {{"interrupted", chance},
          {"equal", equal},
          {"changed", changed},
          {"seeds", seeds},
          {"seconds", seconds}};
}

json asJson(const std::string &problem, const std::string &strategy, int budget, const Figures &figures) {
  return {{"problem", problem},
          {"strategy", strategy},
          {"budget", budget},
          {"mean", figures.mean()},
          {"within_5_percent", figures.share(1.05)},
          {"optimum", figures.share(1.0001)},
          {"trials", median(figures.trials)},
          {"milliseconds_per_trial",
           1e3 * figures.seconds /
               std::max(1.0, median(figures.trials) * static_cast<double>(figures.quality.size()))}};
}

void show(const json &row) {
  fmt::print("{:<34} {:<13} {:>6} {:>8.3f} {:>8.1f} % {:>8.1f} % {:>7.0f} {:>8.3f} ms\n",
             row["problem"].get<std::string>(), row["strategy"].get<std::string>(), row["budget"].get<int>(),
             row["mean"].get<double>(), 100 * row["within_5_percent"].get<double>(),
             100 * row["optimum"].get<double>(), row["trials"].get<double>(),
             row["milliseconds_per_trial"].get<double>());
  std::fflush(stdout);
}

[[noreturn]] void usage() {
  fmt::print(stderr, "usage: bench_tuner [json] synthetic|small [SEEDS [STRATEGY...]]\n"
                     "       bench_tuner [json] interrupted [SEEDS]\n"
                     "       bench_tuner [json] recorded|timed PART SEEDS FILE... [-- STRATEGY...]\n");
  std::exit(2);
}

int run(std::vector<std::string> words) {
  const bool isJson = !words.empty() && words.front() == "json";
  if (isJson)
    words.erase(words.begin());
  if (words.empty())
    usage();
  json rows = json::array();
  const auto add = [&](const json &row) {
    rows.push_back(row);
    if (!isJson)
      show(row);
  };
  if (!isJson && words.front() != "interrupted")
    fmt::print("{:<34} {:<13} {:>6} {:>8} {:>10} {:>10} {:>7} {:>11}\n", "problem", "strategy", "budget",
               "mean", "within 5%", "optimum", "trials", "each");
  if (words.front() == "synthetic") {
    const int seeds = words.size() > 1 ? std::atoi(words[1].c_str()) : 200;
    std::vector<std::string> compared(words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)),
                                      words.end());
    if (compared.empty())
      compared = comparedStrategies();
    for (const double noise : {0.0, 0.02})
      for (const std::string &strategy : compared)
        add(asJson(fmt::format("12 levels and a ratio, noise {:.0f} %", 100 * noise), strategy, 5000,
                   twelveLevels(strategy, seeds, 5000, noise)));
  } else if (words.front() == "small") {
    const int seeds = words.size() > 1 ? std::atoi(words[1].c_str()) : 200;
    std::vector<std::string> compared(words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)),
                                      words.end());
    if (compared.empty())
      compared = comparedStrategies();
    for (const int budget : {40, 100, 300})
      for (const std::string &strategy : compared)
        add(asJson("rough, with crashes, noise 2 %", strategy, budget, rough(strategy, seeds, budget)));
  } else if (words.front() == "interrupted") {
    const int seeds = words.size() > 1 ? std::atoi(words[1].c_str()) : 200;
    for (const double chance : {0.0, 0.5, 0.8, 0.9, 0.95})
      for (const bool equal : {false, true})
        rows.push_back(interrupted(chance, equal, seeds));
    if (!isJson)
      for (const json &row : rows)
        fmt::print(
            "{:>4.0f} % of runs interrupted, {:<24} the default gives way in {:>3} of {}, after {:.1f} s\n",
            100 * row["interrupted"].get<double>(),
            row["equal"].get<bool>() ? "all equally fast:" : "5.8 times as fast is one:",
            row["changed"].get<int>(), row["seeds"].get<int>(), row["seconds"].get<double>());
  } else if ((words.front() == "recorded" || words.front() == "timed") && words.size() > 3) {
    const double fraction = std::atof(words[1].c_str());
    const int seeds = std::atoi(words[2].c_str());
    auto split = std::find(words.begin() + 3, words.end(), "--");
    std::vector<std::string> compared = comparedStrategies();
    if (split != words.end())
      compared.assign(split + 1, words.end());
    for (auto file = words.begin() + 3; file != split; ++file) {
      MeasuredSpace measured = readMeasuredSpace(*file);
      measured.noise = std::min(measured.noise, kMostNoise); // some were recorded on a busy machine
      const int points = static_cast<int>(measured.grid().size());
      const int trials = std::max(static_cast<int>(fraction * points), 1);
      const std::string name =
          fmt::format("{} ({} points)", std::filesystem::path(*file).stem().stem().string(), points);
      add(asJson(name, "(default)", trials, byDefault(measured)));
      for (const std::string &strategy : compared)
        add(asJson(name, strategy, trials,
                   recorded(measured, strategy, seeds, trials, words.front() == "timed")));
    }
  } else {
    usage();
  }
  if (isJson)
    fmt::print("{}\n", rows.dump());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception &problem) {
    fmt::print(stderr, "bench_tuner: {}\n", problem.what());
    return 1;
  }
}
