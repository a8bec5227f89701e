// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain.h"
#include "compiler/driver/explain_bounds.h"
#include "compiler/driver/explain_composed.h"
#include "compiler/driver/explain_in_place.h"
#include "compiler/driver/explain_scripts.h"
#include "compiler/driver/explain_turns.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/kernel/precision.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/time_functions.h"
#include "compiler/poly/names.h"
#include "compiler/poly/spelling.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

class Explainer {
public:
  Explainer(const emit::Input &in, const Reports &reports, const std::vector<KernelSpace> &spaces,
            const RuleBounds &bounds, const ExplainedStorage &storage)
      : in_(in), reports_(reports), spaces_(spaces), bounds_(bounds), storage_(storage) {}

  Json program() const {
    Json transforms = Json::array();
    for (const auto &t : in_.module.transforms) {
      Json rules = Json::array(), alternatives = Json::array();
      for (const auto &r : t.rules)
        rules.push_back(rule(r, in_.facts[t.index][r.index]));
      const auto &plans = in_.plans[t.index].plans;
      for (std::size_t k = 0; k < plans.size(); ++k)
        addInPlace(in_, t, k, alternatives.emplace_back(alternative(t, k)));
      transforms.push_back({{"name", t.name}, {"rules", rules}, {"alternatives", alternatives}});
      storage_.add(t, transforms.back());
      if (!spaces_.empty())
        transforms.back()["kernels"] = options(t);
      if (bounds_.isWanted())
        transforms.back()["hash"] = emit::transformHash(in_, t);
    }
    Json out = {{"program", in_.module.name}, {"transforms", transforms}};
    if (bounds_.isWanted())
      out["bounds_at"] = bounds_.sizes;
    return out;
  }

private:
  Json options(const sema::Transform &t) const {
    Json kernels = Json::array();
    for (const KernelSpace &space : spaces_) {
      if (space.transform != t.index || (space.options.empty() && space.neighbours.edits.empty()))
        continue;
      Json list = Json::array();
      for (const kernel::OptionSpace &o : space.options)
        list.push_back({{"option", o.option},
                        {"doc", kernel::findScheduleOption(o.option)->doc},
                        {"in_use", o.inUse},
                        {"others", o.others}});
      kernels.push_back(
          {{"name", space.kernel}, {"sizes", space.sizes}, {"pieces", space.pieces}, {"options", list}});
      if (!space.neighbours.edits.empty())
        kernels.back()["script"] = scriptsOf(space);
    }
    return kernels;
  }

  Json line(const source::Span &span) const {
    if (!in_.sources || span.file >= in_.sources->fileCount())
      return nullptr;
    return in_.sources->position(span.file, span.begin).line;
  }

  Json rule(const sema::Rule &r, const body::Facts &facts) const {
    Json out = {{"rule", r.label}, {"line", line(r.span)}, {"lifted", facts.liftable}};
    if (!facts.liftable)
      out["obstacle"] = {{"text", facts.obstacle}, {"line", line(facts.obstacleSpan)}};
    if (!facts.callees.empty())
      out["calls"] = facts.callees;
    return out;
  }

