// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/command.h"

#include "runtime/base/parse_status.h"
#include "tuner/kernels/session.h"
#include "tuner/session.h"
#include "tuner/space/program_space.h"
#include "tuner/strategy/objective.h"
#include "tuner/strategy/strategy.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

/// "w=1024" and the like into the map; CLI11 shows the text of what is thrown.
void readSizes(const std::vector<std::string> &texts, std::map<std::string, long> *sizes) {
  for (const std::string &text : texts) {
    const std::size_t equals = text.find('=');
    char *end = nullptr;
    const long value = equals == std::string::npos ? 0 : std::strtol(text.c_str() + equals + 1, &end, 10);
    if (equals == std::string::npos || equals == 0 || end == text.c_str() + equals + 1 || *end != '\0')
      throw CLI::ValidationError("--size", "'" + text + "' is not of the form w=1024");
    if (sizes->contains(text.substr(0, equals)))
      throw CLI::ValidationError("--size",
                                 "'" + text + "': " + text.substr(0, equals) + " has a size already");
    if (value < 1 || value > 2147483647) // as --n
      throw CLI::ValidationError("--size",
                                 "'" + text + "': a size is a whole number above 0, at most 2147483647");
    (*sizes)[text.substr(0, equals)] = value;
  }
}

CLI::Validator seconds() {
  const auto check = [](const std::string &text) {
    double value = 0;
    const bool isNumber = CLI::detail::lexical_cast(text, value);
    return isNumber && value > 0 && value <= 1e9 ? std::string()
                                                 : "'" + text + "' is not a number of seconds above 0";
  };
  return {check, "SECONDS"};
}

/// Refuses options of the search for choices: kernels are searched one option at a time, and most of the time
/// is spent compiling.
void refuseForKernels(const TuneOptions &options) {
  const char *name = !options.strategy.empty()    ? "--strategy"
                     : !options.record.empty()    ? "--record"
                     : !options.objective.empty() ? "--objective"
                     : !options.front.empty()     ? "--pareto"
                                                  : nullptr;
  if (name)
    throw TunerError(
        fmt::format("{} is for choices, not for --kernels, whose options are tried one at a time\n"
                    "  help: --budget=SECONDS and --trials=N limit how long that takes",
                    name));
}

} // namespace

