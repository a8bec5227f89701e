// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/answer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

using Json = nlohmann::ordered_json;

/// For people: at least six digits, and no powers of ten if they are not needed.
std::string shown(const Json &value) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_boolean())
    return value.get<bool>() ? "yes" : "no";
  if (value.is_null())
    return "-";
  if (!value.is_number())
    return value.dump();
  if (!value.is_number_float())
    return value.dump();
  const double number = value.get<double>();
  constexpr double kSixDigits = 1e6, kExact = 1e15;
  if (std::abs(number) >= kSixDigits && std::abs(number) < kExact)
    return fmt::format("{:.0f}", number);
  return fmt::format("{:.6g}", number);
}

bool isNumber(const std::vector<std::vector<Json>> &rows, size_t column) {
  return std::ranges::all_of(rows, [&](const std::vector<Json> &row) {
    return column >= row.size() || row[column].is_number() || row[column].is_null();
  });
}

std::string tableText(const AnswerTable &table) {
  std::vector<size_t> widths;
  std::vector<bool> right;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t width = table.columns[c].size();
    for (const auto &row : table.rows)
      if (c < row.size())
        width = std::max(width, shown(row[c]).size());
    widths.push_back(width);
    right.push_back(isNumber(table.rows, c));
  }
  const auto line = [&](auto &&cell) {
    std::string out = " ";
    for (size_t c = 0; c < widths.size(); ++c)
      out +=
          right[c] ? fmt::format(" {:>{}}", cell(c), widths[c]) : fmt::format(" {:<{}}", cell(c), widths[c]);
    return out.erase(out.find_last_not_of(' ') + 1) + "\n";
  };
  std::string out = table.title.empty() ? "" : table.title + "\n";
  out += line([&](size_t c) { return table.columns[c]; });
  for (const auto &row : table.rows)
    out += line([&](size_t c) { return c < row.size() ? shown(row[c]) : std::string(); });
  return out;
}

} // namespace

std::string percentText(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string asText(const Answer &answer) {
  std::string out = answer.title + "\n";
  size_t name = 0, value = 0;
  for (const AnswerFigure &f : answer.figures) {
    name = std::max(name, f.name.size());
    value = std::max(value, shown(f.value).size());
  }
  for (const AnswerFigure &f : answer.figures) {
    const std::string source = f.source.empty() ? "" : fmt::format("  ({})", f.source);
    out += fmt::format("  {:<{}}  {:>{}} {}{}\n", f.name, name, shown(f.value), value, f.unit, source);
  }
  for (const AnswerTable &table : answer.tables)
    out += "\n" + tableText(table);
  if (!answer.explanation.empty())
    out += "\n";
  for (const std::string &sentence : answer.explanation)
    out += sentence + "\n";
  return out;
}

std::string asJson(const Answer &answer) {
  Json out;
  out["title"] = answer.title;
  out["figures"] = Json::array();
  for (const AnswerFigure &f : answer.figures)
    out["figures"].push_back({{"name", f.name}, {"value", f.value}, {"unit", f.unit}, {"source", f.source}});
  out["tables"] = Json::array();
  for (const AnswerTable &table : answer.tables)
    out["tables"].push_back({{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
  out["explanation"] = answer.explanation;
  return out.dump(2) + "\n";
}

} // namespace pbc::model
