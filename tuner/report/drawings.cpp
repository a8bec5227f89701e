// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/drawings.h"

#include "tuner/report/canvas.h"
#include "tuner/report/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::tuner {
namespace {

constexpr double kWidth = Canvas::kWidth, kLetter = kLetterWidth;
constexpr int kColours = 8;

/// Maps the progress to positions: speed-ups to coordinates.
class Chart {
public:
  static constexpr double kLeft = 56, kRight = kWidth - 110, kTop = 14, kBottom = 214, kHeight = 258;

  Chart(const Part &part, Across across) : across_(across) {
    most_ = across == Across::Seconds ? part.recording.elapsed
                                      : static_cast<double>(part.recording.trials.size());
    most_ = std::max(most_, across == Across::Seconds ? 0.1 : 1.0);
    for (const ProgressLine &line : part.analysis.progress)
      for (const ProgressPoint &point : line.points) {
        low_ = std::min(low_, speedup(line, point));
        high_ = std::max(high_, speedup(line, point));
      }
    low_ = std::max(low_, 1e-3);
    if (high_ < low_ * 1.2)
      high_ = low_ * 1.2;
  }

  static double speedup(const ProgressLine &line, const ProgressPoint &point) {
    const double reference = line.byDefault > 0 ? line.byDefault : line.points.front().seconds;
    return point.seconds > 0 ? reference / point.seconds : 1;
  }
  double x(const ProgressPoint &point) const {
    return x(across_ == Across::Seconds ? point.at : point.trial);
  }
  double x(double value) const { return kLeft + (kRight - kLeft) * value / most_; }
  double y(double ratio) const {
    return kBottom - (kBottom - kTop) * std::log(std::max(ratio, low_) / low_) / std::log(high_ / low_);
  }

  void axes(Canvas &canvas) const {
    double before = 1e9;
    for (const double ratio : ratios()) {
      canvas.line(kLeft, y(ratio), kRight, y(ratio), "grid");
      if (before - y(ratio) < 14)
        continue;
      before = y(ratio);
      canvas.label(kLeft - 6, y(ratio) + 4, shortNumber(ratio) + "×", "axis", "end");
    }
    canvas.line(kLeft, kBottom, kRight, kBottom, "frame");
    for (const double value : roundNumbers(most_, 6)) {
      canvas.line(x(value), kBottom, x(value), kBottom + 4, "frame");
      canvas.label(x(value), kBottom + 18, shortNumber(value), "axis", "middle");
    }
    canvas.label((kLeft + kRight) / 2, kBottom + 38,
                 across_ == Across::Seconds ? "seconds of tuning" : "trials", "axis", "middle");
  }

  std::string path(const ProgressLine &line) const {
    std::string path;
    double last = 0;
    for (const ProgressPoint &point : line.points) {
      const double height = y(speedup(line, point));
      path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x(point), height)
                           : fmt::format("H{:.1f}V{:.1f}", x(point), height);
      last = height;
    }
    lastHeight_ = last;
    return path + fmt::format("H{:.1f}", kRight);
  }
  double lastHeight() const { return lastHeight_; }

private:
  std::vector<double> ratios() const {
    std::vector<double> result;
    for (double power = 1e-3; power < 1e7; power *= 10)
      for (const double digit : {1.0, 2.0, 5.0})
        if (digit * power >= low_ * 0.999 && digit * power <= high_ * 1.001)
          result.push_back(digit * power);
    if (result.size() < 2)
      result = {low_, high_};
    return result;
  }

  Across across_;
  double most_ = 1, low_ = 1, high_ = 1;
  mutable double lastHeight_ = 0;
};

} // namespace

std::string selectorDrawing(const Site &site, const Selector &selector, long largest,
                            const std::string &identity) {
  constexpr double kLeft = 4, kRight = kWidth - 4, kTop = 4, kBar = 30;
  long most = std::max(largest, 16L);
  for (const Level &level : selector.levels())
    if (level.below != kNoLimit)
      most = std::max(most, level.below);
  const double whole = std::log2(static_cast<double>(most)) + 1;
  const auto x = [&](long n) {
    return kLeft + (kRight - kLeft) * std::log2(std::max<double>(static_cast<double>(n), 1)) / whole;
  };
  std::string words;
  for (const Level &level : selector.levels())
    words += fmt::format("{}{}", site.alternatives[level.use].name,
                         level.below == kNoLimit ? " from there on."
                                                 : fmt::format(" below n = {}; ", level.below));
  Canvas canvas(identity, kTop + kBar + 38, "Alternatives of " + site.title() + " over the size n", words);
  long low = 0;
  double free = kLeft; // where labels of cut-offs end
  for (const Level &level : selector.levels()) {
    const double from = x(low), to = level.below == kNoLimit ? kRight : x(level.below);
    const std::string &name = site.alternatives[level.use].name;
    canvas.add(fmt::format(
        "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" class=\"piece "
        "c{}\"><title>{}</title></rect>\n",
        from, kTop, std::max(to - from, 0.5), kBar, level.use % kColours,
        escaped(fmt::format("{}, n from {}{}", name, low,
                            level.below == kNoLimit ? "" : fmt::format(" to {}", level.below - 1)))));
    if (widthOf(name) < to - from - 8)
      canvas.label((from + to) / 2, kTop + kBar / 2 + 4, name, "inside", "middle");
    if (level.below != kNoLimit) {
      const std::string cut = fmt::format("{}", level.below);
      const double half = widthOf(cut) / 2, at = std::clamp(to, kLeft + half, kRight - half);
      canvas.line(to, kTop, to, kTop + kBar + 5, "cut");
      if (at - half > free + 4 || free == kLeft) {
        canvas.label(at, kTop + kBar + 17, cut, "axis", "middle");
        free = at + half;
      }
    }
    low = level.below;
  }
  // Marks as many powers of two as have room.
  const int step = std::max(1, static_cast<int>(std::ceil(whole / 12)));
  for (int power = 0; power < whole; power += step) {
    const double at = x(1L << power);
    const std::string number = shortNumber(std::exp2(power));
    if (at + widthOf(number) / 2 < kRight)
      canvas.label(std::max(at, kLeft + widthOf(number) / 2), kTop + kBar + 34, number, "faint", "middle");
  }
  return canvas.done();
}

