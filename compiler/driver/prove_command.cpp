// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/prove_command.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/driver/machine_rates.h"
#include "compiler/driver/memory_limit.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/prove_report.h"
#include "compiler/driver/run_command.h"
#include "compiler/driver/time_text.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/print.h"
#include "compiler/search/device/device_model.h"
#include "compiler/search/prove/chain_model.h"
#include "compiler/search/prove/machine_times.h"
#include "compiler/search/prove/nest_model.h"
#include "compiler/search/prove/rates_of.h"
#include "compiler/search/record/recorder.h"
#include "compiler/search/strategy/search.h"
#include "runtime/base/machine.h"
#include "runtime/base/parse_status.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace pbc::driver {
namespace {

/// Set by the first signal that asks the process to end; the second one ends it.
std::atomic<bool> isInterrupted{false};

void interrupt(int number) {
  isInterrupted = true;
  std::signal(number, SIG_DFL);
}

struct ProveOptions {
  KernelRequest request;
  search::NestOptions nest;
  search::SearchOptions search;
  std::string strategy = std::string(search::strategies().front().name);
  std::string machine, journal;
  std::string device; // "cuda:0"; "": the processor
  std::string record; // the file to be written; "": none
  bool isJson = false, noCopies = false, isQuiet = false;
  long mostRecorded = 200'000;
};

class Prove {
public:
  explicit Prove(const ProveOptions &options) : options_(options) {}

  std::string run() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
      std::signal(number, interrupt);
    if (options_.request.file.ends_with(kRecordSuffix))
      return options_.record.empty()
                 ? replay()
                 : refuse(fmt::format("{} cannot be recorded again", options_.request.file),
                          "--record=FILE takes a program or a kernel");
    const KernelInput input("pbc prove", options_.request);
    const MemoryLimit limit(defaultMemoryLimit());
    if (!options_.record.empty() && input.kernels().size() != 1)
      return refuse("a record is of one kernel", "--kernel=NAME chooses it");
    if (options_.device.empty()) {
      machine_ = machineFor("pbc prove", options_.machine, options_.isQuiet);
      rates_ = ratesFor("pbc prove", machine_, pb::base::thisMachine());
      if (options_.nest.cores > 1)
        ofAllCores_ = search::ratesOfCores(machine_, pb::base::thisMachine(), options_.nest.cores);
    } else {
      machine_ = gpuFor(options_.machine);
    }
    std::vector<Json> all;
    for (const kernel::Scheduled &kernel : input.kernels()) {
      if (isInterrupted)
        break;
      all.push_back(options_.device.empty() ? prove(kernel, input.valuesOf(kernel))
                                            : proveOnDevice(kernel, input.valuesOf(kernel)));
    }
    return printed(all);
  }

private:
  static constexpr const char *kRecordSuffix = ".record";

  [[noreturn]] static std::string refuse(const std::string &problem, const std::string &help = "") {
    throw Refusal(fmt::format("pbc prove: error: {}\n{}", problem,
                              help.empty() ? "" : fmt::format("help: {}\n", help)));
  }

  std::string printed(const std::vector<Json> &kernels) const {
    if (options_.isJson)
      return Json{{"kernels", kernels}}.dump(2) + "\n";
    std::string text;
    for (const Json &kernel : kernels)
      text += proveText(kernel);
    return text;
  }

  static model::Machine gpuFor(const std::string &named) {
    if (named.empty())
      refuse("--device needs --machine", "name the description of that GPU: one of pbc model, or FILE.toml "
                                         "of pbc model measure --device=...");
    model::Machine machine = machineFor("pbc prove", named, true);
    if (machine.kind != model::MachineKind::Gpu)
      refuse(fmt::format("{} is no GPU", machine.name), "--device needs the description of one");
    return machine;
  }

  Json proveOnDevice(const kernel::Scheduled &kernel, const std::map<std::string, long> &values) const {
    Json out = {{"kernel", kernel.name}, {"sizes", sizesText(values)}, {"device", options_.device}};
    try {
      const auto journal = journalOf(kernel, values);
      search::DeviceTimes times(kernel, values, options_.device, *journal);
      search::DeviceModel model(kernel, values, gpuRatesFor("pbc prove", machine_), times);
      const search::DeviceProgram own = search::defaultLaunch(model.launches(0).version());
      const search::Measurement made = times.of(own, 0);
      // Each version is looked at early.
      search::SearchOptions search = options_.search;
      search.dives = int(model.roots());
      searched(model, search, search::lineOf(own), made.fate == search::Fate::Measured ? made.seconds : 0,
               out);
    } catch (const search::Unsearchable &problem) {
      out["why"] = problem.what();
    }
    return out;
  }

