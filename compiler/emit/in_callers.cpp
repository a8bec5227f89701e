// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/in_callers.h"
#include "compiler/emit/devices.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/row_turns.h"
#include <algorithm>

namespace pbc::emit {

namespace {

/// Longer kernels take more time than their calls, and each unit that has them takes time to compile.
constexpr std::size_t kLongestKernels = 6 << 10;
constexpr std::size_t kMostSmallSteps = 3;

bool hasPlainLoops(const std::optional<kernel::Scheduled> &kernel) {
  return kernel && !kernel->schedule.bytesPerPlace && !kernel->schedule.registerTile;
}

/// Without regard to what it calls.
bool mayStandInCallers(const Scope &scope) {
  const sema::Transform &t = scope.transform;
  const auto number = static_cast<std::size_t>(t.index);
  const std::vector<schedule::Plan> &plans = scope.input.plans[number].plans;
  if (scope.input.checksBounds || t.isMemoized || !t.bins.empty() || !t.params.empty() ||
      !t.tunables.empty() || !t.constants.empty() || plans.size() != 1 ||
      plans[0].steps.size() > kMostSmallSteps || !scope.input.fusions[number][0].groups.empty() ||
      reachesItself(scope.input, t.index) || !scope.kernels->apart().empty() ||
      scope.kernels->text().size() > kLongestKernels)
    return false;
  const auto isTemporary = [](const sema::Matrix &m) { return m.role == sema::Role::Through; };
  const auto hasLibrary = [](const sema::Rule &r) { return r.library.has_value(); };
  if (std::ranges::any_of(t.matrices, isTemporary) || std::ranges::any_of(t.rules, hasLibrary))
    return false;
  for (std::size_t s = 0; s < plans[0].steps.size(); ++s)
    if (plans[0].steps[s].callsTransforms || !scope.input.versionsOf(t.index, 0, s).empty() ||
        !hasPlainLoops(scope.input.kernels[number][0][s]))
      return false;
  return true;
}

std::string argumentNames(const sema::Transform &t) {
  std::string out;
  for (const int k : callingOrder(t))
    out += ", pb_a_" + t.matrices[static_cast<std::size_t>(k)].name;
  return out;
}

/// Leaves the call to the transform's own entry under that condition.
std::string declineIf(const std::string &condition) {
  return fmt::format("  if ({}) return pb::SmallCall::IsSpecial;\n", condition);
}

std::string sizesHere(const Scope &scope) {
  std::string out;
  for (const sema::Matrix &m : scope.transform.matrices)
    for (int d = 0; d < m.rank(); ++d)
      out += declineIf(fmt::format("pb_f.m_{}.size({}) != {}", poly::mangle(m.name), d,
                                   m.extents[static_cast<std::size_t>(d)].cxx));
  for (const auto &g : scope.choices().grid.guards)
    out += declineIf(poly::cxxCondition(g.bad));
  return out;
}

/// Declines calls whose outputs meet, and copies inputs that the plan may overwrite before it reads them.
std::string aliasesHere(const Scope &scope) {
  std::string out;
  const auto &matrices = scope.transform.matrices;
  const auto isRegion = [&](std::size_t k, sema::Role role) {
    return matrices[k].role == role && matrices[k].rank() > 0;
  };
  const auto member = [&](std::size_t k) { return "pb_f.m_" + poly::mangle(matrices[k].name); };
  for (std::size_t b = 0; b < matrices.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (isRegion(a, sema::Role::Output) && isRegion(b, sema::Role::Output))
        out += declineIf(fmt::format("pb::meet({}, {})", member(a), member(b)));
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (!isRegion(i, sema::Role::Input))
      continue;
    // The values before of an updated matrix are the same view as that output, which meets no other one.
    const bool isBefore = matrices[i].after.has_value();
    std::string condition;
    for (std::size_t o = 0; o < matrices.size(); ++o) {
      if (!isRegion(o, sema::Role::Output) || (isBefore && matrices[i].after != static_cast<int>(o)))
        continue;
      const auto safe = scope.sameViews.find({static_cast<int>(o), static_cast<int>(i)});
      const bool isSafe = safe != scope.sameViews.end() && (safe->second & 1);
      if (isSafe && isBefore)
        continue;
      condition += condition.empty() ? "" : " || ";
      condition += isSafe
                       ? fmt::format("(!pb::sameView({0}, {1}) && pb::meet({0}, {1}))", member(o), member(i))
                   : isBefore ? std::string("true")
                              : fmt::format("pb::meet({}, {})", member(o), member(i));
    }
    if (condition.empty())
      continue;
    const std::string copy = "pb_copy_" + poly::mangle(matrices[i].name);
    out +=
        fmt::format("  pb::CellsHere<{}, {}> {};\n", sema::cxxType(matrices[i].element), matrices[i].rank(),
                    copy) +
        declineIf(fmt::format("{}!{}.take({})", isBefore ? "" : "(" + condition + ") && ", copy, member(i)));
  }
  return out;
}

/// The kernels, for matrices whose rows are contiguous. They do not pass the frame on, so that Clang keeps it in registers.
std::string kernelsInRows(const Scope &scope) {
  std::set<std::string> seen;
  std::string out;
  for (const auto &kernel : scope.input.kernels[static_cast<std::size_t>(scope.transform.index)][0])
    if (const std::string &name = scope.kernels->name(*kernel, mayShareViews(scope, 0));
        seen.insert(name).second)
      out += kernelFunction(*kernel, name, scope.frame(), mayShareViews(scope, 0), true);
  return out;
}

/// The kernel over all of its points.
std::string kernelCall(const Scope &scope, const kernel::Scheduled &kernel) {
  const std::string &name = scope.kernels->name(kernel, mayShareViews(scope, 0));
  const auto &dimensions = kernel.schedule.taskDimensions;
  if (dimensions.empty())
    return fmt::format("  {}(&pb_f, nullptr, nullptr);\n", name);
  std::string low, high, isAny;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    low += (d ? ", " : "") + poly::cxx(dimensions[d].low);
    high += (d ? ", " : "") + poly::cxx(dimensions[d].high);
    isAny += fmt::format("{0}pb_low[{1}] < pb_high[{1}]", d ? " && " : "", d);
  }
  return fmt::format("  {{\n    const long pb_low[] = {{{}}}, pb_high[] = {{{}}};\n    if ({}) "
                     "{}(&pb_f, pb_low, pb_high);\n  }}\n",
                     low, high, isAny, name);
}

/// Declines calls with views whose rows have gaps.
std::string rowsHere(const sema::Transform &t) {
  std::string out;
  for (const sema::Matrix &m : t.matrices)
    if (m.rank() > 0)
      out += declineIf(fmt::format("pb_f.m_{}.strides()[0] != 1", poly::mangle(m.name)));
  return out;
}

std::string runFunction(const Scope &scope) {
  const auto number = static_cast<std::size_t>(scope.transform.index);
  std::string out = fmt::format("static inline pb::SmallCall run(long pb_limit, {}) {{\n  {} pb_f;\n",
                                parameterList(scope.transform, false), scope.frame());
  out += fillFrame(scope, true) + sizeDefinitions(scope) +
         "  if (pb_n >= pb_limit) return pb::SmallCall::IsLarge;\n" + sizesHere(scope) +
         rowsHere(scope.transform) + aliasesHere(scope) + "  pb_f.n = pb_n;\n";
  for (const std::size_t s : inLevels(scope.input.plans[number].plans[0], {}).steps)
    out += kernelCall(scope, *scope.input.kernels[number][0][s]);
  return out + "  return pb::SmallCall::IsDone;\n}\n";
}

/// The code of one transform; that of its own callees is in front of it. A coroutine's frame would have to keep what is inlined into it.
std::string codeInCaller(const Scope &scope) {
  const sema::Transform &t = scope.transform;
  const std::string arguments = argumentNames(t);
  const std::string isElsewhere =
      usesDevices(scope.input)
          ? fmt::format(
                "  if (pb::devicesAreUsed()) return {{pb_par_{}(pb_depth{}, pb_params, pb_stays)}};\n",
                t.symbol, arguments)
          : "";
  return fmt::format(
      "extern pb::{0}<long, 1> pb_cutoff_{1};\nnamespace pb_in_{1} {{\n{2}{3}{4}{5}}}\n"
      "static inline void pb_call_{1}({6}) {{\n"
      "  if (pb_in_{1}::run(__LONG_MAX__, pb_depth{7}) != pb::SmallCall::IsDone) "
      "pb_seq_{1}(pb_depth{7});\n}}\n"
      "[[gnu::noinline]] static pb::HereOrJob pb_await_{1}({6}, const long *pb_params = nullptr, bool "
      "pb_stays = false) {{\n{8}"
      "  switch (pb_in_{1}::run(pb_cutoff_{1}[0], pb_depth{7})) {{\n"
      "  case pb::SmallCall::IsDone: break;\n"
      "  case pb::SmallCall::IsSpecial: pb_seq_{1}(pb_depth{7}); break;\n"
      "  case pb::SmallCall::IsLarge: return {{pb_par_{1}(pb_depth{7}, pb_params, pb_stays)}};\n"
      "  }}\n  return {{}};\n}}\n\n",
      scope.input.library ? "ContextSlots" : "Slots", t.symbol, frameStruct(scope), bodies(scope),
      kernelsInRows(scope), runFunction(scope), parameterList(t, false), arguments, isElsewhere);
}

class Callees {
public:
  Callees(const std::vector<Scope> &scopes) : scopes_(scopes) {}