  Json alternative(const sema::Transform &t, std::size_t number) const {
    const schedule::Plan &plan = in_.plans[t.index].plans[number];
    const std::vector<std::optional<kernel::Scheduled>> &kernels = in_.kernels[t.index][number];
    const kernel::Fusion &fusion = in_.fusions[t.index][number];
    Json steps = Json::array(), tiles = Json::array(), whole = Json::array();
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
      Json labels = Json::array();
      for (const auto &use : plan.steps[s].uses)
        labels.push_back(t.rules[use.rule].label);
      Json one = {{"rules", labels}};
      if (kernels[s])
        describe(*kernels[s], reports_[t.index][number][s], one);
      else
        one["loops"] = Json::array(), one["calls_transforms"] = true;
      if (!bounds_.steps.empty())
        addBounds(bounds_, bounds_.steps[std::size_t(t.index)][number][s],
                  schedule::stepName(t, plan.steps[s]), in_.sources ? in_.sources->path(t.span.file) : "",
                  one);
      if (const auto &device = in_.devices ? (*in_.devices)[t.index][number][s] : nullptr)
        one["device"] = onDevice(t, *device, schedule::stepName(t, plan.steps[s]));
      const auto add = [&](const std::string &choice, const kernel::Scheduled *made) {
        one["placement"] = "place_" + schedule::stepName(t, plan.steps[s]);
        one["schedules"].push_back(schedule(choice, made, reports_[t.index][number][s]));
      };
      for (const emit::Version &version : in_.versionsOf(t.index, number, s))
        add(version.choice, version.kernel.get());
      if (const auto &device = in_.devices ? (*in_.devices)[t.index][number][s] : nullptr)
        for (const kernel::DeviceVersion &version : device->versions)
          if (version.isNamed())
            add(version.name, &version.kernel);
      steps.push_back(std::move(one));
    }
    for (const kernel::TileGroup &g : fusion.groups) {
      Json matrices = Json::array();
      for (const int m : g.matrices)
        matrices.push_back(t.matrices[m].name);
      tiles.push_back({{"of", steps[static_cast<std::size_t>(g.consumer)]["rules"]}, {"matrices", matrices}});
    }
    for (const auto &[m, why] : fusion.refused)
      whole.push_back({{"matrix", t.matrices[m].name}, {"why", why}});
    Json out = {{"name", plan.alternative}, {"steps", steps}, {"tiles", tiles}, {"whole_matrices", whole}};
    return withTurns(std::move(out), in_, t, number);
  }

  /// Adds its rounds, and the tiles that need fewer launches.
  static void addRounds(const kernel::OnDevice &device, Json &out) {
    out["rounds"] = device.items->kernel.schedule.taskDimensions.front().name;
    out["tiles"] = Json::array();
    for (const kernel::DeviceVersion &v : device.versions)
      if (v.name == "tiles" && !v.exists())
        out["why_no_tiles"] = v.why;
      else if (v.name == "steps" && !v.exists())
        out["why_no_steps"] = v.why;
    if (const kernel::DeviceVersion *tiles = device.version("tiles"))
      for (const auto &f : tiles->kernel.schedule.taskDimensions)
        out["tiles"].push_back(f.name);
    out["steps"] = Json::array();
    if (const kernel::DeviceVersion *steps = device.version("steps"))
      for (const int b : steps->kernel.schedule.steps->kept)
        out["steps"].push_back(steps->kernel.buffers[static_cast<std::size_t>(b)].name);
  }

  /// The devices on which it can run, or why it can run on none.
  Json onDevice(const sema::Transform &t, const kernel::OnDevice &device, const std::string &step) const {
    if (device.libraryRule >= 0)
      return {{"placement", "place_" + step}, {"library", t.rules[device.libraryRule].library->entry}};
    if (!device.items) {
      Json out = {{"why_not", device.why}};
      if (const Json at = device.whyAt.end ? line(device.whyAt) : nullptr; !at.is_null())
        out["line"] = at;
      return out;
    }
    Json items = Json::array(), staged = Json::array();
    const auto &functions = device.items->kernel.schedule.taskDimensions;
    for (std::size_t k = device.items->inRounds() ? 1 : 0; k < functions.size(); ++k)
      items.push_back(functions[k].name);
    const kernel::DeviceVersion *local = device.version("local");
    for (const kernel::Statement &s : local ? local->kernel.statements : std::vector<kernel::Statement>{})
      if (s.copy)
        staged.push_back(local->kernel.buffers[static_cast<std::size_t>(s.copy->from)].name);
    Json out = {{"placement", "place_" + step}, {"items", items}};
    if (device.items->inRounds())
      addRounds(device, out);
    out["local_memory"] = staged;
    if (local)
      for (const kernel::SizeOfBuild &s : kernel::sizesOfBuild(local->kernel))
        out["built_for_each"].push_back(poly::displayed(s.size));
    out["blocks"] = device.version("blocks") != nullptr;
    out["registers"] = device.version("registers") != nullptr;
    if (device.cooperation)
      out[device.cooperation->scan ? "scan_along" : "group_over"] = device.cooperation->over;
    else
      out["why_no_group"] = device.whyNoCooperation;
    if (!device.whyNoRows.empty())
      out["why_no_rows"] = device.whyNoRows;
    for (const kernel::DeviceVersion &v : device.versions)
      if (v.name == "local" && !v.exists())
        out["why_no_local_memory"] = v.why;
      else if (v.name == "blocks" && !v.why.empty() && v.why != kernel::kNoLongLoop)
        out["why_no_blocks"] = v.why;
      else if (v.name == "registers" && !v.exists())
        out["why_no_registers"] = v.why;
      else if (v.name == "registers" && !v.whyNoPlanes.empty())
        out["why_no_planes"] = v.whyNoPlanes;
    if (device.shared >= 0)
      out["shared_along"] = functions[static_cast<std::size_t>(device.shared)].name;
    return out;
  }

  /// Another schedule of a step; without loops if it does not apply to this one.
  Json schedule(const std::string &choice, const kernel::Scheduled *made,
                const kernel::Report &report) const {
    Json out = {{"choice", choice}};
    if (made && made->schedule.target == kernel::Target::Device)
      describeItems(*made, out);
    else if (made)
      describe(*made, {}, out);
    for (const kernel::ComposedSchedule &composed : report.composed)
      if (composed.choice == choice)
        describeComposed(composed, out);
    return out;
  }

  /// Whether no loop is realised so, although the schedule asks for it.
  static bool isLeft(const kernel::Realisation &how, const std::vector<loop::Left> &left,
                     const std::vector<kernel::Loop> &all) {
    const auto isAsked = [&](const kernel::Loop &l) {
      return std::count(l.how.begin(), l.how.end(), how) > 0;
    };
    const auto isSame = [&](const loop::Left &l) { return l.how == how; };
    return std::count_if(left.begin(), left.end(), isSame) >= std::count_if(all.begin(), all.end(), isAsked);
  }

  /// A loop with those of its realisations that are carried out.
  template <class IsDone>
  static Json loopOf(const kernel::Loop &loop, const IsDone &isDone) {
    Json how = Json::array(), words = Json::array();
    for (const kernel::Realisation &r : loop.how)
      if (isDone(r)) {
        how.push_back(kernel::text(r));
        words.push_back(kernel::words(r));
      }
    return {{"over", loop.over},
            {"depth", loop.depth},
            {"parallel", loop.isParallel ? Json(*loop.isParallel) : Json()},
            {"how", how},
            {"how_in_words", words}};
  }

  /// The loops of a kernel for devices; what of them is carried out is known only where its text is made.
  static void describeItems(const kernel::Scheduled &k, Json &out) {
    Json loops = Json::array(), parts = Json::array();
    for (const kernel::Loop &loop : kernel::loops(k))
      loops.push_back(loopOf(loop, [](const kernel::Realisation &) { return true; }));
    for (const auto &d : k.schedule.taskDimensions)
      parts.push_back(
          {{"over", d.name}, {"from", poly::cxx(d.low)}, {"to", poly::cxx(d.high)}, {"multiples", 1}});
    out["loops"] = loops;
    out["tasks"] = {{"parts", parts}, {"order", "items"}};
    out["not_applied"] = Json::array();
    out["script"] = Json::array();
  }

  void describe(const kernel::Scheduled &k, const kernel::Report &report, Json &out) const {
    Json loops = Json::array(), parts = Json::array(), refused = Json::array();
    const auto text = emit::kernelText(k, "kernel", "Frame");
    const std::vector<kernel::Loop> all = kernel::loops(k);
    for (const kernel::Loop &loop : all)
      loops.push_back(loopOf(loop, [&](const kernel::Realisation &r) {
        return text.note.empty() && !isLeft(r, text.left, all);
      }));
    for (const auto &d : k.schedule.taskDimensions)
      parts.push_back(
          {{"over", d.name}, {"from", poly::cxx(d.low)}, {"to", poly::cxx(d.high)}, {"multiples", d.grain}});
    for (const kernel::Note &note : report.notes)
      if (!loops.empty()) // nothing applies to a statement that runs once
        refused.push_back({{"transformation", note.transformation}, {"why", note.why}});
    if (!text.note.empty())
      refused.push_back({{"transformation", "separate loops"}, {"why", text.note}});
    for (const loop::Left &l : text.left)
      refused.push_back({{"transformation", kernel::name(l.how)}, {"why", loop::words(l.why)}});
    out["loops"] = loops;
    out["tasks"] = {{"parts", parts}, {"order", order(k)}};
    out["not_applied"] = refused;
    if (const std::string literal = kernel::literalOfDouble(k); !literal.empty())
      out["literal_of_double"] = literal;
    Json steps = Json::array();
    for (const script::Step &step : report.script)
      steps.push_back(script::text(step));
    out["script"] = steps;
    if (!report.edits.empty())
      out["alternatives"] = editsOf(report);
  }

  static const char *order(const kernel::Scheduled &k) {
    if (k.schedule.taskDimensions.empty())
      return "one task";
    switch (k.schedule.taskOrder) {
    case kernel::TaskOrder::Any:
      return "any";
    case kernel::TaskOrder::Wavefront:
      return kernel::hasDiamonds(k)     ? "wavefront of diamonds"
             : k.schedule.bytesPerPlace ? "wavefront of parallelograms"
                                        : "wavefront";
    case kernel::TaskOrder::Rounds:
      return "rounds of the first";
    }
    return "";
  }

  const emit::Input &in_;
  const Reports &reports_;
  const std::vector<KernelSpace> &spaces_;
  const RuleBounds &bounds_;
  const ExplainedStorage &storage_;
};