  Json prove(const kernel::Scheduled &kernel, const std::map<std::string, long> &values) const {
    search::NestOptions nest = options_.nest;
    nest.values = values;
    nest.streamsBeyond = pb::base::lastCache(pb::base::thisMachine());
    Json out = {{"kernel", kernel.name}, {"sizes", sizesText(values)}};
    try {
      const auto journal = journalOf(kernel, values);
      search::MachineTimes times(kernel, values, *journal, nest.cores);
      // What the compiler does by itself has to be beaten.
      const script::Script policy = kernel::Scheduler(kernel).schedule().report.script;
      const search::Measurement own = times.of(policy, 0);
      const double defaultSeconds = own.fate == search::Fate::Measured ? own.seconds : 0;
      if (nest.cores > 1 && search::isChain(kernel))
        throw search::Unsearchable(search::kChainsAreOfOneCore);
      if (options_.record.empty() && search::isChain(kernel)) {
        search::ChainModel model(kernel, nest, rates_, times);
        searched(model, options_.search, script::line(policy), defaultSeconds, out);
      } else if (options_.record.empty()) {
        search::NestModel model(kernel, nest, rates_, times, ofAllCores_);
        searched(model, options_.search, script::line(policy), defaultSeconds, out);
      } else {
        record(kernel, nest, times, *journal, script::line(policy), defaultSeconds, out);
      }
    } catch (const search::Unsearchable &problem) {
      out["why"] = problem.what();
    }
    return out;
  }

  void searched(search::Model &model, search::SearchOptions search, const std::string &defaultScript,
                double defaultSeconds, Json &out) const {
    search.isInterrupted = &isInterrupted;
    const std::string name = out["kernel"];
    if (!options_.isQuiet)
      search.progress = [&](const search::SearchResult &r) {
        say(r.best ? fmt::format("{}: best {}, bound {}, gap {}; {} measured, {} cut\n", name,
                                 timeText(r.best->seconds), timeText(r.bound), gapText(r.gap()),
                                 r.statistics.measured, r.statistics.cut)
                   : fmt::format("{}: {} measured\n", name, r.statistics.measured));
        return true;
      };
    if (defaultSeconds > 0) {
      search.incumbent = defaultSeconds;
      out["default_seconds"] = defaultSeconds;
      out["default_script"] = defaultScript;
    }
    describeSearch(model, search::search(model, search), out);
  }

  /// Measures all programs, and writes the record once it has all times.
  void record(const kernel::Scheduled &kernel, const search::NestOptions &nest, search::MachineTimes &times,
              search::Journal &journal, const std::string &defaultScript, double defaultSeconds,
              Json &out) const {
    search::Recorder recorder(kernel, nest, times, journal, options_.mostRecorded);
    const auto start = std::chrono::steady_clock::now();
    const bool isWhole = recorder.run([&](const search::Recorder::Progress &p) {
      if (!options_.isQuiet)
        say(fmt::format("{}: {} of {} scripts; {} programs measured\n", kernel.name, p.known, p.scripts,
                        p.measured));
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      return !isInterrupted && (options_.search.seconds == 0 || elapsed.count() < options_.search.seconds);
    });
    const search::Recorder::Progress &p = recorder.progress();
    out["programs"] = p.leaves;
    out["scripts"] = p.scripts;
    out["known"] = p.known;
    if (!isWhole) {
      out["why"] = fmt::format("{} of {} scripts have a time; with --journal the same command goes on",
                               p.known, p.scripts);
      return;
    }
    search::Record made{
        kernel.name,   kernel::print(kernel),   nest,
        machine_,      pb::base::thisMachine(), fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))),
        defaultScript, defaultSeconds,          {}};
    recorder.addTo(made);
    try {
      search::writeRecord(made, options_.record);
    } catch (const std::runtime_error &problem) {
      refuse(problem.what());
    }
    out["record"] = options_.record;
  }

  /// A search whose times are those of a record.
  std::string replay() const {
    poly::Context context;
    try {
      const search::Record record = search::readRecord(options_.request.file);
      const kernel::Scheduled kernel = search::kernelOf(record, context);
      search::RecordedTimes times(record);
      Json out = {{"kernel", record.name},
                  {"sizes", sizesText(record.options.values)},
                  {"date", record.date},
                  {"processor", record.processor.processor}};
      search::NestModel model(kernel, record.options, ratesFor("pbc prove", record.machine, record.processor),
                              times);
      const auto [script, seconds] = search::fastest(record);
      out["recorded_script"] = script;
      out["recorded_seconds"] = seconds;
      // The default is no program of the space, and is not to be found.
      searched(model, options_.search, record.defaultScript, 0, out);
      return printed({out});
    } catch (const std::runtime_error &problem) {
      refuse(problem.what());
    }
  }

  std::unique_ptr<search::Journal> journalOf(const kernel::Scheduled &kernel,
                                             const std::map<std::string, long> &values) const {
    if (options_.journal.empty())
      return std::make_unique<search::Journal>();
    try {
      return std::make_unique<search::Journal>(options_.journal, keyOf(kernel, values));
    } catch (const std::runtime_error &problem) {
      throw Refusal(fmt::format("pbc prove: error: {}\nhelp: --journal=FILE takes a journal of pbc prove, or "
                                "a file that does not exist yet\n",
                                problem.what()));
    }
  }

  std::string keyOf(const kernel::Scheduled &kernel, const std::map<std::string, long> &values) const {
    const std::string cores = options_.nest.cores > 1 ? fmt::format(", {} cores", options_.nest.cores) : "";
    return search::journalKey(kernel.name, sizesText(values) + cores,
                              options_.device.empty() ? pb::base::thisMachine().processor : options_.device,
                              kernel::print(kernel));
  }

  const ProveOptions &options_;
  model::Machine machine_;
  search::Rates rates_;
  std::optional<search::Rates> ofAllCores_; // if there are several
};

} // namespace

