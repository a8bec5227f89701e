// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/poly/names.h"
#include "compiler/sema/in_place.h"
#include "compiler/sema/names.h"
#include "compiler/sema/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace pbc::sema {

namespace {

constexpr int kMaxRank = 5; // as pb::AnyRegion

bool fitsInt(double value) {
  return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

/// Returns false and reports an error if a value of an integer tunable does not fit into `int`.
bool checkRange(const syntax::Item &item, source::Diagnostics &diagnostics) {
  for (const auto *literal : {&item.initial, &item.minimum, &item.maximum})
    if (*literal && !fitsInt((*literal)->value)) {
      diagnostics
          .error((*literal)->span,
                 fmt::format("`{}` cannot be {:.0f}: whole numbers go from {} to {}", item.name.text,
                             (*literal)->value, std::numeric_limits<int>::min(),
                             std::numeric_limits<int>::max()))
          .help(fmt::format("use a smaller number, or fractions, which go further: `double {}(...)`",
                            item.name.text));
      return false;
    }
  return true;
}

void checkItem(const syntax::Item &item, Transform &t, source::Diagnostics &diagnostics) {
  Tunable tunable;
  checkName(item.name, diagnostics);
  switch (item.kind) {
  case syntax::Item::Kind::Tunable:
    break;
  case syntax::Item::Kind::Config:
    tunable.kind = Tunable::Kind::Config;
    break;
  case syntax::Item::Kind::AccuracyVariable:
    tunable.kind = Tunable::Kind::AccuracyVariable;
    tunable.bySize = tunable.forAccuracy = true;
    break;
  }
  tunable.bySize = tunable.bySize || item.sizeSpecific;
  tunable.forAccuracy = tunable.forAccuracy || item.accuracyHint;
  tunable.length = static_cast<int>(item.arrayLength.value_or(0));
  tunable.name = item.name.text;
  tunable.span = item.name.span;
  tunable.isFloat = item.isFloat;
  for (const auto *literal : {&item.initial, &item.minimum, &item.maximum})
    if (*literal && (*literal)->isFloat)
      tunable.isFloat = true;
  if (tunable.isFloat)
    tunable.minimum = -1.7976931348623157e308, tunable.maximum = 1.7976931348623157e308;
  if (item.initial)
    tunable.initial = item.initial->value;
  if (item.minimum)
    tunable.minimum = item.minimum->value;
  if (item.maximum)
    tunable.maximum = item.maximum->value;
  if (!item.initial && tunable.initial < tunable.minimum)
    tunable.initial = tunable.minimum;
  const bool isInRange = tunable.isFloat || checkRange(item, diagnostics);
  if (isInRange && !(tunable.minimum <= tunable.initial && tunable.initial <= tunable.maximum))
    diagnostics
        .error(item.span, fmt::format("the tunable `{}` begins at {}, outside its range {} to {}",
                                      tunable.name, tunable.initial, tunable.minimum, tunable.maximum))
        .help("the order is (initial, minimum, maximum)");
  for (const char *reserved : {"choice", "sequential_cutoff", "split_size"})
    if (tunable.name == reserved)
      diagnostics.error(item.name.span, fmt::format("a tunable cannot be called `{}`", reserved))
          .help("configuration files use this name for a choice that every transform has: take another");
  t.tunables.push_back(std::move(tunable));
}

void addSizeVariables(const std::vector<syntax::MatrixDecl> &declarations, Transform &t,
                      source::Diagnostics &diagnostics) {
  for (const auto &m : declarations) {
    std::vector<syntax::ExprPtr> sizes = m.extents;
    if (m.version)
      sizes.insert(sizes.end(), {m.version->first, m.version->last ? m.version->last : m.version->first});
    for (const auto &size : sizes) {
      std::vector<Identifier> names;
      collectNames(*size, names);
      for (const auto &name : names) {
        const auto tunable = std::find_if(t.tunables.begin(), t.tunables.end(),
                                          [&](const Tunable &k) { return k.name == name.text; });
        const bool isTunable = tunable != t.tunables.end();
        if (!isTunable &&
            std::find(t.sizeVariables.begin(), t.sizeVariables.end(), name.text) == t.sizeVariables.end()) {
          checkName(name, diagnostics);
          t.sizeVariables.push_back(name.text);
        }
      }
    }
  }
}

} // namespace

std::optional<std::string> productOf(Transform &t, const std::vector<std::string> &factors) {
  for (const auto &factor : factors)
    if (std::none_of(t.sizeVariables.begin(), t.sizeVariables.end(),
                     [&](const std::string &s) { return poly::mangle(s) == factor; }))
      return std::nullopt;
  std::string name = poly::join(factors, "__");
  for (const auto &p : t.products)
    if (p.factors == factors)
      return p.name;
    else if (p.name == name) // `a_*b` and `a*_b`
      name += "__";
  t.products.push_back({name, factors});
  return name;
}

namespace {

/// Adds the versions as one more dimension, the last.
void addVersions(const syntax::Version &version, Transform &t, Matrix &m, source::Diagnostics &diagnostics) {
  const auto known = [&](const std::string &name, Span span) {
    return mayBeIndex(t, name, span, diagnostics);
  };
  const auto products = [&](const std::vector<std::string> &factors) { return productOf(t, factors); };
  const auto last = affine(version.last ? *version.last : *version.first, known, products, diagnostics);
  m.extents.push_back(last ? plus(*last, 1) : constant(0, version.span));
  m.isVersioned = true;
  if (version.last)
    m.firstVersion = affine(*version.first, known, products, diagnostics);
}

void addMatrices(const syntax::Transform &written, const std::vector<syntax::MatrixDecl> &declarations,
                 Role role, Transform &t, source::Diagnostics &diagnostics) {
  for (const auto &declaration : declarations) {
    Matrix m;
    checkName(declaration.name, diagnostics);
    const bool isBefore = role == Role::Input && isUpdated(written, declaration.name.text);
    m.name = isBefore ? nameBefore(declaration.name.text) : declaration.name.text;
    m.role = role;
    m.span = declaration.span;
    if (declaration.element)
      if (const auto e = elementNamed(*declaration.element, diagnostics))
        m.element = *e;
    for (const auto &extent : declaration.extents) {
      auto a = affine(
          *extent, [&](const std::string &name, Span span) { return mayBeIndex(t, name, span, diagnostics); },
          [&](const std::vector<std::string> &factors) { return productOf(t, factors); }, diagnostics);
      m.extents.push_back(a ? std::move(*a)
                            : constant(0, extent->span)); // keeps the rank right for later messages
    }
    if (declaration.version)
      addVersions(*declaration.version, t, m, diagnostics);
    if (m.rank() > kMaxRank)
      diagnostics.error(declaration.span,
                        fmt::format("`{}` has {} dimensions{}; at most {} are possible", m.name, m.rank(),
                                    m.isVersioned ? ", its versions among them" : "", kMaxRank));
    if (const Matrix *other = t.find(m.name)) {
      diagnostics
          .error(declaration.name.span,
                 fmt::format("`{}` is declared twice in `{}`", declaration.name.text, t.name))
          .note(other->span, "the other declaration is here")
          .help("a matrix is declared once, or in `from` and in `to` if the transform updates it in place");
      continue;
    }
    t.matrices.push_back(std::move(m));
  }
}

void checkAccuracy(const syntax::Transform &in, Transform &t, source::Diagnostics &diagnostics) {
  t.bins = in.accuracyBins;
  t.binsSpan = in.binsSpan;
  if (t.bins.empty())
    return;
  if (t.metric.empty())
    diagnostics.error(t.binsSpan, fmt::format("`{}` has accuracy_bins, but no accuracy_metric", t.family))
        .help("name the transform that computes how exact a result is: `accuracy_metric Quality`");
  if (t.hasBins() && !t.constants.empty())
    diagnostics
        .error(t.binsSpan, fmt::format("`{}` has both `template` arguments and accuracy_bins", t.family))
        .note(in.templateSpan, "the arguments are here")
        .help("split it: a template that is called by the transform with bins, or the other way round");
  for (std::size_t i = 1; i < t.bins.size(); ++i)
    if (t.bins[i] == t.bins[i - 1] || (t.bins[i] > t.bins[i - 1]) != (t.bins[1] > t.bins[0])) {
      diagnostics
          .error(t.binsSpan,
                 fmt::format("the accuracy_bins of `{}` neither grow nor fall: {} stands after {}", t.family,
                             t.bins[i], t.bins[i - 1]))
          .help("bins go from the least exact to the most exact: they grow where a larger metric is better, "
                "and fall where a smaller one is");
      return;
    }
  Tunable target;
  target.kind = Tunable::Kind::Target;
  target.name = "ACCURACY_TARGET";
  target.isFloat = true;
  target.span = t.binsSpan;
  t.tunables.push_back(target);
}

/// `$` is not allowed in names of the language, so no transform can have the name of a copy.
std::string symbolOf(const std::string &family, const std::vector<Constant> &constants) {
  std::string out = family;
  for (const Constant &c : constants)
    out += fmt::format("{}{}{}", out == family ? "$" : "_", c.value < 0 ? "m" : "", std::abs(c.value));
  return out;
}

} // namespace

bool mayBeIndex(const Transform &t, const std::string &name, Span span, source::Diagnostics &diagnostics) {
  for (const Tunable &k : t.tunables)
    if (k.name == name && !k.isParameter()) {
      diagnostics
          .error(span, fmt::format("the tunable `{}` is {}: sizes and coordinates are single integers", name,
                                   k.length ? "an array" : "not an integer"))
          .note(k.span, "declared here")
          .help("use it in a rule's body, or declare a tunable integer");
      return false;
    }
  return true;
}

std::optional<Element> elementNamed(const Identifier &name, source::Diagnostics &diagnostics) {
  if (const auto e = findElement(name.text))
    return e;
  diagnostics.error(name.span, fmt::format("`{}` is not an element type", name.text))
      .help("the element types are double, float, int, long and byte");
  return std::nullopt;
}

Transform checkHeader(const TransformCopy &copy, source::Diagnostics &diagnostics) {
  const syntax::Transform &syntaxTransform = copy.header;
  Transform t;
  t.family = syntaxTransform.name.text;
  t.name = t.family + copySuffix(copy.constants);
  t.symbol = symbolOf(t.family, copy.constants);
  t.constants = copy.constants;
  t.span = syntaxTransform.name.span;
  checkName(syntaxTransform.name, diagnostics);
  t.isMemoized = syntaxTransform.isMemoized;
  for (const char *reserved : {"program", "hash", "threads"})
    if (t.family == reserved)
      diagnostics.error(t.span, fmt::format("a transform cannot be called `{}`", reserved))
          .help("configuration files use this name at their top: take another");
  std::map<std::string, Span> names;
  for (const auto &clause : syntaxTransform.names) {
    if (clause.kind == syntax::NameClause::Kind::Generator)
      t.generator = clause.name.text, t.generatorSpan = clause.name.span;
    if (clause.kind == syntax::NameClause::Kind::Param) {
      checkName(clause.name, diagnostics);
      if (!names.emplace(clause.name.text, clause.name.span).second)
        diagnostics.error(clause.name.span,
                          fmt::format("`{}` names two things in `{}`", clause.name.text, t.name));
      t.params.push_back(clause.name.text);
    }
    if (clause.kind == syntax::NameClause::Kind::AccuracyMetric)
      t.metric = clause.name.text, t.metricSpan = clause.name.span;
    if (clause.kind == syntax::NameClause::Kind::InputFeature)
      t.feature = clause.name.text, t.featureSpan = clause.name.span;
    if (clause.kind == syntax::NameClause::Kind::ScaledBy)
      t.scaledBy = clause.name.text, t.scaledBySpan = clause.name.span;
  }
  for (const auto &item : syntaxTransform.items)
    checkItem(item, t, diagnostics);
  checkAccuracy(syntaxTransform, t, diagnostics);
  t.sizeVariables = t.params;
  addSizeVariables(syntaxTransform.from, t, diagnostics);
  addSizeVariables(syntaxTransform.to, t, diagnostics);
  addSizeVariables(syntaxTransform.through, t, diagnostics);
  addMatrices(syntaxTransform, syntaxTransform.from, Role::Input, t, diagnostics);
  addMatrices(syntaxTransform, syntaxTransform.to, Role::Output, t, diagnostics);
  addMatrices(syntaxTransform, syntaxTransform.through, Role::Through, t, diagnostics);
  connectUpdated(t, diagnostics);
  if (syntaxTransform.to.empty())
    diagnostics.error(t.span, fmt::format("`{}` computes nothing: it has no `to` matrix", t.name))
        .help("declare what it computes, for example `to B[n]`");
  if (!copy.hasRules)
    diagnostics.error(t.span, fmt::format("`{}` has no rule", t.name))
        .help("say how its outputs are computed, for example `B.cell(i) from(A.cell(i) a) { return a; }`");
  for (const auto &tunable : t.tunables)
    if (!names.emplace(tunable.name, tunable.span).second || t.find(tunable.name))
      diagnostics.error(tunable.span, fmt::format("`{}` names two things in `{}`", tunable.name, t.name));
  for (const auto &constant : t.constants)
    if (!names.emplace(constant.name, constant.span).second || t.find(constant.name))
      diagnostics.error(constant.span, fmt::format("`{}` names two things in `{}`", constant.name, t.family))
          .help("give the template's argument a name of its own");
  for (const auto &size : t.sizeVariables)
    if (const Matrix *m = t.find(size))
      diagnostics.error(m->span, fmt::format("`{}` is both a matrix and a size in `{}`", size, t.name))
          .help(m->rank() == 0 && m->role == Role::Input
                    ? fmt::format("sizes are whole numbers: `param {}` declares one; else rename one of them",
                                  size)
                    : "rename one of them");
  return t;
}

} // namespace pbc::sema
