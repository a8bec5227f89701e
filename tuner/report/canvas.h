// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds one drawing of a report as inline SVG, in the form that drawings.h describes.
//
//   Canvas canvas("front", 260, "Time against memory", "4 points ...");
//   canvas.line(10, 10, 90, 10, "grid");   canvas.label(50, 30, "seconds", "axis", "middle");
//   figure = canvas.done();
//
// Invariant: texts are escaped; `kind` is a class of the page's stylesheet.
#pragma once
#include "tuner/base/text.h"

#include <string>
#include <vector>

namespace pbc::tuner {

inline constexpr double kLetterWidth = 7.4; // an upper estimate for text of 12 pixels
double widthOf(const std::string &words);

class Canvas {
public:
  static constexpr double kWidth = 720;

  Canvas(const std::string &identity, double height, const std::string &title,
         const std::string &description);
  void label(double x, double y, const std::string &words, const char *kind, const char *anchor = "start");
  void line(double x1, double y1, double x2, double y2, const char *kind);
  void add(const std::string &svg) { text_ += svg; }
  std::string done() { return text_ + "</svg>\n"; }

private:
  std::string text_;
};

/// 0, 1, 2, ... with a step of 1, 2 or 5 times a power of ten, about `count` numbers up to `most`.
std::vector<double> roundNumbers(double most, int count);
/// "1.2M", "12k", "1200", "0.5"
std::string shortNumber(double value);

} // namespace pbc::tuner
