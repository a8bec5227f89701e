// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/check.h"
#include "compiler/sema/scaled.h"
#include "compiler/sema/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace pbc::sema {

namespace {

unsigned editDistance(const std::string &a, const std::string &b) {
  std::vector<unsigned> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = static_cast<unsigned>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const unsigned substitute = diagonal + (std::tolower(a[i - 1]) != std::tolower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

std::vector<std::string> transformNames(const Module &module) {
  std::vector<std::string> names;
  for (const auto &t : module.transforms)
    names.push_back(t.name);
  return names;
}

/// "T<2>": transform and bin.
std::optional<std::pair<int, int>> binNamed(const Module &module, const std::string &name) {
  for (const auto &t : module.transforms)
    for (int bin = 0; t.hasBins() && bin < t.binCount(); ++bin)
      if (name == fmt::format("{}<{}>", t.name, bin))
        return std::pair(t.index, bin);
  return std::nullopt;
}

void chooseMain(const syntax::Program &program, const std::string &mainName, Module &module,
                source::Diagnostics &diagnostics) {
  if (module.transforms.empty() && std::any_of(program.transforms.begin(), program.transforms.end(),
                                               [](const syntax::Transform &t) { return !t.isForward; }))
    return; // each has its own error
  if (module.transforms.empty()) {
    diagnostics.error({program.mainFile, 0, 0}, "the program has no transform")
        .help("a program needs at least one, for example\n  transform Copy from A[n] to B[n] { B.cell(i) "
              "from(A.cell(i) a) { return a; } }");
    return;
  }
  module.mainTransform = module.find(module.transforms.back().family)->index;
  if (!mainName.empty()) {
    if (const Transform *t = module.find(mainName))
      module.mainTransform = t->index;
    else if (const auto bin = binNamed(module, mainName))
      std::tie(module.mainTransform, module.mainBin) = *bin;
    else
      diagnostics.error(source::commandLine, fmt::format("--main={}: there is no such transform", mainName))
          .help(fmt::format("the transforms are {}", fmt::join(transformNames(module), ", ")));
    return;
  }
  const syntax::Transform *first = nullptr;
  for (const auto &t : program.transforms) {
    if (!t.isMain || t.isForward)
      continue;
    if (first) {
      diagnostics.error(t.mainSpan, "two transforms are marked `main`")
          .note(first->mainSpan, "the other one is here")
          .help("only one can be run by the executable: remove one `main`");
      return;
    }
    first = &t;
    if (const Transform *checked = module.find(t.name.text))
      module.mainTransform = checked->index; // of a template: its first copy
  }
}

std::string typeOf(const Matrix &m) {
  return m.rank() ? fmt::format("{}-d {}", m.rank(), name(m.element))
                  : fmt::format("one {}", name(m.element));
}

/// `Quality to Acc from X.., A..`: a metric computes one number from the outputs, then the inputs, of what it
/// measures.
void checkMetric(const Module &module, const Transform &t, source::Diagnostics &diagnostics) {
  const Transform *metric = module.find(t.metric);
  if (!metric) {
    diagnostics
        .error(t.metricSpan,
               fmt::format("the accuracy metric `{}` is not a transform of this program", t.metric))
        .help(nearest(t.metric, transformNames(module)));
    return;
  }
  std::vector<const Matrix *> wanted, found;
  for (const Role role : {Role::Output, Role::Input})
    for (const Matrix &m : t.matrices)
      if (m.role == role)
        wanted.push_back(&m);
  for (const Matrix &m : metric->matrices)
    if (m.role == Role::Input)
      found.push_back(&m);
  const auto fits = [](const Matrix *a, const Matrix *b) {
    return a->element == b->element && a->rank() == b->rank();
  };
  const bool isNumber = metric->outputCount() == 1 &&
                        std::any_of(metric->matrices.begin(), metric->matrices.end(),
                                    [](const Matrix &m) { return m.role == Role::Output && m.rank() == 0; });
  if (isNumber && std::equal(wanted.begin(), wanted.end(), found.begin(), found.end(), fits) &&
      metric->params.empty())
    return;
  std::vector<std::string> matrices;
  for (const Matrix *m : wanted)
    matrices.push_back(fmt::format("{} ({})", m->name, typeOf(*m)));
  diagnostics
      .error(t.metricSpan, fmt::format("`{}` cannot be the accuracy metric of `{}`", t.metric, t.family))
      .note(metric->span, "it is declared here")
      .help(
          fmt::format("a metric computes one number (`to Accuracy`) from the outputs and then the inputs of "
                      "what it measures, here {}",
                      fmt::join(matrices, ", ")));
}

Transform checkTransform(const TransformCopy &copy, source::Diagnostics &diagnostics) {
  Transform checked = checkHeader(copy, diagnostics);
  checkStructures(copy, checked, diagnostics);
  std::set<int> wrong; // by position: copies of a rule share their mistakes
  for (const RuleCopy &written : copy.rules) {
    if (wrong.count(written.position))
      continue;
    auto rule = checkRule(checked, written, diagnostics);
    if (!rule) {
      wrong.insert(written.position);
      continue;
    }
    rule->index = static_cast<int>(checked.rules.size());
    checked.rules.push_back(std::move(*rule));
  }
  checked.schedules = checkSchedules(copy, diagnostics);
  return checked;
}

/// The transforms whose generators lead from `t` back to it, beginning with `t`; none if they do not.
std::vector<const Transform *> generatorCycle(const Module &module, const Transform &t) {
  std::vector<const Transform *> cycle;
  for (const Transform *at = &t; at && cycle.size() <= module.transforms.size();
       at = at->generator.empty() ? nullptr : module.find(at->generator)) {
    if (!cycle.empty() && at->family == t.family)
      return cycle;
    cycle.push_back(at);
  }
  return {};
}

void checkGenerators(const Module &module, source::Diagnostics &diagnostics) {
  constexpr const char *kHelp =
      "name another transform, one whose outputs are the inputs of this one; without a "
      "generator, inputs are random numbers";
  std::set<std::string> known; // families of cycles that were reported already
  for (const Transform &t : module.transforms) {
    if (t.generator.empty() || known.count(t.family))
      continue;
    if (!module.find(t.generator)) {
      diagnostics.error(t.generatorSpan,
                        fmt::format("the generator `{}` is not a transform of this program", t.generator));
      continue;
    }
    const auto cycle = generatorCycle(module, t);
    if (cycle.empty())
      continue;
    for (const Transform *member : cycle)
      known.insert(member->family);
    if (cycle.size() == 1) {
      diagnostics.error(t.generatorSpan, fmt::format("`{}` cannot be its own generator", t.family))
          .help(kHelp);
      continue;
    }
    std::string chain;
    for (const Transform *member : cycle)
      chain += fmt::format("{}`{}` needs `{}`", chain.empty() ? "" : ", ", member->family, member->generator);
    auto &report =
        diagnostics.error(t.generatorSpan, fmt::format("the generators go round in a circle: {}", chain));
    for (std::size_t i = 1; i < cycle.size(); ++i)
      report.note(cycle[i]->generatorSpan, fmt::format("the generator of `{}`", cycle[i]->family));
    report.help(kHelp);
  }
}

} // namespace

std::string nearest(const std::string &wanted, const std::vector<std::string> &candidates) {
  std::string best;
  // A third of the letters may differ; a name of one letter has no near names.
  unsigned distance =
      wanted.size() < 2 ? 0 : static_cast<unsigned>(std::max<std::size_t>(1, wanted.size() / 3)) + 1;
  for (const auto &c : candidates)
    if (const unsigned d = editDistance(wanted, c); d < distance)
      distance = d, best = c;
  return best.empty() ? "" : fmt::format("did you mean `{}`?", best);
}

Module check(const syntax::Program &program, const std::string &moduleName, const std::string &mainName,
             source::Diagnostics &diagnostics) {
  Module module;
  module.name = moduleName;
  for (const auto &block : program.rawBlocks)
    module.rawBlocks.push_back(&block);
  std::map<std::string, Span> defined;
  for (const auto &t : program.transforms)
    if (!t.isForward) {
      if (const auto [at, isNew] = defined.emplace(t.name.text, t.name.span); !isNew)
        diagnostics.error(t.name.span, fmt::format("the transform `{}` is defined twice", t.name.text))
            .note(at->second, "the first definition is here")
            .help("transforms share one name space: rename one of them");
    }
  for (const auto &t : program.transforms)
    if (t.isForward && !defined.count(t.name.text)) {
      diagnostics.warning(t.name.span, fmt::format("`{}` is declared but never defined", t.name.text))
          .help("give it a body in braces, or remove the declaration: transforms may be used before they "
                "are defined");
      module.undefined.push_back(t.name);
    }
  const auto copies = std::make_shared<const std::vector<TransformCopy>>(expand(program, diagnostics));
  module.written = copies;
  std::set<std::string> wrong; // one mistake of a template is one error, not one for each copy
  for (const TransformCopy &copy : *copies) {
    if (wrong.count(copy.header.name.text))
      continue;
    const unsigned errorsBefore = diagnostics.errorCount();
    Transform checked = checkTransform(copy, diagnostics);
    if (diagnostics.errorCount() != errorsBefore && !copy.constants.empty())
      wrong.insert(checked.family);
    checked.index = static_cast<int>(module.transforms.size());
    module.transforms.push_back(std::move(checked));
  }
  checkGenerators(module, diagnostics);
  for (const auto &t : module.transforms) {
    if (!t.feature.empty() && !module.find(t.feature))
      diagnostics.error(t.featureSpan,
                        fmt::format("the input feature `{}` is not a transform of this program", t.feature));
    if (!t.metric.empty())
      checkMetric(module, t, diagnostics);
    if (!t.scaledBy.empty())
      checkScaledBy(module, t, diagnostics);
  }
  chooseMain(program, mainName, module, diagnostics);
  return module;
}

} // namespace pbc::sema