std::string atLine(const Json &line) {
  return line.is_null() ? "" : fmt::format(" (line {})", line.get<int>());
}

std::string joined(const Json &list) {
  std::string out;
  for (const auto &one : list)
    out += (out.empty() ? "" : ", ") + one.get<std::string>();
  return out;
}

/// "1 | 2 | 8": the separator is not a comma, because some values contain commas.
std::string either(const Json &list) {
  std::string out;
  for (const auto &one : list)
    out += (out.empty() ? "" : " | ") + one.get<std::string>();
  return out;
}

/// Transformations that did not apply to the loops.
std::string undone(const std::string &transformation) {
  return transformation == "order"       ? "not interchanged"
         : transformation == "tasks"     ? "not split into tasks"
         : transformation == "registers" ? "no blocks in registers"
         : transformation == "vector"    ? "no vectors"
         : transformation == "jam"       ? "no rows at once"
         : transformation == "lift"      ? "bodies stay as they are written"
                                         : "no " + transformation;
}

/// "for y: parallel", line by line, and its tasks.
std::string loopsAndTasks(const Json &step, const std::string &indent) {
  std::string out, parts;
  for (const auto &loop : step["loops"]) {
    const Json &isParallel = loop["parallel"];
    std::string all = isParallel.is_null()     ? "too complex to say whether in parallel"
                      : isParallel.get<bool>() ? "parallel"
                                               : "in order";
    for (const auto &words : loop["how_in_words"])
      all += ", " + words.get<std::string>();
    out += fmt::format("{}{:{}}for {}: {}\n", indent, "", 2 * loop["depth"].get<int>(),
                       loop["over"].get<std::string>(), all);
  }
  if (step["loops"].empty())
    out += indent + "once\n";
  for (const auto &part : step["tasks"]["parts"])
    parts += fmt::format("{}{} in [{}, {})", parts.empty() ? "" : ", ", part["over"].get<std::string>(),
                         part["from"].get<std::string>(), part["to"].get<std::string>());
  const auto order = step["tasks"]["order"].get<std::string>();
  return out + indent +
         (parts.empty() ? "tasks: one\n" : fmt::format("tasks: {}; order: {}\n", parts, order));
}

