// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/config/original.h"
#include "runtime/base/number.h"
#include "runtime/config/configuration.h"
#include "runtime/config/slots.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

namespace pb::config {
namespace {

constexpr const char *kThreads = "worker_threads", *kCutoff = "sequentialcutoff";

struct Line {
  int number;
  std::string name, value;
};

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

bool isName(const std::string &text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             text.npos;
}

std::optional<double> parsed(const std::string &text) {
  char *end = nullptr;
  const double v = std::strtod(text.c_str(), &end);
  return text.empty() || *end || !std::isfinite(v) ? std::nullopt : std::optional(v);
}

/// The lines of the form `name = value`; all others are ignored.
std::vector<Line> linesOf(const std::string &text) {
  std::vector<Line> lines;
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    const size_t equals = line.find('=');
    if (equals == line.npos)
      continue;
    Line l{number, trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1))};
    if (isName(l.name) && parsed(l.value))
      lines.push_back(std::move(l));
  }
  return lines;
}

/// "Solve<1,2>" -> "Solve_tmpl_1_2"
std::string originalName(std::string name) {
  const size_t at = name.find('<');
  if (at == name.npos)
    return name;
  std::string values = name.substr(at + 1, name.size() - at - 2);
  std::replace(values.begin(), values.end(), ',', '_');
  return name.substr(0, at) + "_tmpl_" + values;
}

std::string originalName(const Tunable &t) {
  const std::string name = t.name, rounds = "for_enough_";
  if (name == "split_size")
    return "splitsize";
  return name.starts_with(rounds) ? "forenough_iterations_" + name.substr(rounds.size()) : name;
}

struct Place {
  const Tunable *tunable;
  int index;
};
using Places = std::multimap<std::string, Place>;

Places placesIn(const Program &program) {
  Places places;
  for (int i = 0; i < program.transformCount; ++i) {
    const Transform &t = *program.transforms[i];
    const std::string prefix = originalName(std::string(t.name)) + "_";
    for (int k = 0; k < t.tunableCount; ++k) {
      const Tunable &u = t.tunables[k];
      if (std::string_view(u.name) == "sequential_cutoff") {
        places.insert({kCutoff, {&u, 0}});
        continue;
      }
      for (int v = 0; v < u.values(); ++v) {
        std::string name = prefix;
        if (u.length)
          name += "i" + std::to_string(v % u.length) + "_";
        name += originalName(u);
        if (u.bySize)
          name += "__" + std::to_string(v / u.elements());
        places.insert({name, {&u, v}});
      }
    }
  }
  return places;
}

/// Why the value does not fit; "" if it does.
std::string objection(const Line &line, double value, bool integer, double low, double high) {
  if (integer && value != std::floor(value))
    return line.name + " must be an integer, found " + line.value;
  if (!(value >= low && value <= high))
    return line.name + " = " + line.value + " is out of range: " + base::number(low) + " to " +
           base::number(high);
  return "";
}

} // namespace

bool isOriginal(const std::string &text) {
  for (size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size()) + 1) {
    const size_t first = text.find_first_not_of(" \t", at);
    if (first != text.npos && text[first] == '[')
      return false; // a table
  }
  const auto lines = linesOf(text);
  return std::any_of(lines.begin(), lines.end(), [](const Line &l) {
    return l.name == kCutoff || (l.name.find('_') != l.name.npos && l.name.front() != '_');
  });
}

std::vector<std::string> applyOriginal(const Program &program, const std::string &text,
                                       const std::string &where, int *threads,
                                       std::vector<std::string> *warnings, std::vector<Entry> *entries) {
  const Places places = placesIn(program);
  std::vector<std::string> errors;
  std::vector<std::pair<Place, double>> changes;
  std::optional<int> wantedThreads;
  for (const Line &line : linesOf(text)) {
    const std::string at = where + ":" + std::to_string(line.number) + ": ";
    const double value = *parsed(line.value);
    const auto [first, last] = places.equal_range(line.name);
    std::string wrong;
    Entry entry{"", line.name, line.number, 1};
    if (line.name == kThreads) {
      wrong = objection(line, value, true, 1, kMaxThreads);
      wantedThreads = static_cast<int>(std::clamp(value, 1.0, double(kMaxThreads)));
    } else if (first == last) {
      entry.state = EntryState::Unknown;
      entry.problems = {line.name + " is unknown here and ignored"};
      if (warnings)
        warnings->push_back(at + "warning: " + entry.problems.front());
    }
    for (auto p = first; p != last && wrong.empty(); ++p) {
      const Tunable &t = *p->second.tunable;
      wrong = objection(line, value, t.kind == TunableKind::Integer, t.minimum, t.maximum);
      changes.emplace_back(p->second, value);
    }
    if (!wrong.empty())
      errors.push_back(at + "error: " + wrong);
    if (entries)
      entries->push_back(entry);
  }
  if (!errors.empty())
    return errors;
  for (const auto &[place, value] : changes)
    setValue(*place.tunable, place.index, value);
  if (wantedThreads && threads)
    *threads = *wantedThreads;
  return {};
}

} // namespace pb::config
