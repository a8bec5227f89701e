// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/emulate_command.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/run_command.h"
#include "compiler/emit/device_texts.h"
#include "compiler/emulate/device/warp_trace.h"
#include "compiler/emulate/verdict.h"
#include "compiler/model/machine/machine_file.h"
#include "runtime/base/parse_status.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNoticed = 0.02; // elasticities below this are noise to a reader

struct EmulateOptions {
  std::string file, kernel, machine = "h100";
  std::optional<long> n;
  std::vector<std::string> sizes, words;
  double hits = 0;
  long registers = 0;
  bool isJson = false;
};

/// What half of the parameter is, as a user would say it.
const char *reliefOf(const emulate::Parameter &p) {
  if (p.resource == emulate::Parameter::kIssue)
    return "twice the issue width";
  return p.mode == emulate::Mode::Latency ? "half the latency" : "twice the throughput";
}

class Emulate {
public:
  explicit Emulate(const EmulateOptions &options)
      : options_(options), gpu_(emulate::gpuCoreOf(model::findMachine(options.machine))),
        sizes_(sizesOf("pbc emulate", options.sizes)) {}

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
    if (emulate::callsBodies(kernel.loops)) {
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
    addTo(out, analysis);
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

  void addTo(Json &out, const emulate::Analysis &analysis) const {
    const emulate::Verdict verdict = emulate::verdictOf(analysis);
    out["verdict"] = emulate::sentence(verdict, gpu_.core);
    if (verdict.bottleneck) {
      const emulate::Parameter &p = verdict.bottleneck->parameter;
      out["bottleneck"] = {{"resource", p.resource < 0 ? nameOf(p, gpu_.core)
                                                       : gpu_.core.resources[std::size_t(p.resource)].name},
                           {"mode", p.mode == emulate::Mode::Latency ? "latency" : "throughput"},
                           {"elasticity", verdict.bottleneck->value}};
    }
    Json elasticities = Json::array();
    for (const emulate::Elasticity &e : analysis.all) {
      if (e.value < kNoticed)
        continue;
      Json one = {{"parameter", nameOf(e.parameter, gpu_.core)},
                  {"value", e.value},
                  {"relief", reliefOf(e.parameter)},
                  {"halved", e.halved}};
      for (std::size_t k = 0; k < e.byRegion.size(); ++k)
        if (e.byRegion[k] >= kNoticed)
          one["regions"][nameOf(emulate::Region(k))] = e.byRegion[k];
      elasticities.push_back(std::move(one));
    }
    out["elasticities"] = std::move(elasticities);
    for (int r = 0; r < int(gpu_.core.resources.size()); ++r)
      if (const double used = analysis.outcome.throughput(gpu_.core, r); used >= kNoticed)
        out["used"][gpu_.core.resources[std::size_t(r)].name] = used;
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
    for (const Json &e : k["elasticities"]) {
      text +=
          fmt::format("  {}: {:.2f}; with {}: {:.2f} of the time", e["parameter"].get<std::string>(),
                      e["value"].get<double>(), e["relief"].get<std::string>(), e["halved"].get<double>());
      if (e.contains("regions")) {
        std::vector<std::string> parts;
        for (const auto &[region, value] : e["regions"].items())
          parts.push_back(fmt::format("{} {:.2f}", region, value.get<double>()));
        text += fmt::format("; {}", fmt::join(parts, ", "));
      }
      text += "\n";
    }
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
  app.add_option("--machine", o.machine,
                 "a GPU that comes with pbc, or a file of pbc model measure (default h100)");
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
  app.add_flag("--json", o.isJson, "print it as JSON");
  app.add_option("words", o.words, "after `--`: further options for the compiler, as -DN=4");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return pb::base::parseStatus(app, e);
  }
  return runCommand("pbc emulate", [&] {
    try {
      return Emulate(o).run();
    } catch (const model::Problem &problem) {
      throw Refusal(fmt::format("pbc emulate: error: {}\n{}", problem.what(),
                                problem.help().empty() ? "" : fmt::format("help: {}\n", problem.help())));
    }
  });
}

} // namespace pbc::driver
