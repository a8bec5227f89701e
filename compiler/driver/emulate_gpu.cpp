// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/emulate_gpu.h"
#include "compiler/driver/emulate_report.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/time_text.h"
#include "compiler/driver/version_remedies.h"
#include "compiler/emit/device_texts.h"
#include "compiler/emulate/device/start.h"
#include "compiler/emulate/guide.h"
#include "compiler/emulate/long_loops.h"
#include "compiler/emulate/verdict.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

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
constexpr long kLeastItems = 32, kMostItems = 1024,
               kMostCells = 64; // of a group, of an item: what a search looks at
constexpr int kMostPredictions = 24;
/// Only what names the limit.
const emulate::AnalysisOptions kQuick{.regions = false, .least = 0.05, .halves = false};

/// What is predicted for one kernel.
struct Prediction {
  std::string why; // there is none; empty: there is
  EmulatedKernel kernel;
  emulate::Trace trace; // of groups one after the other
  emulate::Occupancy occupancy;
  emulate::Analysis analysis;
  long atOnce = 0;                  // groups on a multiprocessor
  double seconds = 0;               // of the groups at once
  std::optional<double> launch;     // seconds of a launch with the points that were asked for
  double points = 0, perSecond = 0; // of the groups at once; of the device
};

class OnGpu {
public:
  OnGpu(const GpuQuestion &question, const model::Machine &machine)
      : question_(question), gpu_(emulate::gpuCoreOf(machine)),
        sizes_(sizesOf("pbc emulate", question.sizes)) {}

  Json describe() {
    Json described = Json::array();
    std::vector<script::Script> scripts;
    std::vector<std::string> names;
    emit::LaunchRequest shape{threeOf(question_.group), threeOf(question_.cells), {sizes_}};
    shape.sizes.others = question_.n.value_or(shape.sizes.others);
    const bool isGood = withKernels(question_.file, question_.words, [&](const emit::Input &input) {
      requireSizes("pbc emulate", question_.file, input.module, sizes_);
      for (const emit::DeviceSource &kernel : emit::deviceSources(input, shape)) {
        const std::string name = kernel.transform + "." + kernel.step;
        names.push_back(name);
        if (question_.kernel.empty() || question_.kernel == name) {
          described.push_back(describe(kernel, name));
          scripts.push_back(kernel.script);
        }
      }
    });
    if (!isGood)
      throw Refusal("");
    if (names.empty())
      throw Refusal(fmt::format(
          "pbc emulate: error: {} has no kernel for devices\nhelp: pbc explain {} says of each rule why it "
          "cannot run on one\n",
          question_.file, question_.file));
    addVersionRemedies(described, scripts);
    if (described.empty()) {
      names.erase(std::unique(names.begin(), names.end()), names.end());
      throw Refusal(fmt::format("pbc emulate: error: there is no kernel {} here\nhelp: the kernels are {}\n",
                                question_.kernel, fmt::join(names, ", ")));
    }
    return {{"machine", gpu_.machine},
            {"multiprocessors", gpu_.multiprocessors},
            {"assumed", gpu_.assumed},
            {"kernels", described}};
  }

private:
  /// Shapes of a kernel's groups and items.
  class Shapes : public emulate::GuidedSpace {
  public:
    Shapes(const OnGpu &owner, const emit::DeviceSource &kernel) : owner_(owner), kernel_(kernel) {
      for (int d = 0; d < std::min(2, kernel.dimensions); ++d)
        add(true, d, kMostItems);
      for (int d = 0; kernel.hasCells && d < std::min(2, kernel.dimensions); ++d)
        add(false, d, kMostCells / 4);
    }

    /// Of the kernel as it is, if its numbers are among the axes'.
    std::optional<emulate::Configuration> first() const {
      emulate::Configuration c;
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        const long value = (isGroup_[a] ? kernel_.shape.group : kernel_.shape.cells)[dimension_[a]];
        const auto at = std::find(axes_[a].begin(), axes_[a].end(), value);
        if (at == axes_[a].end())
          return {};
        c.push_back(static_cast<int>(at - axes_[a].begin()));
      }
      return c;
    }

