// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The answer of a model, independent of how it is printed: figures with units and sources, tables, curves,
// and sentences that explain.
//
//   Answer a("Time of Jacobi2D, 4096 x 4096, 1024 steps, on GTX 980");
//   a.figure("time", 0.4081567, "s", "A.18");
//   a.explain("87 % of the time is computing: ...");   // which term dominates, what would have to change
//
//   asText(a)   aligned columns for people        asJson(a)   the same for programs
//   asSvg(a)    its first plot
//
// Invariant: text and JSON have the same content; numbers are never rounded in JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pbc::model {

struct AnswerFigure {
  std::string name;
  nlohmann::ordered_json value;
  std::string unit;   // "s", "J", "mm2", "words", ""
  std::string source; // "A.18", "cost-models.md 1.7"
};

struct AnswerTable {
  std::string title;
  std::vector<std::string> columns; // with unit: "time [s]"
  std::vector<std::vector<nlohmann::ordered_json>> rows;
};

struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool connected = false; // a line through the points, in their order
};

struct Plot {
  std::string title, x, y; // axes with unit
  bool logarithmicX = false, logarithmicY = false;
  std::vector<PlotSeries> series;
};

class Answer {
public:
  explicit Answer(std::string title) : title(std::move(title)) {}
  void figure(std::string name, nlohmann::ordered_json value, std::string unit = {},
              std::string source = {}) {
    figures.push_back({std::move(name), std::move(value), std::move(unit), std::move(source)});
  }
  void explain(std::string sentence) { explanation.push_back(std::move(sentence)); }

  std::string title;
  std::vector<AnswerFigure> figures;
  std::vector<AnswerTable> tables;
  std::vector<std::string> explanation;
  std::vector<Plot> plots;
};

/// "12.5 %" for 0.125.
std::string percentText(double share);

std::string asText(const Answer &);
std::string asJson(const Answer &);
/// Throws Problem if the answer has no plot.
std::string asSvg(const Answer &);

} // namespace pbc::model
