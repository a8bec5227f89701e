// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/sizes.h"
#include "compiler/emit/devices.h"
#include "compiler/emit/in_callers.h"
#include "compiler/emit/initialiser.h"
#include "compiler/emit/parts.h"
#include "compiler/emit/shared_memory.h"
#include "compiler/emit/version_guards.h"
#include <algorithm>
#include <isl/map.h>

namespace pbc::emit {

namespace {

/// Deep enough for recursion that halves or walks a row, shallow enough for a worker's stack (256 MiB).
constexpr int kDeepestRecursion = 20000;

/// The type in which the frame keeps a tunable's value. A number that is passed by value lives in the frame,
/// because the call's arguments are gone when tasks run.
const char *valueType(const sema::Tunable &k) {
  if (k.length)
    return k.isFloat ? "pb::FloatArray" : "pb::IntegerArray";
  return k.isFloat ? "double" : "long";
}

std::string matrixMember(const sema::Matrix &m) {
  const std::string name = poly::mangle(m.name);
  const bool isInput = m.role == sema::Role::Input;
  return fmt::format("  {} m_{};\n", regionType(m.element, m.rank(), isInput), name) +
         (isInput && m.rank() == 0 ? fmt::format("  {} a_{};\n", sema::cxxType(m.element), name) : "");
}

std::string slots(const Scope &scope) {
  const auto &t = scope.transform;
  // Before anything runs, the runtime fills them with the defaults or from a configuration.
  std::string out = slot(scope, "pb::Selector", "pb_site_" + t.symbol, t.binCount());
  for (const auto &k : t.tunables)
    if (k.kind == sema::Tunable::Kind::Target)
      out += fmt::format("static const double pb_tunable_{}_{}[] = {{{}}};\n", t.symbol, k.name,
                         fmt::join(t.bins, ", "));
    else
      out += slot(scope, k.isFloat ? "double" : "long", fmt::format("pb_tunable_{}_{}", t.symbol, k.name),
                  t.binCount() * valueCount(k));
  out += cutoffSlot(scope) + slot(scope, "long", "pb_split_" + t.symbol, t.binCount());
  if (goesThroughTime(scope))
    out += slot(scope, "long", "pb_steps_" + t.symbol, t.binCount());
  if (hasThroughTiles(scope))
    out += slot(scope, "long", "pb_tile_bytes_" + t.symbol, t.binCount());
  if (hasRowTurns(scope))
    out += slot(scope, "long", "pb_turn_bytes_" + t.symbol, t.binCount());
  return out + "\n" + placementSlots(scope);
}

/// Defines names for the extents of each matrix that a caller passes.
std::string extentDefinitions(const sema::Transform &t, const char *from) {
  std::string out;
  int position = 0;
  for (const auto &m : t.matrices) {
    if (m.role == sema::Role::Through)
      continue;
    for (int d = 0; d < m.rank(); ++d)
      out += from ? fmt::format("  [[maybe_unused]] const long {} = {}[{}][{}];\n", choice::extentName(m, d),
                                from, position, d)
                  : fmt::format("  [[maybe_unused]] const long {} = pb_f.m_{}.size({});\n",
                                choice::extentName(m, d), poly::mangle(m.name), d);
    ++position;
  }
  return out;
}

std::string writtenExtents(const sema::Matrix &m) {
  std::string out;
  for (const auto &e : m.extents)
    out += (out.empty() ? "" : ", ") + e.written;
  return "[" + out + "]";
}

/// printf pieces that list the sizes: "n = %ld, m = %ld" and ", n, m".
std::pair<std::string, std::string> sizeList(const sema::Transform &t) {
  std::string format, values;
  for (const auto &s : t.sizeVariables) {
    format += (format.empty() ? "" : ", ") + s + " = %ld";
    values += ", " + poly::mangle(s);
  }
  return {format, values};
}

/// Checks that compare every extent with its formula.
std::string extentChecks(const sema::Transform &t) {
  const auto [format, values] = sizeList(t);
  std::string out;
  for (const auto &m : t.matrices)
    if (m.role != sema::Role::Through)
      for (int d = 0; d < m.rank(); ++d) {
        const std::string found = choice::extentName(m, d);
        const std::string text = fmt::format(
            "{}: size mismatch: dimension {} of {}{} has %ld cells, and {} is %ld for {}", t.name, d, m.name,
            writtenExtents(m), m.extents[d].written, format.empty() ? "every call" : format);
        out += fmt::format("  if ({0} != {1}) {{\n    pb::Message pb_m;\n    pb::pb_explain(&pb_m, {2}, {0}, "
                           "(long)({1}){3});\n"
                           "    pb::pb_fail(pb_m.text);\n  }}\n",
                           found, m.extents[d].cxx, quoted(text), values);
      }
    else
      for (int d = 0; d < m.rank(); ++d)
        out += fmt::format("  if ({} < 0) {{\n    pb::Message pb_m;\n    pb::pb_explain(&pb_m, {}{});\n"
                           "    pb::pb_fail(pb_m.text);\n  }}\n",
                           m.extents[d].cxx,
                           quoted(fmt::format("{}: the matrix {}{} would have a negative size for {}", t.name,
                                              m.name, writtenExtents(m), format)),
                           values);
  return out;
}

std::string guards(const Scope &scope) {
  const auto [format, values] = sizeList(scope.transform);
  std::string out;
  for (const auto &g : scope.choices().grid.guards)
    out += fmt::format("  if ({}) {{\n    pb::Message pb_m;\n    pb::pb_explain(&pb_m, {}{});\n    "
                       "pb::pb_fail(pb_m.text);\n  }}\n",
                       poly::cxxCondition(g.bad), quoted(g.message + ": " + format), values);
  return out;
}

unsigned long sameViewIsSafe(const Scope &scope, int output, int input) {
  const auto at = scope.sameViews.find({output, input});
  return at == scope.sameViews.end() ? 0 : at->second;
}

/// Two outputs in the same memory: which of both would be left there depends on the plan.
std::string outputChecks(const sema::Transform &t) {
  std::vector<const sema::Matrix *> outputs;
  for (const auto &m : t.matrices)
    if (m.role == sema::Role::Output && m.rank() > 0)
      outputs.push_back(&m);
  std::string out;
  for (std::size_t b = 1; b < outputs.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      out += fmt::format(
          "  if (pb::overlaps(pb_f.m_{}, pb_f.m_{})) pb::pb_fail({});\n", poly::mangle(outputs[a]->name),
          poly::mangle(outputs[b]->name),
          quoted(fmt::format("{}: the outputs {} and {} share memory: pass other cells for one of them",
                             t.name, outputs[a]->name, outputs[b]->name)));
  return out;
}

std::string aliasChecks(const Scope &scope) {
  const auto &t = scope.transform;
  std::string out;
  for (int i = 0; i < static_cast<int>(t.matrices.size()); ++i) {
    if (t.matrices[i].role != sema::Role::Input || t.matrices[i].rank() == 0)
      continue;
    std::string condition;
    for (int o = 0; o < static_cast<int>(t.matrices.size()); ++o) {
      if (t.matrices[o].role != sema::Role::Output || t.matrices[o].rank() == 0)
        continue;
      std::string one = fmt::format("pb::mayOverlap(pb_f.m_{0}, pb_f.m_{1})",
                                    poly::mangle(t.matrices[o].name), poly::mangle(t.matrices[i].name));
      if (const unsigned long safe = sameViewIsSafe(scope, o, i))
        one += fmt::format(" && !((pb_f.choice < 64 && ({0}ul >> pb_f.choice & 1)) && "
                           "pb::sameView(pb_f.m_{1}, pb_f.m_{2}))",
                           safe, poly::mangle(t.matrices[o].name), poly::mangle(t.matrices[i].name));
      condition += (condition.empty() ? "(" : " || (") + one + ")";
    }
    if (!condition.empty())
      out += fmt::format("  if ({0}) pb_f.m_{1} = pb::copyOf(pb_f.m_{1});\n", condition,
                         poly::mangle(t.matrices[i].name));
  }
  return out;
}

std::string binCheck(const sema::Transform &t) {
  if (!t.hasBins())
    return "";
  return fmt::format("  if (pb_f.bin < 0 || pb_f.bin >= {0}) {{\n    pb::Message pb_m;\n"
                     "    pb::pb_explain(&pb_m, {1}, pb_f.bin);\n    pb::pb_fail(pb_m.text);\n  }}\n",
                     t.binCount(),
                     quoted(fmt::format("{} was called with the accuracy bin %d; its bins are 0 to {}",
                                        t.name, t.binCount() - 1)));
}

/// The tunables' values for this call: those that depend on the size, once it is known, or all others.
std::string tunableValues(const sema::Transform &t, bool bySize) {
  std::string out;
  for (const auto &k : t.tunables) {
    if (k.bySize != bySize)
      continue;
    const std::string name = poly::mangle(k.name), values = fmt::format("pb_tunable_{}_{}", t.symbol, k.name);
    const std::string at = valuePosition(k, "pb_f.bin");
    if (k.length)
      out += fmt::format("  pb_f.v_{} = {{&{}[{}], {}, {}}};\n", name, values, at, k.length, quoted(k.name));
    else
      out += fmt::format("  [[maybe_unused]] const {0} {1} = pb_f.v_{1} = {2}[{3}];\n", valueType(k), name,
                         values, at);
  }
  return out;
}

std::string enter(const Scope &scope) {
  const auto &t = scope.transform;
  std::string out = "/// Sizes, checks, selector, aliases: everything before a plan runs.\n";
  out += fmt::format(
      "PB_SMALL static void pb_enter(pb::Frame *pb_p) {{\n  auto &pb_f = *static_cast<{} *>(pb_p);\n",
      scope.frame());
  out += binCheck(t) + tunableValues(t, false);
  out += sizeDefinitions(scope);
  out += tunableValues(t, true) + extentChecks(t) + guards(scope);
  if (reachesItself(scope.input, scope.transform.index))
    out += fmt::format("  if (pb_f.depth > {}) pb::pb_recursion_too_deep({}, pb_n);\n", kDeepestRecursion,
                       quoted(t.name));
  out += fmt::format("  pb_f.n = pb_n;\n  pb_f.split = pb_split_{0}[pb_f.bin];\n"
                     "  pb_f.choice = pb_site_{0}[pb_f.bin].select(pb_n);\n",
                     t.symbol);
  if (goesThroughTime(scope))
    out += fmt::format("  pb_f.steps = pb_steps_{}[pb_f.bin];\n", t.symbol);
  if (hasThroughTiles(scope))
    out += fmt::format("  pb_f.tileBytes = pb_tile_bytes_{}[pb_f.bin];\n", t.symbol);
  if (hasRowTurns(scope))
    out += fmt::format("  pb_f.turnBytes = pb_turn_bytes_{}[pb_f.bin];\n", t.symbol);
  return out + outputChecks(t) + aliasChecks(scope) + "}\n\n";
}

} // namespace

std::string fillFrame(const Scope &scope, bool borrows) {
  std::string out = "  pb_f.depth = pb_depth;\n";
  if (scope.transform.hasBins())
    out += "  pb_f.bin = pb_bin;\n";
  for (const auto &m : scope.transform.matrices) {
    if (m.role == sema::Role::Through)
      continue;
    const std::string name = poly::mangle(m.name);
    const std::string &passed = m.after ? scope.transform.matrices[*m.after].name : m.name;
    if (m.rank() == 0 && m.role == sema::Role::Input)
      out += fmt::format("  pb_f.a_{0} = pb_a_{1};\n  pb_f.m_{0} = {2}(&pb_f.a_{0}, nullptr, nullptr);\n",
                         name, passed, regionType(m.element, 0, true));
    else if (m.rank() == 0)
      out += fmt::format("  pb_f.m_{} = {}(&pb_a_{}, nullptr, nullptr);\n", name,
                         regionType(m.element, 0, false), m.name);
    else
      out += fmt::format(
          fmt::runtime(borrows ? "  pb_f.m_{} = pb::borrowed(pb_a_{});\n" : "  pb_f.m_{} = pb_a_{};\n"), name,
          passed);
  }
  return out;
}

std::string sizeDefinitions(const Scope &scope) {
  const auto &t = scope.transform;
  std::vector<int> matrices, inputs;
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m) {
    if (t.matrices[m].role != sema::Role::Through)
      matrices.push_back(m);
    if (t.matrices[m].role == sema::Role::Input)
      inputs.push_back(m);
  }
  // A call's outputs determine all sizes; what they leave open can only be known if params are given.
  const auto solution = choice::solveSizes(t, matrices, false, scope.context);
  const auto fromParams = choice::solveSizes(t, inputs, true, scope.context);
  const bool isOpen = std::count(fromParams.known.begin(), fromParams.known.end(), false) != 0;
  const auto fromAll = isOpen ? choice::solveSizes(t, matrices, true, scope.context) : fromParams;
  std::string out = extentDefinitions(t, nullptr) + "  long pb_n = 1;\n";
  for (std::size_t i = 0; i < t.sizeVariables.size(); ++i) {
    const std::string name = poly::mangle(t.sizeVariables[i]);
    std::string value = solution.known[i]     ? solution.cxx[i]
                        : fromParams.known[i] ? fromParams.cxx[i]
                                              : fromAll.cxx[i];
    if (i < t.params.size())
      value = fmt::format("pb_f.params ? pb_f.params[{}] : {}", i, solution.known[i] ? value : "0");
    else if (value.empty())
      value = "0";
    out += fmt::format("  [[maybe_unused]] const long {0} = pb_f.v_{0} = {1};\n", name, value);
    out += fmt::format("  pb_n = pb::maximum(pb_n, {});\n", name);
  }
  for (const auto &p : t.products)
    out += fmt::format("  [[maybe_unused]] const long {0} = pb_f.v_{0} = {1};\n", p.name, p.cxx());
  return out;
}

std::string slot(const Scope &scope, const std::string &type, const std::string &name, std::size_t count,
                 SlotIn units) {
  const Library *const library = scope.input.library;
  const std::string linkage = units == SlotIn::OwnUnit ? "static " : "";
  return library ? fmt::format("__attribute__((section({}))) {}pb::ContextSlots<{}, {}> {};\n",
                               quoted(slotSection(*library)), linkage, type, count, name)
                 : fmt::format("{}pb::Slots<{}, {}> {};\n", linkage, type, count, name);
}

int valueCount(const sema::Tunable &k) { return (k.bySize ? 32 : 1) * std::max(1, k.length); }

std::string valuePosition(const sema::Tunable &k, const std::string &bin) {
  const std::string first = k.bySize ? fmt::format("({} * pb::kSizeBins + pb::sizeBin(pb_n))", bin) : bin;
  return k.length > 1 ? fmt::format("{} * {}", first, k.length) : first;
}

std::string regionType(sema::Element element, int rank, bool isConst) {
  return fmt::format("pb::Region<{}{}, {}>", isConst ? "const " : "", sema::cxxType(element), rank);
}

std::string parameterDefinitions(const Scope &scope) {
  std::string out;
  for (const auto &s : scope.transform.sizeNames())
    out += fmt::format("[[maybe_unused]] const long {0} = pb_f.v_{0}; ", s);
  for (const auto &k : scope.transform.tunables)
    if (k.isParameter())
      out += fmt::format("[[maybe_unused]] const long {0} = pb_f.v_{0}; ", poly::mangle(k.name));
  return out;
}

std::vector<int> callingOrder(const sema::Transform &t) {
  std::vector<int> order;
  for (const sema::Role role : {sema::Role::Output, sema::Role::Input})
    for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
      if (t.matrices[m].role == role && !t.matrices[m].after)
        order.push_back(m);
  return order;
}

std::string parameterList(const sema::Transform &t, bool byValue) {
  std::string out = t.hasBins() ? "int pb_depth, int pb_bin" : "int pb_depth";
  for (const int k : callingOrder(t)) {
    const auto &m = t.matrices[k];
    const bool isInput = m.role == sema::Role::Input;
    if (m.rank() == 0)
      out += fmt::format(", {}{} {}pb_a_{}", isInput ? "const " : "", sema::cxxType(m.element),
                         isInput ? "" : "&", m.name);
    else
      out += fmt::format(", {}{} pb_a_{}", regionType(m.element, m.rank(), isInput),
                         byValue ? "" : " const &", m.name);
  }
  return out;
}

std::string declarations(const sema::Transform &t) {
  return fmt::format("void pb_seq_{0}({1});\npb::Job pb_par_{0}({2}, const long *pb_params = nullptr, "
                     "bool pb_stays = false);\n",
                     t.symbol, parameterList(t, false), parameterList(t, true));
}

std::map<std::pair<int, int>, unsigned long> sameViews(const Scope &scope) {
  std::map<std::pair<int, int>, unsigned long> masks;
  const auto &matrices = scope.transform.matrices;
  const auto &alternatives = scope.choices().alternatives;
  for (std::size_t k = 0; k < alternatives.size() && k < 64; ++k) {
    for (int o = 0; o < static_cast<int>(matrices.size()); ++o)
      for (int i = 0; i < static_cast<int>(matrices.size()); ++i)
        if (matrices[o].role == sema::Role::Output && matrices[i].role == sema::Role::Input &&
            matrices[o].rank() == matrices[i].rank() && matrices[o].rank() > 0 &&
            !whyCopied(scope.input, scope.transform, k, o, i))
          masks[{o, i}] |= 1UL << k;
  }
  return masks;
}

bool mayShareViews(const Scope &scope, std::size_t alternative) {
  return alternative < 64 && std::any_of(
                                 scope.sameViews.begin(), scope.sameViews.end(),
                                 [&](const auto &pair) { return pair.second >> alternative & 1; });
}

namespace {

/// The part of a task-parallel call after its frame is filled: the runtime walks tables or, if some plan
/// calls transforms, a coroutine runs.
std::string parallelEntry(const Scope &scope, const PlanTexts &plans) {
  const auto &t = scope.transform;
  const std::string head =
      fmt::format("PB_SMALL pb::Job pb_par_{}({}, const long *pb_params, bool pb_stays) {{\n", plainSymbol(t),
                  parameterList(t, true));
  const std::string fill = fillFrame(scope, false) + "  pb_f.params = pb_params;\n  pb_f.stays = pb_stays;\n";
  if (plans.loopsOnly)
    return fmt::format(
        "static const pb::LoopTransform pb_loops = {3};\n\n"
        "{1}  {0} *pb_new = new {0};\n  {0} &pb_f = *pb_new;\n{2}"
        "  return pb::runTransform(pb_new, &pb_loops);\n}}\n\n",
        scope.frame(), head, fill,
        initialiser({{"enter", "pb_enter"},
                     {"release", fmt::format("[](pb::Frame *pb_p) {{ delete static_cast<{} *>(pb_p); }}",
                                             scope.frame())},
                     {"cutoff", fmt::format("pb_cutoff_{}.own", t.symbol)},
                     {"plans", "pb_plans"},
                     {"whole", plans.whole.empty() ? "" : "&" + plans.whole}}));
  return head + fmt::format("  {} pb_f;\n", scope.frame()) + fill +
         fmt::format(
             "  pb_enter(&pb_f);\n  if (pb_f.n < pb_cutoff_{}[pb_f.bin]) {{\n{}    pb_run(pb_f);\n    "
             "co_return;\n  }}\n",
             t.symbol,
             plans.whole.empty() ? "" : fmt::format("    co_await pb::toHost(&pb_f, &{});\n", plans.whole)) +
         plans.tasks +
         (plans.whole.empty()
              ? ""
              : fmt::format(
                    "  if (pb_f.depth > 0 && !pb_f.stays)\n    co_await pb::leaveDevices(&pb_f, &{});\n",
                    plans.whole)) +
         "  co_return;\n}\n\n";
}

} // namespace

std::string frameStruct(const Scope &scope) {
  const auto &t = scope.transform;
  std::string out = fmt::format("struct {} : pb::Frame {{\n", scope.frame());
  for (const auto &m : t.matrices)
    out += matrixMember(m);
  for (const auto &s : t.sizeNames())
    out += fmt::format("  long v_{};\n", s);
  for (const auto &k : t.tunables)
    out += fmt::format("  {} v_{};\n", valueType(k), poly::mangle(k.name));
  if (const std::size_t count = guardsOf(scope).size())
    out += fmt::format("  mutable pb::Guard guards[{}] = {{}};\n", count);
  return out + "};\n\n";
}

std::string entry(const Scope &scope) {
  const auto &t = scope.transform;
  const PlanTexts texts = plans(scope);
  const std::string run = texts.loopsOnly ? "pb::runPlanHere(&pb_f, pb_plans)" : "pb_run(pb_f)";
  const std::string frame = frameStruct(scope);
  return slots(scope) + frame + enter(scope) + bodies(scope) + texts.functions +
         fmt::format("void pb_seq_{}({}) {{\n  {} pb_f;\n{}  pb_enter(&pb_f);\n  {};\n}}\n\n", plainSymbol(t),
                     parameterList(t, false), scope.frame(), fillFrame(scope, false), run) +
         parallelEntry(scope, texts) + (t.isMemoized ? memoEntries(scope) : "") +
         (scope.input.library ? entryOfLibrary(scope, run) : "");
}

} // namespace pbc::emit