    emit::LaunchRequest requestOf(const emulate::Configuration &c) const {
      emit::LaunchRequest request;
      request.group.emplace();
      request.cells.emplace();
      std::copy_n(kernel_.shape.group, 3, request.group->begin());
      std::copy_n(kernel_.shape.cells, 3, request.cells->begin());
      for (std::size_t a = 0; a < axes_.size(); ++a)
        (isGroup_[a] ? *request.group : *request.cells)[static_cast<std::size_t>(dimension_[a])] =
            static_cast<int>(axes_[a][static_cast<std::size_t>(c[a])]);
      return request;
    }

    const std::vector<std::vector<long>> &axes() const override { return axes_; }
    std::optional<emulate::Predicted> at(const emulate::Configuration &c) override {
      return predicted(c, {});
    }
    std::optional<emulate::Predicted> atOccupancy(const emulate::Configuration &c,
                                                  double occupancy) override {
      return predicted(c, occupancy);
    }
    std::vector<double> occupanciesBelow(const emulate::Configuration &c) override {
      const auto predicted = predictionOf(c, {});
      std::vector<double> all;
      for (long blocks = predicted ? predicted->occupancy.blocks - 1 : 0; blocks > 0; --blocks)
        all.push_back(predicted->occupancy.share * static_cast<double>(blocks) /
                      static_cast<double>(predicted->occupancy.blocks));
      return all;
    }

  private:
    void add(bool isGroup, int dimension, long most) {
      axes_.emplace_back();
      for (long value = 1; value <= most; value *= 2)
        axes_.back().push_back(value);
      isGroup_.push_back(isGroup);
      dimension_.push_back(dimension);
    }

    std::optional<Prediction> predictionOf(const emulate::Configuration &c, std::optional<double> occupancy) {
      const emit::LaunchRequest request = requestOf(c);
      const auto product = [](const std::array<int, 3> &all) {
        return static_cast<long>(all[0]) * all[1] * all[2];
      };
      if (product(*request.group) < kLeastItems || product(*request.group) > kMostItems ||
          product(*request.cells) > kMostCells)
        return {};
      Prediction one = owner_.predict(emit::shaped(kernel_, request), occupancy, kQuick);
      return one.why.empty() ? std::optional(std::move(one)) : std::nullopt;
    }

    std::optional<emulate::Predicted> predicted(const emulate::Configuration &c,
                                                std::optional<double> occupancy) {
      const std::optional<Prediction> one = predictionOf(c, occupancy);
      if (!one || one->perSecond <= 0)
        return {};
      emulate::Predicted made;
      made.seconds = 1 / one->perSecond;
      made.occupancy = occupancy ? *occupancy : one->occupancy.share;
      if (const auto &limit = emulate::verdictOf(one->analysis).bottleneck)
        made.bottleneck = limit->parameter;
      for (std::size_t r = 0; r < owner_.gpu_.core.resources.size(); ++r) {
        made.used.push_back(one->analysis.outcome.throughput(owner_.gpu_.core, static_cast<int>(r)));
        made.requests.push_back(one->analysis.outcome.uses[r].admissions / one->points);
      }
      return made;
    }