/// " | cpu:wide": the choices of a step beside its default, those of one machine, "cpu:" or "gpu:".
std::string schedulesOf(const Json &step, const char *machine) {
  std::string out;
  for (const auto &one : step.value("schedules", Json::array()))
    if (const std::string choice = one["choice"].get<std::string>(); choice.starts_with(machine))
      out += " | " + choice;
  return out;
}

/// "device: place_rows = gpu | gpu_local; an item for each x, y; In in local memory; shared along y"
std::string placed(const Json &step) {
  const Json &device = step["device"];
  const std::string schedules = schedulesOf(step, "cpu:");
  if (device.contains("why_not"))
    return fmt::format("      not on a device: {}{}\n", device["why_not"].get<std::string>(),
                       atLine(device.value("line", Json())));
  if (device.contains("library"))
    return fmt::format("      device: {} = cpu{} | gpu_library, by {}\n",
                       device["placement"].get<std::string>(), schedules,
                       device["library"].get<std::string>());
  const bool isStaged = !device["local_memory"].empty();
  const bool hasTiles = device.contains("tiles") && !device["tiles"].empty();
  const bool hasSteps = device.contains("steps") && !device["steps"].empty();
  const bool isScan = device.contains("scan_along"), isGroup = isScan || device.contains("group_over");
  std::string out = fmt::format(
      "      device: {} = cpu{} | gpu{}; {}", device["placement"].get<std::string>(), schedules,
      (isStaged ? std::string(" | gpu_local") : "") +
          (device["blocks"].get<bool>() ? " | gpu_blocks | gpu_buffers" : "") +
          (device["registers"].get<bool>() ? " | gpu_registers" : "") + (hasTiles ? " | gpu_tiles" : "") +
          (hasSteps ? " | gpu_steps" : "") + (isGroup ? " | gpu_group" : "") + schedulesOf(step, "gpu:"),
      device["items"].empty() ? std::string("one item") : "an item for each " + joined(device["items"]));
  if (device.contains("rounds"))
    out += fmt::format(", in rounds of {}", device["rounds"].get<std::string>());
  if (hasTiles)
    out += fmt::format("; tiles of {}", joined(device["tiles"]));
  else if (device.contains("why_no_tiles"))
    out += fmt::format("; no tiles: {}", device["why_no_tiles"].get<std::string>());
  if (hasSteps)
    out += fmt::format("; several rounds with {} in local memory", joined(device["steps"]));
  else if (device.contains("why_no_steps"))
    out += fmt::format("; one round in a launch: {}", device["why_no_steps"].get<std::string>());
  if (isStaged)
    out += fmt::format("; in local memory: {}", joined(device["local_memory"]));
  if (device.contains("built_for_each"))
    out += fmt::format(", by a kernel for each {}", joined(device["built_for_each"]));
  if (isGroup)
    out += fmt::format("; by the items of a group: {} {}", isScan ? "the scan along" : "the loop over",
                       device[isScan ? "scan_along" : "group_over"].get<std::string>());
  if (device.contains("shared_along"))
    out += fmt::format("; shared with the processor along {}", device["shared_along"].get<std::string>());
  out += "\n";
  if (const std::string why = device.value("why_no_local_memory", kernel::kNothingShared);
      why != kernel::kNothingShared && !isGroup && !device.value("blocks", false))
    out += fmt::format("      no cells in local memory: {}\n", why);
  if (device.contains("why_no_blocks"))
    out += fmt::format("      no blocks of points: {}\n", device["why_no_blocks"].get<std::string>());
  else if (device.contains("why_no_registers") && !device.value("blocks", false) && !isGroup &&
           !device.contains("rounds"))
    out += fmt::format("      no runs of points in registers: {}\n",
                       device["why_no_registers"].get<std::string>());
  if (device.contains("why_no_rows"))
    out += fmt::format("      no blocks of rows: {}\n", device["why_no_rows"].get<std::string>());
  if (device.contains("why_no_planes") && !isGroup && !device.contains("rounds"))
    out += fmt::format("      no planes of points in registers: {}\n",
                       device["why_no_planes"].get<std::string>());
  if (!isGroup && device["why_no_group"] != kernel::kNoLongLoop &&
      device["why_no_group"] != kernel::kNoStatements)
    out += fmt::format("      no work in groups: {}\n", device["why_no_group"].get<std::string>());
  return out;
}

