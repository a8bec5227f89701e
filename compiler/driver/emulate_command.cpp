// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/emulate_command.h"
#include "compiler/driver/emulate_gpu.h"
#include "compiler/driver/emulate_processor.h"
#include "compiler/driver/emulate_report.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/run_command.h"
#include "compiler/driver/time_text.h"
#include "compiler/model/machine/machine_file.h"
#include "runtime/base/parse_status.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

struct EmulateOptions {
  std::string file, kernel, machine = "h100";
  std::optional<long> n;
  std::vector<std::string> sizes, scripts, words;
  std::optional<double> hits;
  std::optional<long> registers;
  std::vector<int> group, cells;
  std::vector<long> points;
  std::string device = "sm_90";
  TraceSource source = TraceSource::Loops;
  int mostPredictions = 200;
  bool isJson = false, showsTrace = false, alsoOthers = false, isGuided = false, isMeasured = false,
       onlyTimes = false;
};

std::string textOnProcessor(const Json &kernels, const std::string &machine, const std::string &file) {
  std::string text;
  for (const Json &k : kernels) {
    const std::string name = k["name"].get<std::string>();
    if (k.contains("why")) {
      text += fmt::format("{}{}: left out: {}\n", name,
                          k.contains("script") ? fmt::format(", by {}", k["script"].get<std::string>()) : "",
                          k["why"].get<std::string>());
      continue;
    }
    const std::string schedule = k["schedule"].get<std::string>();
    text += fmt::format("{} on {}, by {}{}\n  predicted for one thread: {}", name, machine,
                        schedule.empty() ? "the program's order" : schedule,
                        k.contains("verdict") ? ": " + k["verdict"].get<std::string>() : "",
                        timeText(k["seconds"].get<double>()));
    if (k.contains("measured_seconds"))
      text += fmt::format(", measured: {}", timeText(k["measured_seconds"].get<double>()));
    text += "\n" + elasticitiesText(k, file);
    if (k.contains("trace"))
      text += k["trace"].get<std::string>();
    if (k.contains("try")) {
      const Json &proposed = k["try"];
      text += fmt::format("  try {}: predicted {:.2f} times as fast", proposed["schedule"].get<std::string>(),
                          proposed["times_as_fast"].get<double>());
      if (proposed.contains("measured_seconds"))
        text += fmt::format(", measured: {}", timeText(proposed["measured_seconds"].get<double>()));
      text += fmt::format(" ({} schedules predicted)\n", proposed["predictions"].get<int>());
    }
  }
  return text;
}

std::string onProcessor(const EmulateOptions &o, const model::Machine &machine) {
  const Json kernels = describeOnProcessor({{o.file, o.kernel, o.n, o.sizes, o.words},
                                            o.alsoOthers,
                                            o.scripts,
                                            o.isGuided,
                                            o.isMeasured,
                                            o.showsTrace,
                                            o.mostPredictions,
                                            o.onlyTimes},
                                           machine);
  return o.isJson ? Json{{"machine", machine.name}, {"kernels", kernels}}.dump(2) + "\n"
                  : textOnProcessor(kernels, machine.name, o.file);
}

std::string onGpu(const EmulateOptions &o, const model::Machine &machine) {
  const GpuQuestion question{o.file,  o.kernel, o.sizes,  o.words,  o.n,      o.hits,       o.registers,
                             o.group, o.cells,  o.points, o.source, o.device, o.showsTrace, o.isGuided};
  const Json described = describeOnGpu(question, machine);
  return o.isJson ? described.dump(2) + "\n" : textOnGpu(described, question);
}

/// Options that have a meaning for the other kind of machine only.
void refuseOthers(const CLI::App &app, const model::Machine &machine) {
  const bool isGpu = machine.kind == model::MachineKind::Gpu;
  const std::vector<const char *> others =
      isGpu ? std::vector<const char *>{"--schedules", "--script", "--measure", "--times", "--predictions"}
            : std::vector<const char *>{"--hits",  "--registers", "--source", "--device",
                                        "--group", "--cells",     "--points"};
  for (const char *name : others)
    if (app.count(name) > 0)
      throw Refusal(
          fmt::format("pbc emulate: error: {} is for {}, and {} is a {}\nhelp: leave it away, or name {} "
                      "with --machine\n",
                      name, isGpu ? "processors" : "GPUs", machine.name, isGpu ? "GPU" : "processor",
                      isGpu ? "the file of a processor, made by pbc model measure," : "a GPU, as h100,"));
}

} // namespace

