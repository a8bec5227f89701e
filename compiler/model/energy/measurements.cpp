// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/energy/measurements.h"
#include "runtime/base/read_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <sstream>

namespace pbc::model {
namespace {

const std::vector<std::string> kColumns = {"stencil", "S1", "S2", "T",       "tS1",
                                           "tS2",     "tT", "sS", "seconds", "joules"};

std::vector<std::string> cells(std::string line) {
  if (!line.empty() && line.back() == '\r')
    line.pop_back();
  std::vector<std::string> out(1);
  for (const char c : line)
    if (c == ',')
      out.emplace_back();
    else if (c != ' ' && c != '\t')
      out.back() += c;
  return out;
}

class CsvReader {
public:
  CsvReader(const std::string &text, std::string name) : text_(text), name_(std::move(name)) {}

  std::vector<EnergyMeasurement> read() {
    std::istringstream lines(text_);
    std::string line;
    std::vector<EnergyMeasurement> out;
    while (std::getline(lines, line)) {
      if (++line_ == 1 && line.starts_with("\xef\xbb\xbf")) // as spreadsheets write UTF-8
        line.erase(0, 3);
      const std::vector<std::string> row = cells(line);
      if (row.size() == 1 && row[0].empty())
        continue;
      if (columns_.empty())
        header(row);
      else
        out.push_back(measurement(row));
    }
    if (out.empty())
      throw Problem(fmt::format("{} has no measurements", name_), "its first line is " + wanted());
    return out;
  }

private:
  static std::string wanted() { return fmt::format("{}", fmt::join(kColumns, ",")); }

  [[noreturn]] void wrong(const std::string &what, const std::string &help) const {
    throw Problem(fmt::format("{}:{}: {}", name_, line_, what), help);
  }

  void header(const std::vector<std::string> &row) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (std::ranges::find(kColumns, row[i]) == kColumns.end())
        wrong(fmt::format("there is no column \"{}\"", row[i]), "columns: " + wanted());
      if (!columns_.insert({row[i], i}).second)
        wrong(fmt::format("the column \"{}\" is there twice", row[i]), "leave one away");
    }
    for (const char *needed : {"stencil", "S1", "T", "tS1", "tT", "seconds", "joules"})
      if (!columns_.contains(needed))
        wrong(fmt::format("the column \"{}\" is missing", needed),
              "the first line names the columns: " + wanted());
  }

  std::string cell(const std::vector<std::string> &row, const std::string &column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? "" : row[found->second];
  }

  template <typename Number>
  Number number(const std::vector<std::string> &row, const std::string &column) const {
    const std::string text = cell(row, column);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
      wrong(fmt::format("\"{}\" is not a number for {}", text, column),
            std::is_integral_v<Number> ? "it is a whole number" : "for example 0.5 or 2e-3");
    return value;
  }

  EnergyMeasurement measurement(const std::vector<std::string> &row) const {
    if (row.size() != columns_.size())
      wrong(fmt::format("{} cells, the first line names {} columns", row.size(), columns_.size()),
            "what does not apply stays empty between two commas");
    EnergyMeasurement m;
    try {
      m.run.code = energyCode(cell(row, "stencil"));
      m.run.size1 = number<int64_t>(row, "S1");
      m.run.steps = number<int64_t>(row, "T");
      m.run.tile1 = number<int64_t>(row, "tS1");
      m.run.tileSteps = number<int64_t>(row, "tT");
      if (m.run.code == EnergyCode::Jacobi2D) {
        m.run.size2 = number<int64_t>(row, "S2");
        m.run.tile2 = number<int64_t>(row, "tS2");
      } else {
        m.run.subTile = number<int64_t>(row, "sS");
      }
      check(m.run);
    } catch (const Problem &problem) {
      if (std::string(problem.what()).starts_with(name_ + ":"))
        throw;
      wrong(problem.what(), problem.help());
    }
    m.seconds = number<double>(row, "seconds");
    m.joules = number<double>(row, "joules");
    if (!(m.seconds > 0 && m.joules > 0 && m.seconds < 1e15 && m.joules < 1e15))
      wrong(fmt::format("{} s and {} J", m.seconds, m.joules), "both are positive and finite");
    return m;
  }

  const std::string &text_;
  std::string name_;
  size_t line_ = 0;
  std::map<std::string, size_t> columns_;
};

} // namespace

std::vector<EnergyMeasurement> energyMeasurements(const std::string &text, const std::string &name) {
  return CsvReader(text, name).read();
}

std::vector<EnergyMeasurement> readEnergyMeasurements(const std::string &path) {
  const pb::base::FileText file = pb::base::readFile(path);
  if (!file.text || file.text->empty())
    throw Problem(fmt::format("cannot read the measurements in {}", path), "give a CSV file");
  return energyMeasurements(*file.text, path);
}

} // namespace pbc::model
