// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a description from text and reports all its mistakes at once.
#include "compiler/model/machine/machine_file.h"

#include "runtime/base/closest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <toml++/toml.h>

namespace pbc::model {
namespace {

using Names = std::vector<std::string>;

class MachineReader {
public:
  explicit MachineReader(std::string where) : where_(std::move(where)) {}

  Machine read(const toml::table &root) {
    Machine m;
    const Fields fields = {
        {"name", [&](const toml::node &n) { m.name = text(n, "name"); }},
        {"kind",
         [&](const toml::node &n) {
           m.kind = oneOf(n, "kind", {"processor", "gpu"}) == 0 ? MachineKind::Processor : MachineKind::Gpu;
         }},
        {"source", [&](const toml::node &n) { m.source = text(n, "source"); }},
        {"units", [&](const toml::node &n) { m.units = count(n, "units"); }},
        {"lanes", [&](const toml::node &n) { m.lanes = count(n, "lanes"); }},
        {"clock", [&](const toml::node &n) { m.clock = rate(n, "clock", "Hz"); }},
        {"registers", [&](const toml::node &n) { m.registers = count(n, "registers"); }},
        {"threads_per_unit", [&](const toml::node &n) { m.threadsPerUnit = count(n, "threads_per_unit"); }},
        {"blocks_per_unit", [&](const toml::node &n) { m.blocksPerUnit = count(n, "blocks_per_unit"); }},
        {"threads_per_block",
         [&](const toml::node &n) { m.threadsPerBlock = count(n, "threads_per_block"); }},
        {"barrier", [&](const toml::node &n) { m.barrier = seconds(n, "barrier"); }},
        {"launch", [&](const toml::node &n) { m.launch = seconds(n, "launch"); }},
        {"window", [&](const toml::node &n) { m.window = count(n, "window"); }},
        {"mispredicted", [&](const toml::node &n) { m.mispredicted = seconds(n, "mispredicted"); }},
        {"guessed_rounds", [&](const toml::node &n) { m.guessedRounds = count(n, "guessed_rounds"); }},
        {"pages", [&](const toml::node &n) { m.pages = pages(n); }},
        {"registers_per_lane",
         [&](const toml::node &n) { m.registersPerLane = bytes(n, "registers_per_lane"); }},
        {"first_cache_per_pair",
         [&](const toml::node &n) { m.firstCachePerPair = bytes(n, "first_cache_per_pair"); }},
        {"second_cache", [&](const toml::node &n) { m.secondCache = bytes(n, "second_cache"); }},
        {"published_area",
         [&](const toml::node &n) { m.publishedArea = positive(n, "published_area", "mm2", 1e-3, 1e6); }},
        {"memory", [&](const toml::node &n) { m.memories = memories(n); }},
        {"resource",
         [&](const toml::node &n) {
           if (n.is_table())
             warpCosts(n, "resource", m.warp);
           else
             m.resources = resources(n);
         }},
        {"warp", [&](const toml::node &n) { warpCosts(n, "warp", m.warp); }},
        {"iteration", [&](const toml::node &n) { m.iteration = iterations(n); }},
        {"energy", [&](const toml::node &n) { m.energy = energies(n); }},
    };
    readTable(root, "a machine", fields, {"name", "kind", "units", "lanes"});
    return m;
  }

  const Names &mistakes() const { return mistakes_; }

private:
  struct Field {
    std::string key;
    std::function<void(const toml::node &)> take;
  };
  using Fields = std::vector<Field>;

  void wrong(const toml::source_region &at, const std::string &what) {
    mistakes_.push_back(fmt::format("{}:{}:{}: {}", where_, at.begin.line, at.begin.column, what));
  }

  void readTable(const toml::table &table, const std::string &what, const Fields &fields,
                 const Names &needed) {
    Names known;
    for (const Field &f : fields)
      known.push_back(f.key);
    for (const auto &[key, node] : table) {
      const std::string name(key.str());
      const auto field = std::ranges::find(fields, name, &Field::key);
      if (field == fields.end())
        wrong(key.source(), fmt::format("{} has no '{}'{}; known: {}", what, name,
                                        pb::base::didYouMean(name, known), pb::base::listed(known)));
      else
        field->take(node);
    }
    for (const std::string &key : needed)
      if (!table.contains(key))
        wrong(table.source(), fmt::format("{} needs '{}'", what, key));
  }

