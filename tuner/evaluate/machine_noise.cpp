// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/machine_noise.h"

#include "tuner/base/text.h"
#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace pbc::tuner {
namespace {

constexpr double kLoop = 0.002; // seconds
constexpr int kLoops = 40;

/// The time of a loop that depends only on the clock and the scheduler.
double timeOfLoop(long rounds) {
  const double begin = steadySeconds();
  volatile unsigned long state = 1; // so that the loop stays
  for (long i = 0; i < rounds; ++i)
    state = state * 6364136223846793005UL + 1442695040888963407UL;
  return steadySeconds() - begin;
}

/// Seconds that all processors together have worked since the machine was started.
double workOfMachine() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0;
  file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft;
  return (user + nice + system + interrupts + soft) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double workOfOurs() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval &t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

double relativeDeviation(std::vector<double> values) {
  constexpr double kOfNormal = 1.4826; // the median absolute deviation of normal values is 1/1.4826 of sigma
  if (values.size() < 2)
    return 0;
  const double middle = median(values);
  for (double &value : values)
    value = std::fabs(value - middle);
  return middle > 0 ? kOfNormal * median(values) / middle : 0;
}

MachineNoise measureNoise(Worker &worker, const std::string &toml, double seconds, double most) {
  MachineNoise noise;
  noise.processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  long rounds = 1 << 16;
  while (timeOfLoop(rounds) < kLoop / 2 && rounds < 1L << 30)
    rounds *= 2;
  const double begin = steadySeconds(), others = workOfMachine() - workOfOurs();
  std::vector<double> loops;
  for (int i = 0; i < kLoops; ++i)
    loops.push_back(timeOfLoop(rounds));
  noise.busyProcessors = std::clamp((workOfMachine() - workOfOurs() - others) / (steadySeconds() - begin),
                                    0.0, static_cast<double>(noise.processors));
  noise.ofLoop = relativeDeviation(loops);
  const double fewest = 3 * seconds > most ? 1 : 3;
  const int runs = static_cast<int>(std::clamp(std::min(0.4, most) / std::max(seconds, 1e-9), fewest, 25.0));
  const double patience = 5 + 20 * seconds * (runs + 1);
  const auto answer = worker.measure(toml, runs, patience, patience);
  if (!answer)
    return noise;
  if (!answer.value->agrees)
    noise.disagreement = answer.value->disagreement;
  noise.runs = static_cast<int>(answer.value->seconds.size());
  noise.seconds = median(answer.value->seconds);
  noise.ofProgram = relativeDeviation(answer.value->seconds);
  return noise;
}

std::string inWords(const MachineNoise &noise, const std::string &of) {
  std::string text = fmt::format("a loop of 2 ms by {:.1f} %", 100 * noise.ofLoop);
  if (noise.runs > 1)
    text = fmt::format("{} runs of the {} ({}) differ by {:.1f} %, {}", noise.runs, of,
                       tuner::seconds(noise.seconds), 100 * noise.ofProgram, text);
  if (noise.busyProcessors > 0.15)
    text += fmt::format("; others use {:.1f} of {} processors: clearer without them", noise.busyProcessors,
                        noise.processors);
  return text;
}

} // namespace pbc::tuner
