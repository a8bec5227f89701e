// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/emit.h"
#include "compiler/emit/devices.h"
#include "compiler/emit/in_callers.h"
#include "compiler/emit/parts.h"
#include "compiler/emit/row_turns.h"
#include "compiler/emit/version_guards.h"
#include <algorithm>
#include <set>

namespace pbc::emit {

namespace {

constexpr const char *kBegin = "namespace pb_program {\n", *kEnd = "} // namespace pb_program\n";

/// The raw blocks. A preamble may already contain the directives at their beginning.
std::string rawBlocks(const Input &in) {
  std::string out;
  for (std::size_t i = 0; i < in.rawBlocks.size(); ++i) {
    const source::MappedText &text = in.module.rawBlocks[i]->text;
    const std::string &raw = in.rawBlocks[i];
    const std::uint32_t directives = i < in.directivesOf.size() ? in.directivesOf[i] : 0;
    if (directives)
      out += "#ifndef PB_PREAMBLE\n" + lineOf(in, text) + raw.substr(0, directives) + "\n#endif\n";
    if (directives < raw.size())
      out += lineOf(in, text, directives) + raw.substr(directives) + "\n";
  }
  return out;
}

/// The headers of kernels and frames. Clang gets the prelude and the runtime's headers in memory (body::headers). Raw blocks come after all of
/// them, so that no macro of a program changes them.
std::string kernelHeaders(const Scope &scope) {
  std::string out = "#include \"pb/prelude.h\"\n"
                    "#include \"pb/index.h\"\n#include \"pb/program.h\"\n#include \"pb/plan.h\"\n#include "
                    "\"pb/loops.h\"\n#include \"pb/register_tile.h\"\n#include \"pb/streaming_stores.h\"\n";
  if (!guardsOf(scope).empty())
    out += "#include \"pb/guards.h\"\n";
  return out;
}

bool callsTransforms(const Scope &scope) {
  return std::ranges::any_of(scope.facts(), [](const body::Facts &f) { return !f.callees.empty(); });
}

std::string head(const Scope &scope, const std::vector<Scope> &scopes) {
  const auto &module = scope.input.module;
  std::string out = kernelHeaders(scope);
  if (hasThroughTiles(scope))
    out += "#include \"pb/through_tiles.h\"\n";
  if (hasRowTurns(scope))
    out += "#include \"pb/row_turns.h\"\n";
  if (usesDevices(scope.input))
    out += "#include \"pb/device.h\"\n";
  if (callsTransforms(scope))
    out += "#include \"pb/small_calls.h\"\n";
  if (scope.transform.isMemoized)
    out += "#include \"pb/memo.h\"\n";
  out += rawBlocks(scope.input);
  out += kBegin;
  std::set<std::string> callees = declaredCallees(scope, scopes);
  callees.insert(scope.transform.family);
  for (const auto &name : callees) {
    for (const auto *t : module.family(name))
      out += declarations(*t);
    out += copyDispatch(module.family(name));
  }
  return out + codeOfCallees(scope, scopes);
}

/// Makes the functions of the kernels of all plans, in the order in which these are printed.
std::shared_ptr<KernelFunctions> nameKernels(const Scope &scope) {
  const auto all = std::make_shared<KernelFunctions>(scope.transform, scope.frame());
  const std::vector<schedule::Plan> &plans = scope.input.plans[scope.transform.index].plans;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const bool mayShare = mayShareViews(scope, p);
    const std::vector<kernel::TurnGroup> &turns = scope.input.turnsOf(scope.transform.index, p);
    for (const kernel::TurnGroup &group : turns)
      for (const kernel::RowTurn &turn : group.turns)
        all->name(kernelOfTurn(scope, p, turn), mayShare);
    for (const std::size_t s : inLevels(plans[p], turns).steps) {
      if (plans[p].steps[s].callsTransforms)
        continue;
      all->name(*scope.input.kernels[scope.transform.index][p][s], mayShare);
      for (const Version &version : scope.input.versionsOf(scope.transform.index, p, s))
        if (version.kernel)
          all->name(*version.kernel, mayShare);
    }
  }
  all->close();
  return all;
}

std::vector<Unit> kernelUnits(const Scope &scope) {
  std::vector<Unit> units;
  for (const std::string &functions : scope.kernels->apart())
    units.push_back(
        {fmt::format("{}.kernels{}", scope.transform.symbol, units.size()),
         kernelHeaders(scope) + rawBlocks(scope.input) + kBegin + frameStruct(scope) + functions + kEnd});
  return units;
}

} // namespace