    const OnGpu &owner_;
    const emit::DeviceSource &kernel_;
    std::vector<std::vector<long>> axes_;
    std::vector<bool> isGroup_;
    std::vector<int> dimension_;
  };

  /// Those that were not given are 1.
  static std::optional<std::array<int, 3>> threeOf(const std::vector<int> &given) {
    if (given.empty())
      return {};
    std::array<int, 3> all{1, 1, 1};
    std::copy(given.begin(), given.end(), all.begin());
    return all;
  }

  /// Groups of a launch with the points that were asked for.
  long groupsOf(const emit::DeviceSource &kernel) const {
    long groups = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const long points = d < question_.points.size() ? question_.points[d] : 1,
                 ofGroup = static_cast<long>(kernel.shape.group[d]) * kernel.shape.cells[d];
      groups *= (points + ofGroup - 1) / ofGroup;
    }
    return groups;
  }

  /// `occupancy`: the most of it, if there are to be fewer groups at once than fit.
  Prediction predict(const emit::DeviceSource &kernel, std::optional<double> occupancy,
                     const emulate::AnalysisOptions &options = {}) const {
    Prediction made;
    made.kernel = emulatedKernel(kernel, {question_.source, question_.device, sizes_, question_.n,
                                          question_.hits, question_.registers});
    made.why = made.kernel.why;
    if (!made.why.empty())
      return made;
    const int items = kernel.shape.group[0] * kernel.shape.group[1] * kernel.shape.group[2];
    const emulate::Block block{items, made.kernel.registers.value_or(0), emit::localBytes(kernel)};
    made.occupancy = emulate::occupancyOf(block, gpu_.limits);
    if (made.occupancy.blocks == 0) {
      made.why = fmt::format(
          "a group needs {} bytes of memory or {} registers, and a multiprocessor has {} and {}",
          block.groupBytes, block.registers * items, gpu_.limits.groupBytes, gpu_.limits.registers);
      return made;
    }
    const long perBlock = made.occupancy.warps / made.occupancy.blocks;
    long fit = made.occupancy.blocks;
    if (occupancy)
      fit = std::clamp(std::lround(*occupancy / made.occupancy.share * static_cast<double>(fit)), 1L, fit);
    const emulate::Wave wave = question_.points.empty()
                                   ? emulate::Wave{fit, 0}
                                   : emulate::waveOf(groupsOf(kernel), fit, gpu_.multiprocessors);
    made.atOnce = wave.atOnce;
    const long warps = wave.atOnce * perBlock;
    long turns = groupsInTurn(made.kernel.trace, warps);
    if (wave.waves > 0)
      turns = std::min(turns, wave.waves);
    made.trace = emulate::inTurns(emulate::withStart(made.kernel.trace, gpu_.core), turns);
    const emulate::Emulation emulation(made.trace, {static_cast<int>(warps), static_cast<int>(perBlock)},
                                       gpu_.core);
    made.analysis = emulate::analyse(emulation, options);
    made.seconds = emulate::inCycles(made.analysis.outcome.time) / gpu_.clock / static_cast<double>(turns);
    made.points = static_cast<double>(wave.atOnce) * items * kernel.shape.cells[0] * kernel.shape.cells[1] *
                  kernel.shape.cells[2];
    if (made.seconds <= 0)
      return made;
    made.perSecond = made.points / made.seconds * gpu_.multiprocessors;
    if (wave.waves > 0) {
      double all = 1;
      for (const long along : question_.points)
        all *= static_cast<double>(along);
      made.launch = made.seconds * static_cast<double>(wave.waves);
      made.perSecond = all / *made.launch;
    }
    return made;
  }

  Json describe(const emit::DeviceSource &kernel, const std::string &name) const {
    Json out = {{"name", name + ", " + kernel.version},
                {"kernel", name},
                {"version", kernel.version},
                {"schedule", script::line(kernel.script)},
                {"group", kernel.source.group},
                {"cells", kernel.cells}};
    const Prediction made = predict(kernel, {});
    if (!made.why.empty()) {
      out["why"] = made.why;
      return out;
    }
    if (question_.showsTrace)
      out["trace"] = emulate::textOf(made.kernel.trace, gpu_.core);
    out["registers"] = made.kernel.registers ? Json(*made.kernel.registers) : Json();
    if (question_.source != TraceSource::Loops)
      out["times_the_loops"] = made.kernel.difference;
    addTo(out, made.analysis, made.trace, gpu_.core);
    out["blocks_at_once"] = made.atOnce;
    out["occupancy"] = made.occupancy.share;
    out["seconds"] = made.seconds;
    out["points"] = made.points;
    out["points_per_second"] = made.perSecond;
    if (made.launch)
      out["launch_seconds"] = *made.launch;
    out["is_steady"] = made.analysis.outcome.isExact;
    if (question_.isGuided)
      addProposal(out, kernel, made);
    return out;
  }

  void addProposal(Json &out, const emit::DeviceSource &kernel, const Prediction &own) const {
    Shapes shapes(*this, kernel);
    const std::optional<emulate::Configuration> first = shapes.first();
    if (!first || !shapes.at(*first))
      return; // shapes of other numbers are not looked at
    const emulate::Guided found = emulate::guide(shapes, *first, kMostPredictions);
    const auto shown = [&](const emulate::Configuration &c) {
      const emit::LaunchRequest r = shapes.requestOf(c);
      return Json{{"group", *r.group}, {"cells", *r.cells}};
    };
    Json proposed = shown(found.best);
    const double seconds = own.perSecond > 0 ? 1 / own.perSecond : found.first;
    proposed["times_as_fast"] = seconds / found.seconds;
    proposed["predictions"] = found.predictions;
    proposed["path"] = Json::array();
    for (const emulate::Configuration &c : found.path)
      proposed["path"].push_back(shown(c));
    out["try"] = std::move(proposed);
  }

  const GpuQuestion &question_;
  const emulate::GpuCore gpu_;
  const std::map<std::string, long> sizes_;
};