std::string progressDrawing(const Part &part, Across across, const std::string &identity) {
  const Chart chart(part, across);
  Canvas canvas(identity, Chart::kHeight,
                across == Across::Seconds ? "Best so far against seconds" : "Best so far against trials",
                "How many times as fast as the default the best configuration was, a step line for each "
                "size; the largest "
                "size is drawn strongest. The table below has the numbers.");
  chart.axes(canvas);
  std::vector<double> labelled;
  // The largest size is drawn last, but its label is placed first.
  const auto &lines = part.analysis.progress;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const ProgressLine &line = lines[i];
    if (line.points.empty())
      continue;
    canvas.add(fmt::format("<path d=\"{}\" class=\"{}\"><title>{}</title></path>\n", chart.path(line),
                           line.size == part.recording.largest ? "best" : "other",
                           escaped(part.recording.sizes[line.size].name)));
  }
  for (std::size_t i = lines.size(); i-- > 0;) {
    const ProgressLine &line = lines[i];
    if (line.points.empty())
      continue;
    const double height = chart.y(Chart::speedup(line, line.points.back()));
    if (std::any_of(labelled.begin(), labelled.end(),
                    [&](double other) { return std::abs(other - height) < 14; }))
      continue;
    labelled.push_back(height);
    canvas.label(Chart::kRight + 6, height + 4, shortened(part.recording.sizes[line.size].name, 13),
                 line.size == part.recording.largest ? "strong" : "faint");
  }
  return canvas.done();
}

std::string influenceDrawing(const std::vector<InfluenceRow> &rows, const std::string &identity) {
  constexpr double kRow = 24, kNames = 260, kRight = kWidth - 60, kLeast = 0.005;
  // A name that is too long to stand beside its bar stands above it.
  const auto isLong = [](const InfluenceRow &row) { return widthOf(row.name) > kNames - 12; };
  std::string words;
  double height = 6;
  for (const InfluenceRow &row : rows) {
    words += fmt::format("{}: {:.0f} %. ", row.name, 100 * row.share);
    height += isLong(row) ? 2 * kRow : kRow;
  }
  Canvas canvas(identity, height, "Which decisions mattered", words);
  double y = 4;
  for (const InfluenceRow &row : rows) {
    if (isLong(row)) {
      canvas.label(4, y + 15, row.name, "name");
      y += kRow;
    } else {
      canvas.label(kNames - 8, y + 15, row.name, "name", "end");
    }
    const double width = row.share < kLeast ? 0 : std::max((kRight - kNames) * row.share, 1.0);
    if (width > 0)
      canvas.add(
          fmt::format("<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" class=\"bar\"/>\n",
                      kNames, y + 2, width, kRow - 6));
    canvas.label(kNames + width + 6, y + 15, fmt::format("{:.0f} %", 100 * row.share), "axis");
    y += kRow;
  }
  return canvas.done();
}

std::string partsDrawing(const std::vector<PartsRow> &rows, const std::string &title,
                         const std::string &identity) {
  constexpr double kRow = 44, kBar = 18, kLeft = 4, kRight = kWidth - 8;
  std::vector<std::string> names; // of parts, by colour
  std::string words;
  for (const PartsRow &row : rows) {
    words += row.name + ":";
    double sum = 0;
    for (const auto &[name, share] : row.parts) {
      words += fmt::format(" {} {:.0f} %", name, 100 * share);
      sum += share;
      if (std::ranges::find(names, name) == names.end())
        names.push_back(name);
    }
    words += sum > 0 ? ". " : " nothing. ";
  }
  const auto colourOf = [&](const std::string &name) {
    return (std::ranges::find(names, name) - names.begin()) % kColours;
  };
  Canvas canvas(identity, kRow * static_cast<double>(rows.size()) + 6, title, words);
  double y = 4;
  for (const PartsRow &row : rows) {
    canvas.label(kLeft, y + 13, row.name, "name");
    double sum = 0;
    for (const auto &[name, share] : row.parts)
      sum += share;
    double x = kLeft;
    for (const auto &[name, share] : row.parts) {
      const double width = (kRight - kLeft) * share / std::max(sum, 1.0);
      canvas.add(fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" "
                             "class=\"c{}\"><title>{} {:.0f} %</title></rect>\n",
                             x, y + 18, width, kBar, colourOf(name), escaped(name), 100 * share));
      if (const std::string inside = fmt::format("{} {:.0f} %", name, 100 * share);
          widthOf(inside) + 12 < width)
        canvas.label(x + 6, y + 31, inside, "inside");
      x += width;
    }
    y += kRow;
  }
  return canvas.done();
}

} // namespace pbc::tuner
