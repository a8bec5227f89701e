// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/front_report.h"

#include "tuner/report/page_parts.h"
#include "tuner/report/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

/// "Sort: QuickSort always; Sort.block: 7 (default 64)"
std::string choices(const ProgramSpace &space, const Configuration &configuration) {
  return fmt::format("{}", fmt::join(inWords(space, configuration), "; "));
}

/// Positions in the drawing: both axes begin at 0, so that lengths may be compared.
class FrontPlot {
public:
  static constexpr double kLeft = 84, kRight = Canvas::kWidth - 40, kTop = 34, kBottom = 318, kHeight = 370;

  explicit FrontPlot(const FrontReport &front) : front_(front) {
    for (int i = 0; i < 2; ++i) {
      double most = front.result.byDefault ? of(*front.result.byDefault, i) : 0;
      for (const FrontPoint &point : front.result.points)
        most = std::max(most, of(point.metrics, i));
      most_[i] = most > 0 ? 1.08 * most : 1;
    }
  }

  std::string done() {
    const std::string names =
        fmt::format("{} against {}", nameOf(front_.metrics[0]), nameOf(front_.metrics[1]));
    Canvas canvas(
        "front", kHeight, "The front: " + names,
        fmt::format("{} configurations; the table below has the numbers", front_.result.points.size()));
    axes(canvas);
    std::string path;
    // A step line: points to the right of it and above it are worse.
    for (const FrontPoint &point : front_.result.points)
      path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x(point.metrics), y(point.metrics))
                           : fmt::format("H{:.1f}V{:.1f}", x(point.metrics), y(point.metrics));
    canvas.add(fmt::format("<path d=\"{}\" class=\"best\"/>\n", path));
    if (front_.result.byDefault)
      mark(canvas, *front_.result.byDefault, "default", "other");
    for (std::size_t i = 0; i < front_.result.points.size(); ++i)
      mark(canvas, front_.result.points[i].metrics, fmt::format("{}", i + 1), "c0");
    return canvas.done();
  }

private:
  double of(const Metrics &metrics, int axis) const { return metrics.of(front_.metrics[axis]); }
  double x(const Metrics &m) const { return kLeft + (kRight - kLeft) * of(m, 0) / most_[0]; }
  double y(const Metrics &m) const { return kBottom - (kBottom - kTop) * of(m, 1) / most_[1]; }

  void axes(Canvas &canvas) const {
    canvas.line(kLeft, kBottom, kRight, kBottom, "frame");
    canvas.line(kLeft, kTop, kLeft, kBottom, "frame");
    for (const double value : roundNumbers(most_[0], 6)) {
      const double at = kLeft + (kRight - kLeft) * value / most_[0];
      canvas.line(at, kTop, at, kBottom, "grid");
      canvas.label(at, kBottom + 18, inWords(front_.metrics[0], value), "axis", "middle");
    }
    for (const double value : roundNumbers(most_[1], 5)) {
      const double at = kBottom - (kBottom - kTop) * value / most_[1];
      canvas.line(kLeft, at, kRight, at, "grid");
      canvas.label(kLeft - 6, at + 4, inWords(front_.metrics[1], value), "axis", "end");
    }
    canvas.label((kLeft + kRight) / 2, kBottom + 40, nameOf(front_.metrics[0]), "axis", "middle");
    canvas.label(kLeft, kTop - 16, nameOf(front_.metrics[1]), "axis", "middle");
  }

  void mark(Canvas &canvas, const Metrics &metrics, const std::string &name, const char *kind) {
    canvas.add(fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"{}\"><title>{}: {}</title></circle>\n",
        x(metrics), y(metrics), kind, escaped(name), metricsInWords(front_.metrics, metrics)));
    writeName(canvas, x(metrics), y(metrics), name);
  }

  /// Writes the name at the first position beside the mark that has room; a name without room is only in the
  /// mark's title.
  void writeName(Canvas &canvas, double x, double y, const std::string &name) {
    constexpr double kLine = 15, kAway = 8;
    const double width = widthOf(name);
    for (const auto &[left, base] : {std::pair{x + kAway, y - kAway},
                                     {x + kAway, y + kAway + 8},
                                     {x - kAway - width, y - kAway},
                                     {x - kAway - width, y + kAway + 8}}) {
      const Box box{left, left + width, base - kLine, base + 3};
      const bool isFree = box.left > kLeft && box.right < Canvas::kWidth && box.bottom < kBottom &&
                          std::none_of(
                              names_.begin(), names_.end(),
                              [&](const Box &other) {
                                return box.left < other.right && other.left < box.right &&
                                       box.top < other.bottom && other.top < box.bottom;
                              });
      if (!isFree)
        continue;
      names_.push_back(box);
      canvas.label(left, base, name, "strong");
      return;
    }
  }

  const FrontReport &front_;
  double most_[2] = {1, 1};
  struct Box {
    double left, right, top, bottom;
  };
  std::vector<Box> names_; // places that are taken
};

std::string lead(const FrontReport &front) {
  const auto &points = front.result.points;
  if (points.empty())
    return "nothing ran to its end at the full size";
  if (points.size() == 1)
    return fmt::format("one configuration has the least {} and the least {}", nameOf(front.metrics[0]),
                       nameOf(front.metrics[1]));
  return fmt::format("{} configurations, from the least {} to the least {}", points.size(),
                     nameOf(front.metrics[0]), nameOf(front.metrics[1]));
}

} // namespace