int emulateCommand(int argc, char **argv) {
  EmulateOptions o;
  CLI::App app("Predicts what limits kernels for devices: goes through the instructions of the warps that "
               "share a multiprocessor, without "
               "data, and changes one latency or throughput at a time");
  app.name("pbc emulate");
  app.footer("Example:\n  pbc emulate samples/matmul.pbcc --n=1024 --machine=h100");
  app.add_option("input", o.file, "a program, FILE.pbcc")->required();
  app.add_option("--kernel", o.kernel, "the kernel of this name only, TRANSFORM.RULE");
  app.add_option(
      "--machine", o.machine,
      "a machine that comes with pbc, as h100 or epyc7001, or a file of pbc model measure (default h100)");
  app.add_option("--n", o.n, "the value of all sizes, for loops whose length they decide (default: long)")
      ->check(CLI::Range(1L, 1'000'000'000L));
  app.add_option("--size", o.sizes, "the value of one size, NAME=VALUE; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--hits", o.hits,
                 "the share of accesses that the second cache serves, 0 to 1 (default: what neighbours load, "
                 "too, comes from caches)")
      ->check([](const std::string &text) { // a range lets `nan` pass
        double share = 0;
        return CLI::detail::lexical_cast(text, share) && share >= 0 && share <= 1
                   ? std::string()
                   : fmt::format("{} is no share from 0 to 1", text);
      });
  app.add_option("--registers", o.registers,
                 "of an item, which limit how many groups there are at once; 0: no limit (default: those of "
                 "the machine code, where NVRTC is installed)")
      ->check(CLI::Range(0L, 255L));
  app.add_flag("--schedules", o.alsoOthers,
               "on processors: other schedules than the default, too, one for each value of each option");
  app.add_option(
         "--script", o.scripts,
         "on processors: the schedule that these steps make, too, as in [kernels] of a configuration; "
         "may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag(
      "--times", o.onlyTimes,
      "on processors: the predicted times alone, without what limits kernels, which takes longer to find");
  app.add_flag("--guide", o.isGuided,
               "the schedule, too, that a search proposes which follows what limits the kernel; on GPUs: the "
               "shape of groups and items");
  app.add_option("--predictions", o.mostPredictions,
                 "on processors, with --guide: at most so many schedules are predicted (default 200)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--measure", o.isMeasured,
               "on processors: the times on this machine, too, of each kernel alone on one thread");
  app.add_option("--group", o.group,
                 "items of a group along x, y and z, as 64,2 (default: those of the compiler)")
      ->delimiter(',')
      ->expected(1, 3)
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 1024));
  app.add_option("--cells", o.cells,
                 "points of an item along x, y and z, for versions that have several, as 4,8")
      ->delimiter(',')
      ->expected(1, 3)
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 64));
  app.add_option("--points", o.points,
                 "how many points a launch has along x, y and z, as 8192,8192: predicts its time, too "
                 "(default: a full device)")
      ->delimiter(',')
      ->expected(1, 3)
      ->allow_extra_args(false)
      ->check(CLI::Range(1L, 1'000'000'000L));
  app.add_option("--source", o.source,
                 "from what instructions are taken: loops, the compiler's own (default), ptx or sass, those "
                 "that NVRTC makes")
      ->transform(CLI::CheckedTransformer(std::map<std::string, TraceSource>{
          {"loops", TraceSource::Loops}, {"ptx", TraceSource::Ptx}, {"sass", TraceSource::MachineCode}}));
  app.add_option("--device", o.device, "the architecture for which NVRTC compiles (default sm_90)");
  app.add_flag("--trace", o.showsTrace, "print the instructions of a warp or of a thread, too");
  app.add_flag("--json", o.isJson, "print it as JSON");
  app.add_option("words", o.words, "after `--`: further options for the compiler, as -DN=4");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return pb::base::parseStatus(app, e);
  }
  return runCommand("pbc emulate", [&] {
    try {
      const model::Machine machine = model::findMachine(o.machine);
      refuseOthers(app, machine);
      return machine.kind == model::MachineKind::Processor ? onProcessor(o, machine) : onGpu(o, machine);
    } catch (const model::Problem &problem) {
      throw Refusal(fmt::format("pbc emulate: error: {}\n{}", problem.what(),
                                problem.help().empty() ? "" : fmt::format("help: {}\n", problem.help())));
    }
  });
}

} // namespace pbc::driver