int proveCommand(int argc, char **argv) {
  ProveOptions o;
  CLI::App app("Searches the fastest implementation of kernels on this machine by branch and bound, and says "
               "how much faster another one "
               "could be at most.",
               "pbc prove");
  app.footer("Example:\n  pbc prove heat.pbcc --n=2048 --budget=60");
  addOptions(app, o.request);
  o.request.withChains = true;
  o.search.seconds = 60;
  o.search.enough = 1.05;
  std::vector<std::string> names;
  std::string strategyHelp = "how the next region is chosen:";
  for (const search::Strategy &s : search::strategies()) {
    names.emplace_back(s.name);
    strategyHelp += fmt::format(" {}: {}", s.name, s.doc);
  }
  app.add_option("--budget", o.search.seconds, "seconds for each kernel; 0: until nothing is left")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--measured", o.search.mostMeasured, "measurements at most")->check(CLI::PositiveNumber);
  app.add_option("--enough", o.search.enough, "end when the best time is at most so many times the bound")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--strategy", o.strategy, strategyHelp)->check(CLI::IsMember(names));
  app.add_option(
         "--threads", o.search.threads,
         "threads that look at regions; programs are measured one after the other, and what is found does "
         "not depend on their number")
      ->check(CLI::Range(1, 256));
  app.add_option("--seed", o.search.seed, "for random descents and orders");
  app.add_flag("--any-order", o.search.isAnyOrder,
               "decide in a random order, to test that no order loses the fastest program");
  app.add_option("--machine", o.machine,
                 "the machine's description, FILE.toml of pbc model measure; needed with --device");
  app.add_option("--journal", o.journal, "file for the times, from which a search goes on");
  CLI::Option *const device = app.add_option("--device", o.device,
                                             "search the fastest launch on a device of this machine (cuda:0, "
                                             "opencl:0, fake) instead: which version, "
                                             "and how many items and points a group has");
  device->excludes(app.add_option("--tiles", o.nest.tileSizes, "sizes of tiles")
                       ->delimiter(',')
                       ->check(CLI::Range(2L, 65536L)));
  device->excludes(
      app.add_option("--levels", o.nest.mostLevels, "tiles in tiles of one loop")->check(CLI::Range(0, 3)));
  device->excludes(
      app.add_option("--unrolled", o.nest.unrolled, "copies of a body that loops written out may make")
          ->check(CLI::Range(1L, 4096L)));
  device->excludes(app.add_flag("--no-copies", o.noCopies, "without copies of parts of inputs"));
  CLI::Option *const cores =
      app.add_option("--cores", o.nest.cores,
                     "cores that share the iterations of one loop, each with a thread of its own")
          ->check(CLI::Range(1, 64));
  device->excludes(cores);
  app.add_flag("--all", o.search.measuresAll,
               "cut nothing and measure every program, to compare bounds with times");
  CLI::Option *const record = app.add_option(
      "--record", o.record,
      "measure every program, in large batches, and write all times to this file, NAME.record, which can be "
      "given as input in place of a program");
  device->excludes(record);
  record->excludes(cores);
  app.add_flag("--quiet", o.isQuiet, "print the result only");
  app.add_flag("--json", o.isJson, "print it as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return pb::base::parseStatus(app, e);
  }
  o.nest.copiesInputs = !o.noCopies;
  o.search.strategy = search::findStrategy(o.strategy);
  return runCommand("pbc prove", [&] { return Prove(o).run(); });
}

} // namespace pbc::driver