Summary summaryOf(const FrontReport &report, std::size_t point) {
  const std::vector<FrontPoint> &points = report.result.points;
  const auto [first, second] = report.metrics;
  Summary summary;
  summary.machine = report.machine;
  summary.sizes = report.size;
  summary.effort = report.effort;
  // Each end is the best of one objective; points between them are good in both.
  summary.objective = point == 0                   ? Objective({first})
                      : point + 1 == points.size() ? Objective({second})
                                                   : Objective({first, second});
  summary.runs = report.runs;
  summary.elapsed = report.elapsed;
  summary.byDefault = report.result.byDefault;
  summary.tuned = points[point].metrics;
  summary.front = fmt::format("point {} of {}: {}", point + 1, points.size(),
                              metricsInWords(report.metrics, points[point].metrics));
  summary.result.best = points[point].configuration;
  summary.result.size = report.result.size;
  return summary;
}

std::string metricsInWords(const std::array<Metric, 2> &metrics, const Metrics &values) {
  return fmt::format("{}, {}", inWords(metrics[0], values.of(metrics[0])),
                     inWords(metrics[1], values.of(metrics[1])));
}

std::string asText(const ProgramSpace &space, const FrontReport &front) {
  std::string text = fmt::format("{}{}\n", space.program, front.stopped ? " (stopped early)" : "");
  const auto line = [&](const std::string &left, const std::string &right) {
    text += fmt::format("  {:<14}{}\n", left, right);
  };
  line("size", front.size);
  line("front", lead(front));
  const auto values = [&](const Metrics &metrics) {
    return fmt::format("{:>10} {:>10}", inWords(front.metrics[0], metrics.of(front.metrics[0])),
                       inWords(front.metrics[1], metrics.of(front.metrics[1])));
  };
  text += fmt::format("  {:<9}{:>10} {:>10}\n", "", nameOf(front.metrics[0]), nameOf(front.metrics[1]));
  if (front.result.byDefault)
    text += fmt::format("  {:<9}{}\n", "default", values(*front.result.byDefault));
  for (std::size_t i = 0; i < front.result.points.size(); ++i) {
    const FrontPoint &point = front.result.points[i];
    text += fmt::format("  {:<9}{}  {}\n", i + 1, values(point.metrics), front.files[i]);
    text += fmt::format("  {:<9}  {}\n", "", choices(space, point.configuration));
  }
  if (!front.result.faults.empty()) {
    text += "  rejected:\n";
    for (const Fault &fault : front.result.faults)
      text += fmt::format("    {}\n", inWords(fault));
  }
  line("measurements", fmt::format("{} run, {} remembered, {:.1f} s; {} configurations at the full size",
                                   front.runs, front.remembered, front.elapsed, front.result.considered));
  if (!front.page.empty())
    line("plot", front.page);
  return text;
}

std::string asJson(const ProgramSpace &space, const FrontReport &front) {
  using nlohmann::ordered_json;
  const auto values = [](const Metrics &metrics) {
    ordered_json json{{"seconds", metrics.seconds}};
    if (metrics.joules)
      json["joules"] = *metrics.joules;
    if (metrics.bytes)
      json["bytes"] = *metrics.bytes;
    return json;
  };
  ordered_json points = ordered_json::array(), faults = ordered_json::array();
  for (std::size_t i = 0; i < front.result.points.size(); ++i) {
    ordered_json point = values(front.result.points[i].metrics);
    point["choices"] = inWords(space, front.result.points[i].configuration);
    point["configuration"] = front.files[i];
    points.push_back(std::move(point));
  }
  for (const Fault &fault : front.result.faults)
    faults.push_back({{"suspect", fault.suspect}, {"kind", nameOf(fault.kind)}, {"reason", fault.reason}});
  const ordered_json json{
      {"program", space.program},
      {"machine", front.machine},
      {"size", front.size},
      {"objectives", {nameOf(front.metrics[0]), nameOf(front.metrics[1])}},
      {"default", front.result.byDefault ? values(*front.result.byDefault) : ordered_json()},
      {"front", points},
      {"rejected", faults},
      {"considered", front.result.considered},
      {"measurements", front.runs},
      {"remembered", front.remembered},
      {"seconds", front.elapsed},
      {"stopped", front.stopped},
      {"page", front.page.empty() ? ordered_json() : ordered_json(front.page)}};
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string frontPage(const ProgramSpace &space, const FrontReport &front) {
  std::string text = pageBegin(
      fmt::format("{} against {} of {}", nameOf(front.metrics[0]), nameOf(front.metrics[1]), front.program));
  text += "<p class=\"lead\">" + escaped(lead(front)) + "</p>\n";
  if (!front.result.points.empty())
    text += "<figure>" + FrontPlot(front).done() +
            "<figcaption>Each point is a configuration; nothing that was measured lies left of and below the "
            "line.</figcaption></figure>\n";
  Table table("The front",
              {"Configuration", nameOf(front.metrics[0]), nameOf(front.metrics[1]), "Choices", "File"},
              {false, true, true});
  const auto row = [&](const std::string &name, const Metrics &metrics, const std::string &words,
                       const std::string &file) {
    table.row({name, inWords(front.metrics[0], metrics.of(front.metrics[0])),
               inWords(front.metrics[1], metrics.of(front.metrics[1])), words, file});
  };
  if (front.result.byDefault)
    row("default", *front.result.byDefault, "", "");
  for (std::size_t i = 0; i < front.result.points.size(); ++i)
    row(fmt::format("{}", i + 1), front.result.points[i].metrics,
        choices(space, front.result.points[i].configuration), front.files[i]);
  text += table.done();
  Table origin("Where it comes from", {"What", ""});
  origin.row({"Machine", front.machine});
  origin.row({"Size", front.size});
  origin.row(
      {"Effort", fmt::format("{}, {} measurements in {:.0f} s", front.effort, front.runs, front.elapsed)});
  return text + "<h2>Provenance</h2>\n" + origin.done() + kPageEnd;
}

} // namespace pbc::tuner
