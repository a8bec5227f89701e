// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints a plot as one self-contained SVG file: its style is included and follows the reader's light or dark
// mode; every series has a colour and a marker of its own; the same answer gives the same bytes.
#include "compiler/model/answer.h"
#include "compiler/model/command/axis.h"
#include "compiler/model/problem.h"
#include "tuner/base/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace pbc::model {
namespace {

constexpr double kWidth = 760, kHeight = 500, kLetter = 7.2; // an upper estimate for text of 12 pixels
constexpr double kTop = 44, kRight = kWidth - 24, kLine = 18;
constexpr size_t kLooks = 8; // colours and markers

constexpr const char *kStyle =
    R"(<style>
svg { --page: #fff; --text: #1c2126; --faint: #5a646e; --line: #d9dde1; background: var(--page);
  font: 12px system-ui, "Liberation Sans", sans-serif; }
text { fill: var(--text); } .faint { fill: var(--faint); } .title { font-size: 15px; font-weight: bold; }
.page { fill: var(--page); } .grid { stroke: var(--line); } .frame { stroke: var(--faint); fill: none; }
.l { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; }
.m { fill: none; stroke: currentColor; stroke-width: 1.4; } .s { fill: currentColor; stroke: none; }
.crowd { opacity: .55; }
.c0 { color: #1f6fb2; } .c1 { color: #b4531a; } .c2 { color: #2a7648; } .c3 { color: #8a4fa3; }
.c4 { color: #a8326e; } .c5 { color: #66751f; } .c6 { color: #0d7079; } .c7 { color: #7a5c3e; }
@media (prefers-color-scheme: dark) {
  svg { --page: #15181b; --text: #e4e7ea; --faint: #a2abb4; --line: #343b42; }
  .c0 { color: #62aef0; } .c1 { color: #f0935a; } .c2 { color: #5fc088; } .c3 { color: #c690df; }
  .c4 { color: #ec7fb4; } .c5 { color: #b9cc5c; } .c6 { color: #4fc3cf; } .c7 { color: #cda882; }
}
</style>
)";

double widthOf(const std::string &words) {
  return kLetter * static_cast<double>(std::count_if(words.begin(), words.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
         }));
}

/// The text, at most so wide; the rest is replaced by an ellipsis.
std::string fitting(std::string words, double width) {
  if (widthOf(words) <= width)
    return words;
  while (!words.empty() && widthOf(words) + kLetter > width) {
    while (words.size() > 1 && (static_cast<unsigned char>(words.back()) & 0xc0) == 0x80)
      words.pop_back();
    words.pop_back();
  }
  return words + "…";
}

/// A marker around a point, made of path commands: one shape and colour for each of eight series.
std::string marker(size_t look, double x, double y, double r = 2.6) {
  switch (look % kLooks) {
  case 0: // disc
    return fmt::format("M{:.1f} {:.1f}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0z", x - r, y, fmt::arg("r", r),
                       fmt::arg("d", 2 * r));
  case 1: // diamond
    return fmt::format("M{:.1f} {:.1f}l{r} {r}l-{r} {r}l-{r} -{r}z", x, y - 1.5 * r, fmt::arg("r", 1.5 * r));
  case 2: // square
    return fmt::format("M{:.1f} {:.1f}h{d}v{d}h-{d}z", x - r, y - r, fmt::arg("d", 2 * r));
  case 3: // triangle
    return fmt::format("M{:.1f} {:.1f}l{r} {h}h-{d}z", x, y - 1.3 * r, fmt::arg("r", 1.3 * r),
                       fmt::arg("h", 2.2 * r), fmt::arg("d", 2.6 * r));
  case 4: // cross
    return fmt::format("M{:.1f} {:.1f}l{d} {d}m0 -{d}l-{d} {d}", x - r, y - r, fmt::arg("d", 2 * r));
  case 5: // plus
    return fmt::format("M{:.1f} {:.1f}h{d}m-{r} -{r}v{d}", x - 1.3 * r, y, fmt::arg("r", 1.3 * r),
                       fmt::arg("d", 2.6 * r));
  case 6: // ring
    return marker(0, x, y, r);
  default: // hollow square
    return marker(2, x, y, r);
  }
}

const char *markerClass(size_t look) { return look % kLooks < 4 ? "s" : "m"; }

struct Legend {
  struct Entry {
    size_t series;
    double x, y;
    std::string name;
  };
  std::vector<Entry> entries;
  double height = 0;
};

/// A single series needs no legend, because the axes describe it, unless it has a name.
Legend legendOf(const Plot &plot, double left) {
  Legend legend;
  double x = left, y = 0;
  for (size_t s = 0; s < plot.series.size(); ++s) {
    const std::string name = fitting(plot.series[s].name, kRight - left - 30);
    if (name.empty())
      continue;
    const double width = 26 + widthOf(name) + 16;
    if (x > left && x + width > kRight) {
      x = left;
      y += kLine;
    }
    legend.entries.push_back({s, x, y, name});
    x += width;
  }
  legend.height = legend.entries.empty() ? 0 : y + kLine;
  return legend;
}

/// The values of one coordinate of all series. Throws if an axis cannot show one.
template <typename Coordinate>
Axis axisOf(const Plot &plot, bool logarithmic, Coordinate coordinate) {
  double least = INFINITY, most = -INFINITY;
  for (const PlotSeries &series : plot.series)
    for (const auto &point : series.points) {
      const double value = coordinate(point);
      if (!(std::abs(value) < 1e300) || (logarithmic && !(value > 1e-300)))
        throw Problem(fmt::format("the curve \"{}\" has the value {:g}, which its axis cannot show",
                                  series.name, value),
                      "leave --plot away: the answer itself is not concerned");
      least = std::min(least, value);
      most = std::max(most, value);
    }
  return {least, most, logarithmic};
}

class Drawing {
public:
  explicit Drawing(const Plot &plot)
      : plot_(plot), x_(axisOf(plot, plot.logarithmicX, [](const auto &p) { return p.first; })),
        y_(axisOf(plot, plot.logarithmicY, [](const auto &p) { return p.second; })) {
    double widest = 0;
    for (const double tick : y_.ticks())
      widest = std::max(widest, widthOf(tickText(tick)));
    left_ = 34 + widest;
    legend_ = legendOf(plot, left_);
    bottom_ = kHeight - 52 - legend_.height;
  }

  std::string text() {
    out_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                       "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
                       "<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n",
                       kWidth, kHeight, tuner::escaped(plot_.title), kStyle);
    label(left_, 26, fitting(plot_.title, (kRight - left_) * 0.86), "title");
    axes();
    for (size_t s = 0; s < plot_.series.size(); ++s)
      series(s);
    for (const Legend::Entry &entry : legend_.entries)
      legend(entry);
    return out_ + "</svg>\n";
  }

private:
  double across(double value) const { return left_ + x_.share(value) * (kRight - left_); }
  double up(double value) const { return bottom_ - y_.share(value) * (bottom_ - kTop); }

  void label(double x, double y, const std::string &words, const char *kind, const char *anchor = "start") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y,
                        kind, anchor, tuner::escaped(words));
  }
  void line(double x1, double y1, double x2, double y2) {
    out_ += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", x1, y1, x2, y2);
  }

  void axes() {
    double free = -INFINITY; // where the next text below the axis may begin
    for (const double tick : x_.ticks()) {
      line(across(tick), kTop, across(tick), bottom_);
      const std::string words = tickText(tick);
      if (across(tick) - widthOf(words) / 2 < free)
        continue;
      label(across(tick), bottom_ + 16, words, "faint", "middle");
      free = across(tick) + widthOf(words) / 2 + kLetter;
    }
    for (const double tick : y_.ticks()) {
      line(left_, up(tick), kRight, up(tick));
      label(left_ - 6, up(tick) + 4, tickText(tick), "faint", "end");
    }
    out_ += fmt::format("<path class=\"frame\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>\n", left_, kTop,
                        bottom_, kRight);
    label((left_ + kRight) / 2, bottom_ + 36, fitting(plot_.x, kRight - left_), "axis", "middle");
    out_ +=
        fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                    (kTop + bottom_) / 2, tuner::escaped(fitting(plot_.y, bottom_ - kTop)));
  }