int tuneCommand(int argc, char **argv) {
  TuneOptions options;
  std::vector<std::string> sizes;
  CLI::App app(
      "Finds the fastest choices of a program on this machine and writes them where it looks for them.",
      "pbc tune");
  app.add_option("program", options.program, "a program made by pbc; with --kernels its source")->required();
  app.add_option("-o,--output", options.output,
                 "the configuration to write (default: PROGRAM.cfg, which the program "
                 "picks up by itself); with --kernels the program to make");
  app.add_option("-n,--n", options.n,
                 "the largest size, for every size variable that is not a small constant")
      ->check(CLI::Range(1, 2147483647).description("a whole number above 0"));
  app.add_option("--size", sizes, "the largest size of one variable, NAME=VALUE; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--input", options.inputs, "files for the program's inputs; sizes and data come from them")
      ->check(CLI::ExistingFile)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--budget", options.budget, "seconds to spend (default: 5, 50, 600 or 1800 by --effort)")
      ->check(seconds());
  app.add_option("--trials", options.trials,
                 "measurements that the search may make, without the final race; with --kernels, variants "
                 "that it may "
                 "try (default: as many as there is time for)")
      ->check(CLI::Range(1, 1000000000).description("a whole number above 0"));
  app.add_option(
         "--effort", options.effort,
         "instant (each alternative alone), quick, full, or prove (every point of a grid over the space, "
         "as fine as the budget allows)")
      ->check(CLI::IsMember({"instant", "quick", "full", "prove"}))
      ->capture_default_str();
  app.add_option("--strategy", options.strategy,
                 "the search strategy, NAME or NAME:OPTION=VALUE (see below; default: by budget)");
  app.add_option("--objective", options.objective,
                 "what to minimise: time, energy (counters of the processor, RAPL, and of NVIDIA's devices, "
                 "NVML), memory (the most at once), or a product, as energy*time (default: time)");
  app.add_option(
         "--pareto", options.front,
         "two objectives, as time,memory: finds all configurations that no other one beats in both (the "
         "Pareto "
         "front) and writes each, with a plot; the best for the first objective becomes the configuration")
      ->excludes("--objective");
  app.add_option("--seed", options.seed, "seed of the search and of random inputs")
      ->check(CLI::Range(0L, 1L << 53).description("a whole number from 0 to 2^53"))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "number of threads of the program (default: the tuner decides)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--memory", options.memoryMegabytes,
                 "memory that the program may use, in MB (default: three quarters of what is free)")
      ->check(CLI::Range(1, 1 << 30).description("a whole number above 0"));
  app.add_option("--compile-limit", options.compileLimit,
                 "seconds after which a kernel for a device that is still being compiled counts as a failure "
                 "(default: 30); with --kernels, a variant of the program (default: 10, and 5 times what the "
                 "program itself took)")
      ->check(seconds());
  app.add_flag("--fresh", options.fresh, "measure again what the journal already knows");
  app.add_flag(
         "--refresh", options.refresh,
         "start from the existing configuration and tune only what has changed since it was made: "
         "entries that do not fit, transforms with another text, or, on another machine, everything, near "
         "the values in the file; at the file's sizes, unless others are given; a tenth of the time, or "
         "--budget")
      ->excludes("--fresh");
  app.add_flag(
         "--kernels", options.kernels,
         "tune what is decided when a program is compiled, the schedules of its loops, instead of choices. "
         "Compiles variants of PROGRAM.pbcc, writes the best program, and stores its schedules in the "
         "configuration")
      ->excludes("--fresh")
      ->excludes("--refresh");
  app.add_option("-j,--jobs", options.jobs, "with --kernels: compilations at once (default: one a processor)")
      ->check(CLI::Range(1, 256));
  app.add_option("words", options.words,
                 "with --kernels or --bounds, after `--`: further options for pbc, as -lm or -DN=4");
  app.add_option("--report", options.report,
                 "the page that reports what was found and how (default: PROGRAM.tune.html beside the "
                 "configuration; `none`: no page)")
      ->excludes("--kernels");
  app.add_option(
         "--record", options.record,
         "instead of tuning, measure every point of a grid over the space (at most --trials, default 3000) "
         "and write the times into this file, for simulations")
      ->excludes("--refresh")
      ->excludes("--objective")
      ->excludes("--pareto");
  app.add_option(
         "--bounds", options.bounds,
         "the program's source, FILE.pbcc: what its rules have to do bounds the times of configurations, and "
         "those that cannot be the fastest are not run")
      ->check(CLI::ExistingFile)
      ->excludes("--kernels")
      ->excludes("--objective")
      ->excludes("--pareto")
      ->excludes("--record");
  app.add_option("--machine", options.machine,
                 "for bounds and predictions, with --bounds, --kernels --effort=prove or --guide: the "
                 "machine's description, FILE.toml of pbc "
                 "model measure (default: measured for some seconds)");
  app.add_option(
         "--enough", options.enough,
         "with --kernels --effort=prove: a kernel whose time is at most so many times its bound is left "
         "alone (default 1.05)")
      ->check(CLI::Range(1.0, 1e6));
  app.add_flag("--why", options.why,
               "with --bounds: also what is predicted to limit each rule at the largest size, for pbc "
               "explain ./prog and the page");
  app.add_flag("--guide", options.guide,
               "with --kernels: try first the schedule of each kernel that is predicted to be fast, by "
               "following what limits it "
               "(pbc emulate --guide), order edits by predictions, and leave out most of those that are "
               "predicted to be slow. With --bounds: first measure, at the full size, the alternatives and "
               "schedules that are predicted to be fast");
  app.add_flag("--json", options.json, "print the result as JSON on standard output");
  app.footer(
      "Example:\n"
      "  pbc sort.pbcc -o sort\n"
      "  pbc tune ./sort --budget=20     writes sort.cfg\n"
      "  ./sort numbers.npy sorted.npy   uses it\n"
      "  pbc tune --kernels blur.pbcc --n=2000   compiles variants; ./blur and blur.cfg are the best\n"
      "  pbc tune ./sort --pareto=time,memory    sort.front/1.cfg, 2.cfg, ... and a plot, sort.front.html\n"
      "\n"
      "Ctrl-C ends the tuning and keeps the best so far. Each measurement is in PROGRAM.tune.sqlite; tuning\n"
      "again goes on from there. PROGRAM.tune.html reports what was found; pbc explain ./PROGRAM prints "
      "it.\n\n" +
      strategyHelp());
  try {
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) // else the next word is taken for it
      if (const std::string_view word(argv[i]); word.starts_with("--") && word.ends_with("="))
        throw CLI::ValidationError(std::string(word.substr(0, word.size() - 1)), "expects a value after =");
    app.parse(argc, argv);
    readSizes(sizes, &options.sizes);
    if (app.count("--output") && options.output.empty())
      throw CLI::ValidationError("--output", "expects the name of a file");
  } catch (const CLI::ParseError &problem) {
    return pb::base::parseStatus(app, problem);
  }
  try {
    if (!options.kernels && (options.jobs || (options.bounds.empty() && !options.words.empty())))
      throw TunerError("--jobs, and words after the program's name, go with --kernels: they are for the "
                       "compiler\n  help: a program whose name begins with - is ./-NAME");
    const bool proves = options.kernels && options.effort == "prove";
    if (options.bounds.empty() && !proves &&
        ((!options.machine.empty() && !options.guide) || app.count("--enough")))
      throw TunerError("--machine and --enough are for bounds\n"
                       "  help: --bounds=FILE.pbcc, or --kernels --effort=prove");
    if (options.guide && !options.kernels && options.bounds.empty())
      throw TunerError("--guide predicts what is in a source\n"
                       "  help: --bounds=FILE.pbcc names that of the program; or tune kernels, --kernels "
                       "FILE.pbcc");
    if (options.why && options.bounds.empty())
      throw TunerError("--why says what limits the rules of a source\n"
                       "  help: --bounds=FILE.pbcc names it");
    if (options.kernels)
      refuseForKernels(options);
    if (!options.strategy.empty())
      parseStrategy(options.strategy); // errors in it are reported before anything is measured
    if (!options.objective.empty())
      Objective::parse(options.objective);
    if (!options.front.empty())
      parseFront(options.front);
    if (options.refresh && !options.front.empty())
      throw TunerError("--refresh goes on from one configuration, a front has many\n"
                       "  help: leave out --refresh: what the journal knows is not measured again");
    if (options.refresh && !options.strategy.empty())
      throw TunerError("--refresh goes its own way from the stored configuration: without --strategy\n"
                       "  help: to search anew from it, leave out --refresh");
    return options.kernels ? runKernelSession(options) : runSession(options);
  } catch (const TunerError &problem) {
    fmt::print(stderr, "pbc tune: error: {}\n", pb::base::visible(problem.what()));
  } catch (const std::exception &problem) {
    fmt::print(
        stderr,
        "pbc tune: internal error: {}\n  help: this is a fault of pbc; please report it with the command\n",
        pb::base::visible(problem.what()));
  }
  return 1;
}

} // namespace pbc::tuner