  std::string text(const toml::node &node, const std::string &key) {
    const auto *value = node.as_string();
    if (!value || (*value)->empty())
      wrong(node.source(), fmt::format("'{}' must be a text in quotes", key));
    else if (key != "source" &&
             std::ranges::any_of(**value, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
      wrong(node.source(), fmt::format("'{}' must be a line without control characters", key));
    return value ? **value : std::string();
  }

  std::size_t oneOf(const toml::node &node, const std::string &key, const Names &known) {
    const std::string value = text(node, key);
    const auto found = std::ranges::find(known, value);
    if (found == known.end() && !value.empty())
      wrong(node.source(),
            fmt::format("'{}' must be one of {}, not '{}'", key, pb::base::listed(known), value));
    return found == known.end() ? 0 : static_cast<std::size_t>(found - known.begin());
  }

  double positive(const toml::node &node, const std::string &key) {
    const std::optional<double> value = node.value<double>();
    if (!value || node.is_boolean())
      wrong(node.source(), fmt::format("'{}' must be a number", key));
    else if (!(*value > 0) || !std::isfinite(*value))
      wrong(node.source(), fmt::format("'{}' must be positive and finite, not {}", key, *value));
    else
      return *value;
    return 1;
  }

  /// Limits exclude values of impossible machines: no barrier takes an hour, no memory is larger than all
  /// existing ones.
  double positive(const toml::node &node, const std::string &key, const char *unit, double least,
                  double most) {
    const double value = positive(node, key);
    if (value < least || value > most)
      wrong(node.source(),
            fmt::format("'{}' must be from {:g} to {:g} {}, not {:g}", key, least, most, unit, value));
    return value;
  }
  double bytes(const toml::node &node, const std::string &key) {
    return positive(node, key, "bytes", 1, 1e18);
  }
  Figure seconds(const toml::node &node, const std::string &key) {
    return figure(node, key, "s", 1e-15, 1000, Better::Lower);
  }
  Figure rate(const toml::node &node, const std::string &key, const char *unit) {
    return figure(node, key, unit, 1, 1e18, Better::Higher);
  }

  int count(const toml::node &node, const std::string &key) {
    constexpr long kMost = 1'000'000'000;
    const auto *value = node.as_integer();
    if (!value)
      wrong(node.source(), fmt::format("'{}' must be a whole number", key));
    else if (**value < 1 || **value > kMost)
      wrong(node.source(), fmt::format("'{}' must be from 1 to {}, not {}", key, kMost, **value));
    else
      return static_cast<int>(**value);
    return 1;
  }

  Figure figure(const toml::node &node, const std::string &key, const char *unit, double least, double most,
                Better better) {
    const auto *table = node.as_table();
    if (!table)
      return {positive(node, key, unit, least, most), 0, {}};
    Figure f;
    const std::size_t before = mistakes_.size();
    readTable(*table, fmt::format("'{}'", key),
              {{"value", [&](const toml::node &n) { f.value = positive(n, "value", unit, least, most); }},
               {"spread",
                [&](const toml::node &n) {
                  const std::optional<double> spread = n.value<double>();
                  if (!spread || !(*spread >= 0) || !std::isfinite(*spread))
                    wrong(n.source(), "'spread' must be a number, 0 or more: a part of the value");
                  else
                    f.spread = *spread;
                }},
               {"best", [&](const toml::node &n) { f.best = positive(n, "best", unit, least, most); }}},
              {"value"});
    if (mistakes_.size() == before && f.best && isFaster(f.value, *f.best, better))
      wrong(node.source(), fmt::format("'best' is the {} sample, but {:g} is {} the value {:g}",
                                       better == Better::Lower ? "shortest" : "highest", *f.best,
                                       better == Better::Lower ? "above" : "below", f.value));
    return f;
  }

  /// Calls `take` for each table of an array [[key]].
  void eachTable(const toml::node &node, const std::string &shape,
                 const std::function<void(const toml::table &)> &take) {
    const auto *array = node.as_array();
    if (!array)
      return wrong(node.source(), shape);
    for (const toml::node &element : *array)
      if (const auto *table = element.as_table())
        take(*table);
      else
        wrong(element.source(), shape);
  }

  std::vector<Memory> memories(const toml::node &node) {
    std::vector<Memory> all;
    eachTable(node, "memories are tables [[memory]]", [&](const toml::table &table) {
      Memory m;
      readTable(
          table, "a memory",
          {{"name", [&](const toml::node &n) { m.name = text(n, "name"); }},
           {"scope",
            [&](const toml::node &n) {
              m.scope = static_cast<Scope>(oneOf(n, "scope", {"lane", "unit", "machine"}));
            }},
           {"bytes", [&](const toml::node &n) { m.bytes = bytes(n, "bytes"); }},
           {"bytes_per_block", [&](const toml::node &n) { m.bytesPerBlock = bytes(n, "bytes_per_block"); }},
           {"bytes_per_second",
            [&](const toml::node &n) { m.bytesPerSecond = rate(n, "bytes_per_second", "B/s"); }},
           {"unit_bytes_per_second",
            [&](const toml::node &n) { m.unitBytesPerSecond = rate(n, "unit_bytes_per_second", "B/s"); }},
           {"unit_copied_bytes_per_second",
            [&](const toml::node &n) {
              m.unitCopiedBytesPerSecond = rate(n, "unit_copied_bytes_per_second", "B/s");
            }},
           {"unit_streamed_bytes_per_second",
            [&](const toml::node &n) {
              m.unitStreamedBytesPerSecond = rate(n, "unit_streamed_bytes_per_second", "B/s");
            }},
           {"latency", [&](const toml::node &n) { m.latency = seconds(n, "latency"); }}},
          {"name", "scope", "bytes"});
      if (m.bytesPerBlock && *m.bytesPerBlock > m.bytes)
        wrong(table.source(),
              fmt::format("a block cannot have {} bytes of a memory of {}", *m.bytesPerBlock, m.bytes));
      if (std::ranges::find(all, m.name, &Memory::name) != all.end())
        wrong(table.source(), fmt::format("there are two memories '{}'", m.name));
      all.push_back(m);
    });
    return all;
  }

  PageTable pages(const toml::node &node) {
    PageTable p;
    if (const auto *table = node.as_table())
      readTable(*table, "[pages]",
                {{"bytes", [&](const toml::node &n) { p.bytes = bytes(n, "bytes"); }},
                 {"entries", [&](const toml::node &n) { p.entries = count(n, "entries"); }},
                 {"latency", [&](const toml::node &n) { p.latency = seconds(n, "latency"); }},
                 {"rate", [&](const toml::node &n) { p.rate = rate(n, "rate", "per s"); }}},
                {"bytes", "entries", "latency"});
    else
      wrong(node.source(), "[pages] is a table: bytes, entries, latency");
    return p;
  }

  std::vector<Resource> resources(const toml::node &node) {
    std::vector<Resource> all;
    eachTable(node, "resources are tables [[resource]]", [&](const toml::table &table) {
      const std::size_t before = mistakes_.size();
      for (const auto &[key, value] : table)
        if (const std::string name(key.str());
            value.is_table() && std::ranges::find(warpUnitNames(), name) != warpUnitNames().end())
          return wrong(
              key.source(),
              fmt::format("in a file with [[resource]], [resource.{0}] is a part of the last of these; "
                          "what warps cost is [warp.{0}] here",
                          name));
      Resource r;
      const auto rateField = [this](const char *key, std::optional<Figure> &figure) {
        return Field{key, [this, key, &figure](const toml::node &n) { figure = rate(n, key, "per s"); }};
      };
      readTable(table, "a resource",
                {{"name",
                  [&](const toml::node &n) {
                    r.kind = static_cast<ResourceKind>(oneOf(n, "name", resourceNames()));
                  }},
                 {"latency", [&](const toml::node &n) { r.latency = seconds(n, "latency"); }},
                 rateField("lane", r.instructions.lane),
                 rateField("unit", r.instructions.unit),
                 rateField("machine", r.instructions.machine),
                 rateField("lane_numbers", r.numbers.lane),
                 rateField("unit_numbers", r.numbers.unit),
                 rateField("machine_numbers", r.numbers.machine)},
                {"name"});
      if (mistakes_.size() != before)
        return; // the kind is perhaps not known
      if (std::ranges::find(all, r.kind, &Resource::kind) != all.end())
        wrong(table.source(), fmt::format("there are two resources '{}'", nameOf(r.kind)));
      all.push_back(r);
    });
    std::ranges::stable_sort(all, {}, &Resource::kind);
    return all;
  }

  /// `title`: "warp", or "resource", which means the same in files without [[resource]].
  void warpCosts(const toml::node &node, const std::string &title, std::vector<WarpCost> &all) {
    const std::string shape = fmt::format("what warps cost are tables [{}.NAME]; names: {}", title,
                                          pb::base::listed(warpUnitNames()));
    const toml::table *units = node.as_table();
    if (!units)
      return wrong(node.source(), shape);
    for (const auto &[key, value] : *units) {
      const std::string name(key.str());
      const auto unit = std::ranges::find(warpUnitNames(), name);
      const toml::table *table = value.as_table();
      if (unit == warpUnitNames().end()) {
        wrong(key.source(),
              fmt::format("there is no [{}.{}]{}; known: {}", title, name,
                          pb::base::didYouMean(name, warpUnitNames()), pb::base::listed(warpUnitNames())));
      } else if (!table) {
        wrong(value.source(), shape);
      } else {
        const WarpCost cost = warpCost(*table, fmt::format("[{}.{}]", title, name),
                                       static_cast<WarpUnit>(unit - warpUnitNames().begin()));
        if (std::ranges::find(all, cost.unit, &WarpCost::unit) != all.end())
          wrong(key.source(),
                fmt::format("there are [warp.{0}] and [resource.{0}], which mean the same", name));
        all.push_back(cost);
      }
    }
    std::ranges::stable_sort(all, {}, &WarpCost::unit);
  }

  WarpCost warpCost(const toml::table &table, const std::string &title, WarpUnit unit) {
    WarpCost cost{unit};
    Fields fields{{"source",
                   [&](const toml::node &n) {
                     cost.source = static_cast<FigureSource>(oneOf(n, "source", figureSourceNames()));
                   }},
                  {"latency",
                   [&](const toml::node &n) {
                     cost.latency = figure(n, "latency", "cycles", kLeastLatency, kMostCycles, Better::Lower);
                   }},
                  {"deviation", [&](const toml::node &n) { cost.deviation = positive(n, "deviation"); }}};
    Names needed{"source"};
    if (!hasLatency(unit))
      std::erase_if(fields, [](const Field &f) { return f.key == "latency"; });
    else
      needed.emplace_back("latency");
    if (hasGap(unit)) {
      needed.emplace_back("gap");
      fields.push_back({"gap", [&](const toml::node &n) {
                          cost.gap = figure(n, "gap", "cycles", kLeastGap, kMostCycles, Better::Lower);
                        }});
    }
    readTable(table, title, fields, needed);
    return cost;
  }

  std::map<std::string, Figure> iterations(const toml::node &node) {
    std::map<std::string, Figure> all;
    eachEntry(node, "[iteration] is a table: seconds by the stencil's name",
              [&](const std::string &name, const toml::node &value) { all[name] = seconds(value, name); });
    return all;
  }

  std::map<std::string, std::map<std::string, double>> energies(const toml::node &node) {
    std::map<std::string, std::map<std::string, double>> all;
    const std::string shape = "[energy.WAY] is a table: joules by the operation's name";
    eachEntry(node, shape, [&](const std::string &way, const toml::node &table) {
      eachEntry(table, shape, [&](const std::string &name, const toml::node &value) {
        // A regression may find that an operation costs nothing (Table B.2).
        const std::optional<double> joules = value.value<double>();
        if (!joules || !(*joules >= 0) || !std::isfinite(*joules))
          wrong(value.source(), fmt::format("'{}' must be a number, 0 or more", name));
        else
          all[way][name] = *joules;
      });
    });
    return all;
  }

  void eachEntry(const toml::node &node, const std::string &shape,
                 const std::function<void(const std::string &, const toml::node &)> &take) {
    if (const auto *table = node.as_table()) {
      for (const auto &[key, value] : *table)
        take(std::string(key.str()), value);
    } else {
      wrong(node.source(), shape);
    }
  }

  std::string where_;
  Names mistakes_;
};

} // namespace

Machine readMachine(const std::string &text, const std::string &where) {
  // toml++ is used with exceptions, as everywhere in pbc: its other form must not be linked with this one.
  toml::table root;
  try {
    root = toml::parse(text, where);
  } catch (const toml::parse_error &e) {
    throw Problem(fmt::format("{}:{}:{}: not TOML: {}", where, e.source().begin.line, e.source().begin.column,
                              e.description()));
  }
  MachineReader reader(where);
  Machine machine = reader.read(root);
  if (!reader.mistakes().empty())
    throw Problem(fmt::format("{}", fmt::join(reader.mistakes(), "\n")));
  return machine;
}

} // namespace pbc::model