  /// Points at the same position are drawn once, so thousands of points make a small file.
  void series(size_t s) {
    const PlotSeries &series = plot_.series[s];
    std::string path, markers;
    std::vector<std::pair<double, double>> places;
    std::set<std::pair<long, long>> drawn;
    for (const auto &[x, y] : series.points) {
      const double px = across(x), py = up(y);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', px, py);
      if (drawn.insert({std::lround(px * 2), std::lround(py * 2)}).second)
        places.emplace_back(px, py);
    }
    // Few points are individually important; many points must not hide what is drawn over them.
    const bool isCrowd = places.size() > 300;
    for (const auto &[px, py] : places)
      markers += marker(s, px, py, places.size() <= 3 ? 5 : isCrowd ? 1.8 : 2.6);
    if (series.connected)
      out_ += fmt::format("<path class=\"l c{}\" d=\"{}\"/>\n", s % kLooks, path);
    out_ += fmt::format("<path class=\"{} c{}{}\" d=\"{}\"/>\n", markerClass(s), s % kLooks,
                        isCrowd ? " crowd" : "", markers);
  }

  void legend(const Legend::Entry &entry) {
    const size_t s = entry.series;
    const double y = kHeight - legend_.height + entry.y;
    if (plot_.series[s].connected)
      out_ += fmt::format("<path class=\"l c{}\" d=\"M{:.1f} {:.1f}h20\"/>\n", s % kLooks, entry.x, y);
    out_ += fmt::format("<path class=\"{} c{}\" d=\"{}\"/>\n", markerClass(s), s % kLooks,
                        marker(s, entry.x + 10, y));
    label(entry.x + 26, y + 4, entry.name, "axis");
  }

  const Plot &plot_;
  Axis x_, y_;
  Legend legend_;
  double left_ = 0, bottom_ = 0;
  std::string out_;
};

} // namespace

std::string asSvg(const Answer &answer) {
  if (answer.plots.empty() ||
      std::ranges::all_of(answer.plots.front().series, [](const PlotSeries &s) { return s.points.empty(); }))
    throw Problem("there is no curve to draw: " + answer.title, "leave --plot away");
  return Drawing(answer.plots.front()).text();
}

} // namespace pbc::model
