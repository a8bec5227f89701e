// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/emulate_command.h"
#include "compiler/driver/emulate_processor.h"
#include "compiler/driver/emulate_report.h"
#include "compiler/driver/emulated_kernel.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/run_command.h"
#include "compiler/driver/time_text.h"
#include "compiler/emit/device_texts.h"
#include "compiler/emulate/device/warp_trace.h"
#include "compiler/emulate/verdict.h"
#include "compiler/model/machine/machine_file.h"
#include "compiler/poly/names.h"
#include "runtime/base/closest.h"
#include "runtime/base/parse_status.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

/// Groups that a multiprocessor has one after the other, so that the begin and the end of short ones count little.
constexpr double kMostInTurn = 16, kInstructions = 40'000;
long groupsInTurn(const emulate::Trace &trace, long warps) {
  return std::lround(
      std::clamp(kInstructions / (trace.length() * static_cast<double>(warps)), 1.0, kMostInTurn));
}

constexpr double kNoticedWork = 1.5;

struct EmulateOptions {
  std::string file, kernel, machine = "h100";
  std::optional<long> n;
  std::vector<std::string> sizes, words;
  double hits = 0;
  std::optional<long> registers;
  std::string device = "sm_90";
  TraceSource source = TraceSource::Loops;
  bool isJson = false, showsTrace = false, alsoOthers = false, isGuided = false, isMeasured = false;
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
      checkSizes(input.module);
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
  /// Every size that has a value is one of the program.
  void checkSizes(const sema::Module &module) const {
    std::set<std::string> names;
    for (const sema::Transform &t : module.transforms)
      for (const std::string &name : t.sizeNames())
        names.insert(name);
    for (const auto &[name, value] : sizes_)
      if (!names.contains(name)) {
        std::vector<std::string> shown;
        for (const std::string &known : names)
          shown.push_back(poly::unmangle(known));
        throw Refusal(fmt::format("pbc emulate: error: {} has no size {}{}\nhelp: {}\n", options_.file,
                                  poly::unmangle(name), pb::base::didYouMean(poly::unmangle(name), shown),
                                  shown.empty() ? "it has none"
                                                : fmt::format("its sizes are {}", fmt::join(shown, ", "))));
      }
  }

  TraceRequest request() const {
    return {options_.source, options_.device, sizes_, options_.n, options_.hits, options_.registers};
  }

  Json describe(const emit::DeviceSource &kernel, const std::string &name) const {
    Json out = {{"name", name + ", " + kernel.version}, {"group", kernel.source.group}};
    const EmulatedKernel found = emulatedKernel(kernel, request());
    if (!found.why.empty()) {
      out["why"] = found.why;
      return out;
    }
    const emulate::Trace &once = found.trace;
    if (options_.showsTrace)
      out["trace"] = emulate::textOf(once, gpu_.core);
    const int items = kernel.shape.group[0] * kernel.shape.group[1] * kernel.shape.group[2];
    const emulate::Block block{items, found.registers.value_or(0),
                               emit::localBytes(kernel.localArrays, kernel.source.group, kernel.cells)};
    const emulate::Occupancy occupancy = emulate::occupancyOf(block, gpu_.limits);
    if (occupancy.blocks == 0) {
      out["why"] = fmt::format(
          "a group needs {} bytes of memory or {} registers, and a multiprocessor has {} and {}",
          block.groupBytes, block.registers * items, gpu_.limits.groupBytes, gpu_.limits.registers);
      return out;
    }
    out["registers"] = found.registers ? Json(*found.registers) : Json();
    if (options_.source != TraceSource::Loops)
      out["times_the_loops"] = found.difference;
    const long turns = groupsInTurn(once, occupancy.warps);
    const emulate::Trace trace = emulate::inTurns(once, turns);
    const int perBlock = static_cast<int>(occupancy.warps / occupancy.blocks);
    const emulate::Emulation emulation(trace, {static_cast<int>(occupancy.warps), perBlock}, gpu_.core);
    const emulate::Analysis analysis = emulate::analyse(emulation);
    addTo(out, analysis, trace, gpu_.core);
    const double seconds = emulate::inCycles(analysis.outcome.time) / gpu_.clock / static_cast<double>(turns);
    const double points = static_cast<double>(occupancy.blocks) * items * kernel.shape.cells[0] *
                          kernel.shape.cells[1] * kernel.shape.cells[2];
    out["blocks_at_once"] = occupancy.blocks;
    out["occupancy"] = occupancy.share;
    out["seconds"] = seconds;
    out["points"] = points;
    out["points_per_second"] = seconds > 0 ? points / seconds * gpu_.multiprocessors : 0;
    out["is_steady"] = analysis.outcome.isExact;
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
    if (k.contains("times_the_loops"))
      if (const double times = k["times_the_loops"].get<double>(); times > kNoticedWork)
        text += fmt::format(
            "  of something it does {:.1f} times as much or as little as its loops: not all of its ways "
            "are known\n",
            times);
    text += elasticitiesText(k);
    return k.contains("trace") ? text + k["trace"].get<std::string>() : text;
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
  app.add_flag(
      "--guide", o.isGuided,
      "on processors: the schedule, too, that a search proposes which follows what limits the kernel");
  app.add_flag("--measure", o.isMeasured,
               "on processors: the times on this machine, too, of each kernel alone on one thread");
  app.add_option("--source", o.source,
                 "from what instructions are taken: loops, the compiler's own (default), ptx or sass, those "
                 "that NVRTC makes")
      ->transform(CLI::CheckedTransformer(std::map<std::string, TraceSource>{
          {"loops", TraceSource::Loops}, {"ptx", TraceSource::Ptx}, {"sass", TraceSource::MachineCode}}));
  app.add_option("--device", o.device, "the architecture for which NVRTC compiles (default sm_90)");
  app.add_flag("--trace", o.showsTrace, "print the instructions of a warp, too");
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
