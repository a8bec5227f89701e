#include "compiler/sema/check.h"
#include "compiler/sema/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

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

void chooseMain(const syntax::Program &program, const std::string &mainName, Module &module,
                source::Diagnostics &diagnostics) {
  if (module.transforms.empty()) {
    diagnostics.error({program.mainFile, 0, 0}, "the program has no transform")
        .help("a program needs at least one, for example\n  transform Copy from A[n] to B[n] { B.cell(i) "
              "from(A.cell(i) a) { return a; } }");
    return;
  }
  module.mainTransform = module.find(module.transforms.back().family)->index;
  if (!mainName.empty()) {
    const Transform *t = module.find(mainName);
    if (t)
      module.mainTransform = t->index;
    else
      diagnostics
          .error({program.mainFile, 0, 0}, fmt::format("--main={}: there is no such transform", mainName))
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

/// Where a rule got its name: at its label or, without one, at its header.
struct NamePlace {
  Span span;
  bool isLabel;
};

NamePlace namePlace(const syntax::Rule &rule) {
  for (const auto &flag : rule.flags)
    if (flag.kind == syntax::Flag::Kind::Label)
      return {flag.name->span, true};
  return {rule.headerSpan, false};
}

void reportSameLabel(const Transform &t, const std::string &label, const NamePlace &first,
                     const NamePlace &second, source::Diagnostics &diagnostics) {
  auto &error =
      diagnostics.error(second.span, fmt::format("two rules of `{}` are called `{}`", t.name, label))
          .note(first.span, "the other one is here")
          .help("configurations name rules by their labels: give each its own");
  if (!first.isLabel || !second.isLabel)
    error.help(fmt::format(
        "a rule without a label is called `rule` and its number in the transform, here `{}`", label));
}

Transform checkTransform(const TransformCopy &copy, source::Diagnostics &diagnostics) {
  Transform checked = checkHeader(copy, diagnostics);
  std::map<std::string, NamePlace> labels;
  std::set<int> wrong; // by position: copies of a rule share their mistakes
  for (const RuleCopy &written : copy.rules) {
    if (wrong.count(written.position))
      continue;
    auto rule = checkRule(checked, written, diagnostics);
    if (!rule) {
      wrong.insert(written.position);
      continue;
    }
    const NamePlace named = namePlace(written.rule);
    if (const auto [other, isNew] = labels.emplace(rule->label, named); !isNew)
      reportSameLabel(checked, rule->label, other->second, named, diagnostics);
    rule->index = static_cast<int>(checked.rules.size());
    checked.rules.push_back(std::move(*rule));
  }
  return checked;
}

} // namespace

std::string nearest(const std::string &wanted, const std::vector<std::string> &candidates) {
  std::string best;
  // A third of the letters may differ; names of one letter are not near to anything.
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
    if (t.isForward && !defined.count(t.name.text))
      diagnostics.error(t.name.span, fmt::format("`{}` is declared but never defined", t.name.text))
          .help("give it a body in braces, or remove the declaration: transforms may be used before they "
                "are defined");
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
  for (auto &t : module.transforms)
    if (!t.generator.empty() && !module.find(t.generator))
      diagnostics.error(t.generatorSpan,
                        fmt::format("the generator `{}` is not a transform of this program", t.generator));
  chooseMain(program, mainName, module, diagnostics);
  return module;
}

} // namespace pbc::sema
