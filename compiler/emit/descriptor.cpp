// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/sizes.h"
#include "compiler/emit/devices.h"
#include "compiler/emit/initialiser.h"
#include "compiler/emit/parts.h"
#include <algorithm>

namespace pbc::emit {

namespace {

/// The initial cut-off: below it a transform runs sequentially, because a task pays only from a few
/// microseconds of work on.
constexpr long kSequentialCutoff = 128;
/// Cells per task of a data-parallel loop.
constexpr long kSplitSize = 16384;
constexpr long kMostTileSteps = 1024;
constexpr long kMostTileBytes = 1L << 28;

const char *elementKind(sema::Element e) {
  switch (e) {
  case sema::Element::F64:
    return "pb::ElementKind::F64";
  case sema::Element::F32:
    return "pb::ElementKind::F32";
  case sema::Element::I32:
    return "pb::ElementKind::I32";
  case sema::Element::I64:
    return "pb::ElementKind::I64";
  case sema::Element::U8:
    return "pb::ElementKind::U8";
  }
  return "";
}

std::vector<const sema::Matrix *> visible(const sema::Transform &t) {
  std::vector<const sema::Matrix *> out;
  for (const auto &m : t.matrices)
    if (m.role != sema::Role::Through)
      out.push_back(&m);
  return out;
}

/// The tunables that sizes may use: with `bySize` those that depend on the size, once the sizes are in pb_s;
/// otherwise all others.
std::string tunableRows(const sema::Transform &t, bool bySize) {
  std::string out;
  for (const auto &k : t.tunables) {
    if (!k.isParameter() || k.bySize != bySize)
      continue;
    if (bySize && out.empty())
      out = fmt::format("  long pb_n = 1;\n  for (int pb_i = 0; pb_i < {}; ++pb_i) pb_n = pb::maximum(pb_n, "
                        "pb_s[pb_i]);\n",
                        t.sizeVariables.size());
    out += fmt::format("  [[maybe_unused]] const long {} = pb_tunable_{}_{}[{}];\n", poly::mangle(k.name),
                       t.symbol, k.name, valuePosition(k, "pb_bin"));
  }
  return out;
}

std::string solveFunction(const Scope &scope) {
  const auto &t = scope.transform;
  std::vector<int> inputs;
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
    if (t.matrices[m].role == sema::Role::Input)
      inputs.push_back(m);
  const auto solution = choice::solveSizes(t, inputs, true, scope.context);
  std::string out = "PB_SMALL static bool pb_solve(const int (*pb_e)[pb::AnyRegion::kMaxRank], long *pb_s, "
                    "int pb_bin, pb::Message *pb_m) {\n"
                    "  (void)pb_e; (void)pb_s; (void)pb_bin; (void)pb_m;\n" +
                    tunableRows(t, false);
  int position = 0;
  for (const auto *m : visible(t)) {
    if (m->role == sema::Role::Input)
      for (int d = 0; d < m->rank(); ++d)
        out += fmt::format("  [[maybe_unused]] const long {} = pb_e[{}][{}];\n", choice::extentName(*m, d),
                           position, d);
    ++position;
  }
  for (std::size_t i = 0; i < t.params.size(); ++i)
    out += fmt::format("  [[maybe_unused]] const long {} = pb_s[{}];\n", poly::mangle(t.params[i]), i);
  for (std::size_t i = t.params.size(); i < t.sizeVariables.size(); ++i) {
    const std::string value =
        solution.known[i] ? fmt::format(" = {}", solution.cxx[i]) : ""; // otherwise `--size` gives it
    out += fmt::format("  [[maybe_unused]] const long {} = pb_s[{}]{};\n", poly::mangle(t.sizeVariables[i]),
                       i, value);
  }
  out += tunableRows(t, true);
  for (const auto *m : visible(t))
    if (m->role == sema::Role::Input)
      for (int d = 0; d < m->rank(); ++d) {
        const sema::Affine &extent = m->extents[d];
        const std::string wanted = extent.names.empty() ? ", and must have %ld"
                                                        : fmt::format(", but {} is %ld here", extent.written);
        out += fmt::format(
            "  if ({0} != {1}) return pb::pb_explain(pb_m, {2}, {0}, (long)({1}));\n",
            choice::extentName(*m, d), extent.cxx,
            quoted(fmt::format("size mismatch: dimension {} of {} has %ld cells{}", d, m->name, wanted)));
      }
  return out + "  return true;\n}\n\n";
}

std::string extentsFunction(const Scope &scope) {
  const auto &t = scope.transform;
  std::string out = "PB_SMALL static bool pb_extents(const long *pb_s, int (*pb_e)[pb::AnyRegion::kMaxRank], "
                    "int pb_bin, pb::Message *pb_m) {\n"
                    "  (void)pb_e; (void)pb_s; (void)pb_bin; (void)pb_m;\n" +
                    tunableRows(t, false);
  for (std::size_t i = 0; i < t.sizeVariables.size(); ++i)
    out += fmt::format("  [[maybe_unused]] const long {} = pb_s[{}];\n", poly::mangle(t.sizeVariables[i]), i);
  out += tunableRows(t, true);
  int position = 0;
  for (const auto *m : visible(t)) {
    for (int d = 0; d < m->rank(); ++d) {
      const std::string text = fmt::format("the size {} of {} would be %ld", m->extents[d].written, m->name);
      out += fmt::format("  {{\n    const long pb_v = {0};\n    if (pb_v < 0 || pb_v > 2147483647) return "
                         "pb::pb_explain(pb_m, {1}, pb_v);\n"
                         "    pb_e[{2}][{3}] = static_cast<int>(pb_v);\n  }}\n",
                         m->extents[d].cxx, quoted(text), position, d);
    }
    ++position;
  }
  return out + "  return true;\n}\n\n";
}

/// The structures of the inputs, `pb_structure_0` for the first one that has any.
std::string structures(const Scope &scope) {
  const auto &t = scope.transform;
  std::string out;
  for (const auto *m : visible(t)) {
    if (!m->structure)
      continue;
    const sema::Structure &s = *m->structure;
    const auto number = m - t.matrices.data();
    if (s.band) {
      out += fmt::format("PB_SMALL static void pb_band_{}(const long *pb_s, int pb_bin, long *pb_below, long "
                         "*pb_above) {{\n  (void)pb_s; (void)pb_bin;\n",
                         number) +
             tunableRows(t, false);
      for (std::size_t i = 0; i < t.sizeVariables.size(); ++i)
        out += fmt::format("  [[maybe_unused]] const long {} = pb_s[{}];\n", poly::mangle(t.sizeVariables[i]),
                           i);
      out += tunableRows(t, true) +
             fmt::format("  *pb_below = {};\n  *pb_above = {};\n}}\n", s.band->first.cxx, s.band->second.cxx);
    }
    const auto truth = [](bool is) { return is ? "true" : "false"; };
    using Half = sema::Structure::Half;
    std::string row = tableRow({{"text", quoted(sema::written(s))},
                                {"half", s.stored == Half::All     ? 0
                                         : s.stored == Half::Lower ? -1
                                                                   : 1},
                                {"isMirrored", truth(s.isMirrored)},
                                {"isUnit", truth(s.isUnit)},
                                {"isChecked", truth(!s.isUnchecked)},
                                {"band", s.band ? fmt::format("pb_band_{}", number) : "nullptr"}});
    out += fmt::format("static const pb::MatrixStructure pb_structure_{}[] = {{\n{}}};\n", number, row);
  }
  return out;
}

std::string startFunction(const Scope &scope) {
  const auto &t = scope.transform;
  std::string arguments = t.hasBins() ? "0, pb_bin" : "0";
  for (const int k : callingOrder(t)) {
    const auto &m = t.matrices[k];
    int position = 0;
    for (const auto *v : visible(t)) {
      if (v == &m)
        break;
      ++position;
    }
    const bool isInput = m.role == sema::Role::Input;
    arguments += m.rank() == 0
                     ? fmt::format(", *static_cast<{} *>(pb_a[{}].base)", sema::cxxType(m.element), position)
                     : fmt::format(", {}(pb_a[{}])", regionType(m.element, m.rank(), isInput), position);
  }
  return fmt::format(
      "PB_SMALL static pb::Job pb_start(const pb::AnyRegion *pb_a, const long *pb_params, int pb_bin) {{\n"
      "  (void)pb_a; (void)pb_bin;\n"
      "  return pb_par_{}({}, pb_params);\n}}\n\n",
      t.symbol, arguments);
}

/// The name in configurations: "Sort", or with accuracy bins "Sort<0>".
std::string nameInBin(const sema::Transform &t, int bin) {
  return t.hasBins() ? fmt::format("{}<{}>", t.name, bin) : t.name;
}

std::string siteRow(const Scope &scope, int bin) {
  const auto &t = scope.transform;
  return tableRow({{"name", quoted(nameInBin(t, bin))},
                   {"doc", quoted("which rules compute the outputs of " + t.name)},
                   {"alternativeCount", scope.choices().alternatives.size()},
                   {"alternatives", "pb_alternatives"},
                   {"slot", fmt::format("&pb_site_{}.own[{}]", t.symbol, bin)}});
}

bool hasChoice(const Scope &scope) { return scope.choices().alternatives.size() > 1; }

std::size_t siteCount(const Scope &scope) { return (hasChoice(scope) ? 1 : 0) + placements(scope).size(); }

bool isConfigured(const sema::Tunable &k) { return k.kind != sema::Tunable::Kind::Target; }

/// The number of the program's own tunables, the two that every transform has, and those of tiles.
long tunableCount(const Scope &scope) {
  const auto &tunables = scope.transform.tunables;
  return std::count_if(tunables.begin(), tunables.end(), isConfigured) + 2 +
         (goesThroughTime(scope) ? 1 : 0) + (hasThroughTiles(scope) ? 1 : 0) + (hasRowTurns(scope) ? 1 : 0) +
         placementTunableCount(scope);
}

/// An integer tunable added by the compiler, whose unit is a size: 0, or `minimum` up to `maximum`.
std::string ownTunable(const char *name, const char *doc, long initial, long minimum, long maximum,
                       const std::string &slot) {
  return tableRow({{"name", quoted(name)},
                   {"doc", quoted(doc)},
                   {"kind", "pb::TunableKind::Integer"},
                   {"logarithmic", true},
                   {"initial", initial},
                   {"minimum", minimum},
                   {"maximum", maximum},
                   {"integerSlot", slot}});
}

std::string tunableRows(const Scope &scope, int bin) {
  const auto &t = scope.transform;
  std::string out = "  {\n";
  for (const auto &k : t.tunables) {
    if (!isConfigured(k))
      continue;
    const std::string slot = fmt::format("&pb_tunable_{}_{}.own[{}]", t.symbol, k.name, bin * valueCount(k));
    out += tableRow({{"name", quoted(k.name)},
                     {"doc", quoted(tunableDoc(scope.input, k, t))},
                     {"kind", k.isFloat ? "pb::TunableKind::Float" : "pb::TunableKind::Integer"},
                     {"logarithmic", !k.isFloat && k.maximum - k.minimum > 64},
                     {"initial", k.initial},
                     {"minimum", k.minimum},
                     {"maximum", k.maximum},
                     {k.isFloat ? "floatSlot" : "integerSlot", slot},
                     {"bySize", k.bySize},
                     {"length", k.length},
                     {"isConfig", k.kind == sema::Tunable::Kind::Config},
                     {"forAccuracy", k.forAccuracy}});
  }
  const auto own = [&](const char *name, const char *doc, long initial, long minimum, long maximum,
                       const char *slot) {
    out += ownTunable(name, doc, initial, minimum, maximum,
                      fmt::format("&pb_{}_{}.own[{}]", slot, t.symbol, bin));
  };
  constexpr long kMostCells = 2147483647;
  if (goesThroughTime(scope))
    own("tile_steps", "steps of time in a tile of a stencil; 0: as the cache suggests", 0, 0, kMostTileSteps,
        "steps");
  if (hasThroughTiles(scope))
    own("tile_bytes",
        "bytes of `through` matrices in a tile of what reads them; 0: as the caches suggest, 1: never tiles",
        0, 0, kMostTileBytes, "tile_bytes");
  if (hasRowTurns(scope))
    own("turn_bytes",
        "bytes of a matrix whose rows the rules that read it take in turn; 0: as the caches suggest, 1: "
        "never "
        "in turn",
        0, 0, kMostTileBytes, "turn_bytes");
  out += placementTunables(scope, bin);
  own("sequential_cutoff", "below this size the transform runs without tasks", kSequentialCutoff, 0,
      kMostCells, "cutoff");
  own("split_size", "cells per task of a data-parallel loop", kSplitSize, 1, kMostCells, "split");
  return out + "  },\n";
}

/// Whether larger or smaller values are more accurate, which follows from the targets of the bins.
const char *better(const sema::Transform &t) {
  if (t.bins.empty())
    return "pb::Better::None";
  return t.bins.size() > 1 && t.bins[1] < t.bins[0] ? "pb::Better::Smaller" : "pb::Better::Larger";
}

/// The transforms that the rules of an alternative call.
std::set<std::string> calleesOf(const Scope &scope, const choice::Alternative &alternative) {
  std::set<std::string> all;
  for (const choice::Use &use : alternative.uses) {
    const auto &callees = scope.facts()[static_cast<std::size_t>(use.rule)].callees;
    all.insert(callees.begin(), callees.end());
  }
  return all;
}

/// The transforms that any rule calls.
std::set<std::string> calleesOf(const Scope &scope) {
  std::set<std::string> all;
  for (const body::Facts &facts : scope.facts())
    all.insert(facts.callees.begin(), facts.callees.end());
  return all;
}

/// static const char *const pb_calls_1[] = {"Merge", "Sort", nullptr};
std::string calleeTable(const std::string &name, const std::set<std::string> &callees) {
  std::string row;
  for (const std::string &callee : callees)
    row += quoted(callee) + ", ";
  return callees.empty() ? "" : fmt::format("static const char *const {}[] = {{{}nullptr}};\n", name, row);
}

std::set<std::string> openSizeSet(const Scope &scope) {
  const std::vector<std::string> open = openSizes(scope);
  return {open.begin(), open.end()};
}

std::string transformRow(const Scope &scope, int bin) {
  const auto &t = scope.transform;
  const auto nameOrNull = [](const std::string &name) { return name.empty() ? "nullptr" : quoted(name); };
  const std::size_t constraints = placementConstraintCount(scope);
  return tableRow({{"name", quoted(nameInBin(t, bin))},
                   {"matrixCount", visible(t).size()},
                   {"matrices", "pb_matrices"},
                   {"sizeCount", t.sizeVariables.size()},
                   {"sizeNames", "pb_sizes"},
                   {"paramCount", t.params.size()},
                   {"paramNames", "pb_sizes"},
                   {"solveSizes", "pb_solve"},
                   {"extents", "pb_extents"},
                   {"start", "pb_start"},
                   {"siteCount", siteCount(scope)},
                   {"sites", fmt::format("&pb_sites[{}]", bin * std::max<std::size_t>(1, siteCount(scope)))},
                   {"tunableCount", tunableCount(scope)},
                   {"tunables", fmt::format("pb_tunables[{}]", bin)},
                   {"generator", nameOrNull(t.generator)},
                   {"bin", bin},
                   {"metric", nameOrNull(t.metric)},
                   {"better", better(t)},
                   {"target", t.bins.empty() ? 0 : t.bins[static_cast<std::size_t>(bin)]},
                   {"feature", nameOrNull(t.feature)},
                   {"hash", quoted(transformHash(scope.input, t))},
                   {"constraintCount", constraints},
                   {"constraints", constraints ? "pb_constraints" : "nullptr"},
                   {"calls", calleesOf(scope).empty() ? "nullptr" : "pb_calls"},
                   {"openSizes", openSizes(scope).empty() ? "nullptr" : "pb_open_sizes"},
                   {"runHere", scope.input.library ? "pb_run_here" : ""},
                   {"cutoff", scope.input.library ? fmt::format("pb_cutoff_{}.own", t.symbol) : ""},
                   {"mayRecurse", scope.input.library && mayRecurse(scope) ? "true" : ""}});
}

std::string tables(const Scope &scope) {
  const auto &t = scope.transform;
  std::string out = structures(scope) + "static const pb::MatrixInfo pb_matrices[] = {\n";
  for (const auto *m : visible(t)) {
    std::string extents;
    for (const auto &e : m->extents)
      extents += (extents.empty() ? "" : ", ") + e.written;
    const std::string &name = m->after ? t.matrices[*m->after].name : m->name;
    out += tableRow(
        {{"name", quoted(name)},
         {"role", m->role == sema::Role::Input ? "pb::Role::Input" : "pb::Role::Output"},
         {"element", elementKind(m->element)},
         {"rank", m->rank()},
         {"extents", quoted("[" + extents + "]")},
         {"structure", m->structure ? fmt::format("pb_structure_{}", m - t.matrices.data()) : std::string()},
         {"before", m->before ? std::to_string(*m->before) : ""}});
  }
  out += "};\nstatic const char *const pb_sizes[] = {";
  for (const auto &s : t.sizeVariables)
    out += quoted(s) + ", ";
  out += "nullptr};\n" + calleeTable("pb_calls", calleesOf(scope)) +
         calleeTable("pb_open_sizes", openSizeSet(scope));
  std::string alternatives;
  for (const auto &a : scope.choices().alternatives) {
    const std::string name = fmt::format("pb_calls_{}", &a - scope.choices().alternatives.data());
    const std::string table = calleeTable(name, calleesOf(scope, a));
    out += table;
    alternatives += tableRow(
        {{"name", quoted(a.name)}, {"doc", quoted(a.doc)}, {"calls", table.empty() ? "nullptr" : name}});
  }
  out += "static const pb::Alternative pb_alternatives[] = {\n" + alternatives + "};\n";
  out += placementAlternatives(scope);
  std::string sites, tunables, transforms;
  for (int bin = 0; bin < t.binCount(); ++bin) {
    sites += (hasChoice(scope) || placements(scope).empty() ? siteRow(scope, bin) : "") +
             placementSites(scope, bin);
    tunables += tunableRows(scope, bin);
    transforms += transformRow(scope, bin);
  }
  out += fmt::format("static const pb::Site pb_sites[] = {{\n{}}};\n"
                     "static const pb::Tunable pb_tunables[][{}] = {{\n{}}};\n"
                     "extern const pb::Transform pb_transform_{}[] = {{\n{}}};\n",
                     sites, tunableCount(scope), tunables, t.symbol, transforms);
  return out;
}

} // namespace

std::string quoted(const std::string &s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 32)
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::vector<std::string> openSizes(const Scope &scope) {
  const auto &t = scope.transform;
  std::vector<int> inputs;
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
    if (t.matrices[m].role == sema::Role::Input)
      inputs.push_back(m);
  const auto solution = choice::solveSizes(t, inputs, true, scope.context);
  std::vector<std::string> open;
  for (std::size_t i = 0; i < t.sizeVariables.size(); ++i)
    if (!solution.known[i])
      open.push_back(t.sizeVariables[i]);
  return open;
}

std::string descriptor(const Scope &scope) {
  return solveFunction(scope) + extentsFunction(scope) + startFunction(scope) + tables(scope);
}

} // namespace pbc::emit