  void add(const Scope &caller) {
    std::set<std::string> names;
    for (const body::Facts &facts : caller.facts())
      names.insert(facts.callees.begin(), facts.callees.end());
    for (const std::string &name : names)
      if (standsInCallers(caller, name)) {
        const Scope &callee = scopes_[static_cast<std::size_t>(caller.input.module.find(name)->index)];
        if (!seen_.insert(name).second)
          continue;
        add(callee);
        text_ += codeInCaller(callee);
      }
  }

  const std::string &text() const { return text_; }

private:
  const std::vector<Scope> &scopes_;
  std::set<std::string> seen_;
  std::string text_;
};

} // namespace

std::vector<bool> standingInCallers(const std::vector<Scope> &scopes) {
  std::vector<bool> stands, isCalled(scopes.size(), false);
  for (const Scope &scope : scopes) {
    stands.push_back(mayStandInCallers(scope));
    for (const body::Facts &facts : scope.facts())
      for (const std::string &name : facts.callees)
        for (const sema::Transform *callee : scope.input.module.family(name))
          isCalled[static_cast<std::size_t>(callee->index)] = true;
  }
  for (std::size_t k = 0; k < stands.size(); ++k)
    stands[k] = stands[k] && isCalled[k];
  return stands;
}

bool standsInCallers(const Scope &scope, const std::string &callee) {
  const sema::Transform *const t = scope.input.module.find(callee);
  return t && scope.inCallers && (*scope.inCallers)[static_cast<std::size_t>(t->index)];
}

std::string cutoffSlot(const Scope &scope) {
  const sema::Transform &t = scope.transform;
  return slot(scope, "long", "pb_cutoff_" + t.symbol, static_cast<std::size_t>(t.binCount()),
              standsInCallers(scope, t.name) ? SlotIn::AllUnits : SlotIn::OwnUnit);
}

std::set<std::string> declaredCallees(const Scope &scope, const std::vector<Scope> &scopes) {
  std::set<std::string> names;
  std::vector<const Scope *> open{&scope};
  while (!open.empty()) {
    const Scope &caller = *open.back();
    open.pop_back();
    for (const body::Facts &facts : caller.facts())
      for (const std::string &name : facts.callees)
        if (names.insert(name).second && standsInCallers(caller, name))
          open.push_back(&scopes[static_cast<std::size_t>(caller.input.module.find(name)->index)]);
  }
  return names;
}

std::string codeOfCallees(const Scope &scope, const std::vector<Scope> &scopes) {
  Callees all(scopes);
  all.add(scope);
  return all.text();
}

} // namespace pbc::emit
