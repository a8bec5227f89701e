// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A stand-in for a generated program: one transform Sort with the alternatives MergeSort (default), QuickSort
// (twice as fast) and BadSort (ten times as fast, if it works), and a tunable. Times are computed, and the program
// sleeps for as long. Environment variables control it:
//
//   FAKE_BAD       what BadSort does: hang, crash, exit, wrong, wrong_large (from n = 4096 on), late (wrong after
//                  many runs), killed (by a signal from outside), slow, poison (works, but the configuration that
//                  is measured next in its process crashes), boast (reports more time than has passed)
//   FAKE_DEFAULT   even the default fails: crash, assert, hang (from n = 256 on), random, picky (with seeds other
//                  than 1)
//   FAKE_SEEDS     a file that gets the seeds
//   FAKE_SLEEP     milliseconds of real time that a measurement takes
//   FAKE_LOG       a file that gets a byte when a measurement begins
//   FAKE_THREADS   the number of threads, of which only two are useful, and each further one costs a fifth
//
// `fake_program tune ...` is the tuner itself, so that tests can send it signals.
#include "tuner/command.h"
#include "tuner/space/toml.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

using nlohmann::json;
using namespace pbc::tuner;

namespace {

const char *kInfo =
    R"({"name":"fake","hash":"f4ke","compiler":"pbc 0.1","main":"Sort","transforms":[{"name":"Sort",
  "matrices":[{"name":"A","role":"input","element":"f64","rank":1,"extents":"[n]"},
              {"name":"B","role":"output","element":"f64","rank":1,"extents":"[n]"}],
  "sizes":["n"],"params":[],"generator":null,
  "sites":[{"name":"Sort","doc":"","alternatives":[{"name":"MergeSort","doc":""},{"name":"QuickSort","doc":""},
                                                   {"name":"BadSort","doc":""}]}],
  "tunables":[{"name":"block","doc":"","kind":"integer","logarithmic":true,"initial":64,"min":1,"max":4096}]}]})";

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string info() {
  json all = json::parse(kInfo);
  if (!environment("FAKE_THREADS").empty())
    all["threads"] = {
        {"doc", "workers"}, {"initial", std::stoi(environment("FAKE_THREADS"))}, {"min", 1}, {"max", 1024}};
  return all.dump();
}

/// Crashes as programs do that run without a sanitizer.
void crash() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
}

/// Misbehaves as requested; returns whether the result agrees.
bool beBad(const std::string &how, long n) {
  if (how == "hang")
    std::this_thread::sleep_for(std::chrono::hours(1));
  if (how == "crash")
    crash();
  if (how == "killed")
    std::raise(SIGKILL);
  if (how == "exit") {
    std::cerr << "fake: error: cannot sort this\n";
    std::_Exit(3);
  }
  return how != "wrong" && !(how == "wrong_large" && n >= 4096);
}

json answer(const ProgramSpace &space, const json &request, long &n) {
  const std::string op = request.at("op");
  if (op == "sizes")
    return {{"ok", true}, {"sizes", {{"n", 256}}}};
  if (op == "prepare") {
    n = request.at("sizes").at("n");
    const long seed = request.at("seed");
    if (!environment("FAKE_SEEDS").empty())
      std::ofstream(environment("FAKE_SEEDS"), std::ios::app) << seed << '\n';
    if (environment("FAKE_DEFAULT") == "picky" && seed > 1)
      crash();
    if (environment("FAKE_DEFAULT") == "crash")
      crash();
    if (environment("FAKE_DEFAULT") == "hang" && n >= 256)
      std::this_thread::sleep_for(std::chrono::hours(1));
    if (environment("FAKE_DEFAULT") == "assert") {
      std::cerr << "a line before\nfake: error: JASSERT(n < 100) failed at f.pbcc:6: too large\n  n = "
                   "10000\n  m = 1\n";
      std::_Exit(1);
    }
    return {{"ok", true}, {"n", n}, {"seconds", 2e-7 * static_cast<double>(n)}};
  }
  const Configuration configuration = fromToml(space, request.at("config"), "request");
  const int use = configuration.selectors()[0].select(n);
  const std::string bad = environment("FAKE_BAD");
  if (!environment("FAKE_LOG").empty())
    std::ofstream(environment("FAKE_LOG"), std::ios::app) << '.';
  if (!environment("FAKE_SLEEP").empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(environment("FAKE_SLEEP"))));
  static bool isPoisoned = false;
  if (isPoisoned && use != 2)
    crash();
  isPoisoned = isPoisoned || (use == 2 && bad == "poison");
  const bool isLate = bad == "late" && request.value("compare", json()) == "last";
  const bool agrees = environment("FAKE_DEFAULT") != "random" && (use != 2 || (beBad(bad, n) && !isLate));
  double seconds = 1e-7 * static_cast<double>(n) * (use == 0 ? 2 : use == 1 ? 1 : bad == "slow" ? 50 : 0.2);
  seconds *= 1 + std::abs(std::log2(configuration.tunables()[0] / 256)) / 100;
  if (configuration.tunables().size() > 1)
    seconds *= 1 + 0.2 * std::abs(configuration.tunables()[1] - 2);
  std::cout << "a line that the program prints\n";
  const int trials = request.at("trials");
  if (bad != "boast" || use != 2) // reported times must have passed
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds * trials));
  return {{"ok", true},
          {"agrees", agrees},
          {"difference", agrees ? 0.0 : 0.5},
          {"seconds", std::vector<double>(static_cast<std::size_t>(trials),
                                          bad == "boast" && use == 2 ? 1e4 : seconds)}};
}

/// On the socket that the tuner has opened; each answer begins with the token of its request.
int serve(int channel) {
  const ProgramSpace space = parseProgramSpace(info());
  long n = 0;
  std::FILE *requests = fdopen(channel, "r+");
  if (!requests)
    return 2;
  char *line = nullptr;
  for (size_t room = 0; getline(&line, &room, requests) > 0;) {
    const std::string request = line;
    const size_t blank = request.find(' ');
    const std::string said = "\n" + request.substr(0, blank) + " " +
                             answer(space, json::parse(request.substr(blank)), n).dump() + "\n";
    if (write(channel, said.data(), said.size()) < 0)
      break;
  }
  std::free(line);
  std::fclose(requests);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "tune")
    return tuneCommand(argc - 1, argv + 1);
  if (mode == "--info") {
    std::cout << info() << std::endl;
    return 0;
  }
  for (int i = 2; mode == "--serve" && i < argc; ++i)
    if (const std::string option = argv[i]; option.starts_with("--channel="))
      return serve(std::stoi(option.substr(option.find('=') + 1)));
  return 2;
}
