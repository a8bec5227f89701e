// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/emulate_command.h"
#include "compiler/driver/emulate_processor.h"
#include "compiler/driver/emulate_report.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/run_command.h"
#include "compiler/driver/time_text.h"
#include "compiler/emit/device_texts.h"
#include "compiler/emulate/device/warp_trace.h"
#include "compiler/emulate/verdict.h"
#include "compiler/loop/walk.h"
#include "compiler/model/machine/machine_file.h"
#include "runtime/base/parse_status.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

struct EmulateOptions {
  std::string file, kernel, machine = "h100";
  std::optional<long> n;
  std::vector<std::string> sizes, words;
  double hits = 0;
  long registers = 0;
  bool isJson = false, alsoOthers = false, isGuided = false, isMeasured = false;
};

std::string textOnProcessor(const Json &kernels, const std::string &machine) {
  std::string text;
  for (const Json &k : kernels) {
    const std::string name = k["name"].get<std::string>();
    if (k.contains("why")) {
      text += fmt::format("{}: left out: {}\n", name, k["why"].get<std::string>());
      continue;
    }
    text += fmt::format("{} on {}, by {}: {}\n  predicted for one thread: {}", name, machine,
                        k["schedule"].get<std::string>(), k["verdict"].get<std::string>(),
                        timeText(k["seconds"].get<double>()));
    if (k.contains("measured_seconds"))
      text += fmt::format(", measured: {}", timeText(k["measured_seconds"].get<double>()));
    text += "\n" + elasticitiesText(k);
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
  const Json kernels = describeOnProcessor(
      {{o.file, o.kernel, o.n, o.sizes, o.words}, o.alsoOthers, o.isGuided, o.isMeasured}, machine);
  return o.isJson ? Json{{"machine", machine.name}, {"kernels", kernels}}.dump(2) + "\n"
                  : textOnProcessor(kernels, machine.name);
}

class Emulate {
public:
  Emulate(const EmulateOptions &options, const model::Machine &machine)
      : options_(options), gpu_(emulate::gpuCoreOf(machine)), sizes_(sizesOf("pbc emulate", options.sizes)) {}

  std::string run() {
    std::vector<std::string> names;
    const bool isGood = withKernels(options_.file, options_.words, [&](const emit::Input &input) {
      for (const emit::DeviceSource &kernel : emit::deviceSources(input)) {
        const std::string name = kernel.transform + "." + kernel.step;
        names.push_back(name);
        if (options_.kernel.empty() || options_.kernel == name)
          described_.push_back(describe(kernel, name));
      }
    });
    if (!isGood)
      throw Refusal("");
    if (names.empty())
      throw Refusal(fmt::format(
          "pbc emulate: error: {} has no kernel for devices\nhelp: pbc explain {} says of each rule why it "
          "cannot run on one\n",
          options_.file, options_.file));
    if (described_.empty()) {
      names.erase(std::unique(names.begin(), names.end()), names.end());
      throw Refusal(fmt::format("pbc emulate: error: there is no kernel {} here\nhelp: the kernels are {}\n",
                                options_.kernel, fmt::join(names, ", ")));
    }
    if (options_.isJson)
      return Json{{"machine", gpu_.machine}, {"kernels", described_}}.dump(2) + "\n";
    std::string text;
    for (const Json &one : described_)
      text += textOf(one);
    return text;
  }

private:
  Json describe(const emit::DeviceSource &kernel, const std::string &name) const {
    Json out = {{"name", name + ", " + kernel.version}, {"group", kernel.source.group}};
    if (kernel.sharesPoints) {
      out["why"] = "items compute its points together or in rounds, which is not followed yet";
      return out;
    }
    if (loop::callsBodies(kernel.loops)) {
      out["why"] = "its body was not lifted, so that its instructions are not known";
      return out;
    }
    const emulate::WarpQuestion question{kernel.matrices, kernel.loops,  kernel.shape,
                                         sizes_,          options_.hits, options_.n};
    const emulate::Trace trace = emulate::warpTrace(question);
    if (std::none_of(trace.instructions.begin(), trace.instructions.end(), [](const emulate::Instruction &i) {
          return i.resource == placeOf(emulate::GpuUnit::Dram);
        })) {
      out["why"] = "none of its points lies far from all edges of large matrices, where this looks";
      return out;
    }
    const int items = kernel.shape.group[0] * kernel.shape.group[1] * kernel.shape.group[2];
    const emulate::Block block{items, options_.registers,
                               emit::localBytes(kernel.localArrays, kernel.source.group, kernel.cells)};
    const emulate::Occupancy occupancy = emulate::occupancyOf(block, gpu_.limits);
    if (occupancy.blocks == 0) {
      out["why"] = fmt::format(
          "a group needs {} bytes of memory or {} registers, and a multiprocessor has {} and {}",
          block.groupBytes, block.registers * items, gpu_.limits.groupBytes, gpu_.limits.registers);
      return out;
    }
    const int perBlock = static_cast<int>(occupancy.warps / occupancy.blocks);
    const emulate::Emulation emulation(trace, {static_cast<int>(occupancy.warps), perBlock}, gpu_.core);
    const emulate::Analysis analysis = emulate::analyse(emulation);
    addTo(out, analysis, trace, gpu_.core);
    const double seconds = emulate::inCycles(analysis.outcome.time) / gpu_.clock;
    const double points = static_cast<double>(occupancy.blocks) * items * kernel.shape.cells[0] *
                          kernel.shape.cells[1] * kernel.shape.cells[2];
    out["blocks_at_once"] = occupancy.blocks;
    out["occupancy"] = occupancy.share;
    out["seconds"] = seconds;
    out["points"] = points;
    out["points_per_second"] = seconds > 0 ? points / seconds * gpu_.multiprocessors : 0;
    out["is_steady"] = emulation.isSteady();
    return out;
  }

  std::string textOf(const Json &k) const {
    const std::string name = k["name"].get<std::string>();
    if (k.contains("why"))
      return fmt::format("{} on {}: left out: {}\n", name, gpu_.machine, k["why"].get<std::string>());
    std::string text = fmt::format("{} on {}: {}\n", name, gpu_.machine, k["verdict"].get<std::string>());
    text += fmt::format(
        "  predicted for a full device{}: {:.3g} points a second; {} groups at once on each of {} "
        "multiprocessors, occupancy {:.2f}\n",
        options_.n || !options_.sizes.empty() ? "" : " and long loops, as no size was given",
        k["points_per_second"].get<double>(), k["blocks_at_once"].get<long>(), gpu_.multiprocessors,
        k["occupancy"].get<double>());
    text += elasticitiesText(k);
    return text;
  }

  const EmulateOptions &options_;
  const emulate::GpuCore gpu_;
  const std::map<std::string, long> sizes_;
  Json described_ = Json::array();
};

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
      "a GPU that comes with pbc, or a file of pbc model measure, of a GPU or a processor (default h100)");
  app.add_option("--n", o.n, "the value of all sizes, for loops whose length they decide (default: long)")
      ->check(CLI::Range(1L, 1'000'000'000L));
  app.add_option("--size", o.sizes, "the value of one size, NAME=VALUE; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--hits", o.hits, "the share of accesses that the second cache serves, 0 to 1 (default 0)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--registers", o.registers,
                 "of an item, which limit how many groups there are at once (pbc explain --device says it; "
                 "default: no limit)")
      ->check(CLI::Range(0L, 255L));
  app.add_flag("--schedules", o.alsoOthers,
               "on processors: other schedules than the default, too, one for each value of each option");
  app.add_flag(
      "--guide", o.isGuided,
      "on processors: the schedule, too, that a search proposes which follows what limits the kernel");
  app.add_flag("--measure", o.isMeasured,
               "on processors: the times on this machine, too, of each kernel alone on one thread");
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
      return machine.kind == model::MachineKind::Processor ? onProcessor(o, machine)
                                                           : Emulate(o, machine).run();
    } catch (const model::Problem &problem) {
      throw Refusal(fmt::format("pbc emulate: error: {}\n{}", problem.what(),
                                problem.help().empty() ? "" : fmt::format("help: {}\n", problem.help())));
    }
  });
}

} // namespace pbc::driver