std::string textOf(const Json &k, const Json &all, const GpuQuestion &question) {
  const std::string name = k["name"].get<std::string>(), machine = all["machine"].get<std::string>();
  if (k.contains("why"))
    return fmt::format("{} on {}: left out: {}\n", name, machine, k["why"].get<std::string>());
  std::string text = fmt::format("{} on {}: {}\n", name, machine, k["verdict"].get<std::string>());
  text += fmt::format("  predicted for {}{}: {:.3g} points a second; {} groups at once on each of {} "
                      "multiprocessors, occupancy {:.2f}\n",
                      k.contains("launch_seconds")
                          ? fmt::format("{} points, {}", fmt::join(question.points, " x "),
                                        timeText(k["launch_seconds"].get<double>()))
                          : "a full device",
                      question.n || !question.sizes.empty() ? "" : " and long loops, as no size was given",
                      k["points_per_second"].get<double>(), k["blocks_at_once"].get<long>(),
                      all["multiprocessors"].get<int>(), k["occupancy"].get<double>());
  if (k.contains("times_the_loops"))
    if (const double times = k["times_the_loops"].get<double>(); times > kNoticedWork)
      text += fmt::format(
          "  of something it does {:.1f} times as much or as little as its loops: not all of its ways "
          "are known\n",
          times);
  text += elasticitiesText(k, question.file);
  if (k.contains("try_version"))
    text += fmt::format("  try its version {}, {}: predicted {:.2f} times as fast\n",
                        k["try_version"]["version"].get<std::string>(),
                        k["try_version"]["schedule"].get<std::string>(),
                        k["try_version"]["times_as_fast"].get<double>());
  if (k.contains("try")) {
    const Json &proposed = k["try"];
    const auto numbers = [&](const char *of) {
      return fmt::format("{}", fmt::join(proposed[of].get<std::vector<int>>(), " x "));
    };
    text += fmt::format(
        "  try groups of {} items of {} points: predicted {:.2f} times as fast ({} shapes predicted)\n",
        numbers("group"), numbers("cells"), proposed["times_as_fast"].get<double>(),
        proposed["predictions"].get<int>());
  }
  return k.contains("trace") ? text + k["trace"].get<std::string>() : text;
}

} // namespace

Json describeOnGpu(const GpuQuestion &question, const model::Machine &machine) {
  return OnGpu(question, machine).describe();
}

std::string textOnGpu(const Json &described, const GpuQuestion &question) {
  std::string text;
  for (const Json &one : described["kernels"])
    text += textOf(one, described, question);
  return text;
}

} // namespace pbc::driver