std::string lineOf(const Input &in, const source::MappedText &text, std::uint32_t offset) {
  if (!in.sources || text.text.empty())
    return "";
  const source::Span at = text.locate(offset, offset + 1);
  return fmt::format("\n#line {} {}\n", in.sources->position(at.file, at.begin).line,
                     quoted(in.sources->path(at.file)));
}

const std::vector<Version> &Input::versionsOf(int transform, std::size_t plan, std::size_t step) const {
  static const std::vector<Version> kNone;
  return versions ? (*versions)[static_cast<std::size_t>(transform)][plan][step] : kNone;
}

const std::vector<kernel::TurnGroup> &Input::turnsOf(int transform, std::size_t plan) const {
  static const std::vector<kernel::TurnGroup> kNone;
  return turns ? (*turns)[static_cast<std::size_t>(transform)][plan].groups : kNone;
}

Turns rowTurns(const std::vector<schedule::TransformPlans> &plans, const Kernels &kernels) {
  Turns all;
  for (std::size_t t = 0; t < plans.size(); ++t) {
    all.emplace_back();
    for (std::size_t k = 0; k < plans[t].plans.size(); ++k)
      all.back().push_back(kernel::rowTurns(plans[t].plans[k], kernels[t][k]));
  }
  return all;
}

Fusions fuse(const sema::Module &module, const std::vector<schedule::TransformPlans> &plans,
             const Kernels &kernels) {
  Fusions all;
  for (const auto &t : module.transforms) {
    all.emplace_back();
    for (std::size_t k = 0; k < plans[t.index].plans.size(); ++k)
      all.back().push_back(kernel::fuse(t, plans[t.index].plans[k], kernels[t.index][k]));
  }
  return all;
}

std::vector<Unit> emit(const Input &in, poly::Context &context, const std::string &bakedConfiguration,
                       const TakeUnits &take) {
  std::vector<std::vector<bool>> all;
  for (const auto &t : in.module.transforms)
    all.emplace_back(t.rules.size(), true);
  const body::Unit texts = body::makeUnit(in.module, all, body::Library::None);
  std::vector<Scope> scopes;
  std::vector<std::vector<Unit>> ofKernels;
  for (const auto &t : in.module.transforms) {
    Scope &scope = scopes.emplace_back(Scope{in, t, context, {}, {}, {}});
    std::copy_if(texts.rules.begin(), texts.rules.end(), std::back_inserter(scope.ruleTexts),
                 [&](const body::RuleText &r) { return r.transform == t.index; });
    scope.sameViews = sameViews(scope);
    scope.kernels = nameKernels(scope);
    ofKernels.push_back(kernelUnits(scope));
    if (take && !ofKernels.back().empty())
      take(ofKernels.back());
  }
  const auto inCallers = std::make_shared<const std::vector<bool>>(standingInCallers(scopes));
  for (Scope &scope : scopes)
    scope.inCallers = inCallers;
  std::vector<Unit> units;
  for (std::size_t k = 0; k < scopes.size(); ++k) {
    const Scope &scope = scopes[k];
    // The frame comes before the bodies that use it, and the plans that call the bodies come after them.
    units.push_back({scope.transform.symbol, head(scope, scopes) + entry(scope) + descriptor(scope) + kEnd});
    units.insert(units.end(), ofKernels[k].begin(), ofKernels[k].end());
  }
  units.push_back({"program", programUnit(in, context, bakedConfiguration)});
  return units;
}

} // namespace pbc::emit
