// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/canvas.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::tuner {

double widthOf(const std::string &words) {
  const auto letters = std::count_if(words.begin(), words.end(), [](char c) { return (c & 0xc0) != 0x80; });
  return kLetterWidth * static_cast<double>(letters);
}

Canvas::Canvas(const std::string &identity, double height, const std::string &title,
               const std::string &description) {
  text_ =
      fmt::format("<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
                  "aria-labelledby=\"{2}-title {2}-text\"><title id=\"{2}-title\">{3}</title>"
                  "<desc id=\"{2}-text\">{4}</desc>\n",
                  kWidth, height, identity, escaped(title), escaped(description));
}

void Canvas::label(double x, double y, const std::string &words, const char *kind, const char *anchor) {
  text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y,
                       kind, anchor, escaped(words));
}

void Canvas::line(double x1, double y1, double x2, double y2, const char *kind) {
  text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1,
                       y1, x2, y2, kind);
}

/// 1, 2, 5, 10, ... between two numbers, at most `most`.
std::vector<double> roundNumbers(double most, int count) {
  const double rough = most / count, power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-9))));
  const double step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
  std::vector<double> result;
  for (double value = 0; value <= most * 1.0001; value += step)
    result.push_back(value);
  return result;
}

std::string shortNumber(double value) {
  if (value >= 1e6)
    return fmt::format("{:.3g}M", value / 1e6);
  if (value >= 1e4)
    return fmt::format("{:.3g}k", value / 1e3);
  return value >= 1e3 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

} // namespace pbc::tuner