/// `withScript`: the steps that made the schedule follow.
std::string asText(const Json &step, bool withScript) {
  std::string out = fmt::format("    {}\n", joined(step["rules"]));
  if (step.contains("calls_transforms"))
    return out + "      point by point: the bodies call transforms\n" + boundText(step);
  out += loopsAndTasks(step, "      ");
  for (const auto &note : step["not_applied"])
    out += fmt::format("      {}: {}\n", undone(note["transformation"].get<std::string>()),
                       note["why"].get<std::string>());
  if (step.contains("literal_of_double")) {
    const auto literal = step["literal_of_double"].get<std::string>();
    out += fmt::format(
        "      computes in double: `{0}` is a double, and its matrices are float; write `{0}f`\n", literal);
  }
  if (withScript)
    out += stepsText(step);
  out += boundText(step);
  for (const auto &one : step.value("schedules", Json::array()))
    out += fmt::format(
        "      {} = {}{}", step["placement"].get<std::string>(), one["choice"].get<std::string>(),
        one.contains("loops") ? "\n" + composedText(one) + loopsAndTasks(one, "        ") : ": as cpu\n");
  return out + (step.contains("device") ? placed(step) : "");
}

std::string asProse(const Json &program) {
  std::string out;
  for (const auto &t : program["transforms"]) {
    out += "transform " + t["name"].get<std::string>() + "\n";
    for (const auto &r : t["rules"]) {
      out += fmt::format("  rule {}{}: ", r["rule"].get<std::string>(), atLine(r["line"]));
      if (r["lifted"].get<bool>())
        out += "lifted\n";
      else
        out += fmt::format("called as it is written: {}{}\n", r["obstacle"]["text"].get<std::string>(),
                           atLine(r["obstacle"]["line"]));
    }
    out += storageText(t);
    for (const auto &a : t["alternatives"]) {
      out += fmt::format("  alternative {}\n", a["name"].get<std::string>()) + inPlaceText(a);
      for (const auto &step : a["steps"])
        out += asText(step, t.contains("kernels"));
      for (const auto &group : a["tiles"])
        out += fmt::format("    computed in tiles of {}, where these are large: {}\n", joined(group["of"]),
                           joined(group["matrices"]));
      for (const auto &m : a["whole_matrices"])
        out += fmt::format("    {} exists as a whole: {}\n", m["matrix"].get<std::string>(),
                           m["why"].get<std::string>());
      out += turnsText(a);
    }
    for (const auto &kernel : t.value("kernels", Json::array())) {
      if (!kernel["options"].empty())
        out += fmt::format("  kernel {}\n", kernel["name"].get<std::string>());
      for (const auto &o : kernel["options"])
        out += fmt::format("    {} = {}; or {}: {}\n", o["option"].get<std::string>(),
                           o["in_use"].get<std::string>(), either(o["others"]), o["doc"].get<std::string>());
    }
  }
  return out;
}

} // namespace

std::string explain(const emit::Input &in, const Reports &reports, bool asJson,
                    const std::vector<KernelSpace> &spaces, const RuleBounds &bounds,
                    const ExplainedStorage &storage) {
  const Json program = Explainer(in, reports, spaces, bounds, storage).program();
  return poly::asSpelled(asJson ? program.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                                : asProse(program));
}

} // namespace pbc::driver
