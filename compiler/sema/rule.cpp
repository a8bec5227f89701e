// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/in_place.h"
#include "compiler/sema/names.h"
#include "compiler/sema/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace pbc::sema {

using Accessor = syntax::Region::Accessor;

namespace {

class RuleChecker {
public:
  RuleChecker(Transform &t, const RuleCopy &copy, source::Diagnostics &d) : t_(t), in_(copy.rule), d_(d) {
    out_.label = copy.label;
    out_.constants = copy.constants;
  }

  std::optional<Rule> run() {
    const unsigned errorsBefore = d_.errorCount();
    out_.body = &in_.body;
    out_.span = in_.span;
    out_.headerSpan = in_.headerSpan;
    out_.returnStyle = in_.returnStyle;
    out_.replacesAll = in_.replacesAll;
    flags();
    out_.label += labelSuffix(out_.constants);
    constants();
    findFreeVariables();
    for (const auto &region : in_.outputs)
      if (auto b = binding(region, true))
        out_.outputs.push_back(std::move(*b));
    for (const auto &region : in_.inputs)
      if (auto b = binding(region, false))
        out_.inputs.push_back(std::move(*b));
    if (in_.outputs.empty())
      d_.error(in_.headerSpan, "the rule computes nothing").help("name a region of an output in to(...)");
    readOwnBefore(t_, out_);
    returnStyleOutput();
    locals();
    where();
    distinctNames();
    out_.library = checkLibrary(t_, out_, in_, d_);
    if (d_.errorCount() != errorsBefore)
      return std::nullopt;
    return std::move(out_);
  }

private:
  void flags() {
    using Flag = syntax::Flag::Kind;
    std::optional<Span> prioritySpan;
    for (const auto &flag : in_.flags) {
      if (flag.kind == Flag::Primary || flag.kind == Flag::Secondary || flag.kind == Flag::Priority) {
        if (prioritySpan)
          d_.error(flag.span, "the rule has two priorities").note(*prioritySpan, "the first one is here");
        prioritySpan = flag.span;
      }
      switch (flag.kind) {
      case Flag::Primary:
        out_.priority = 0;
        break;
      case Flag::Secondary:
        out_.priority = 2;
        break;
      case Flag::Priority:
        priority(flag);
        break;
      case Flag::Label:
        out_.isNamed = true;
        break;
      case Flag::Fast:
        out_.fast = true;
        break;
      case Flag::Recursive:
        break; // only a hint: the body shows what it calls
      case Flag::Rotatable:
        d_.warning(flag.span, "`rotatable` has no effect").help("remove it");
        break;
      case Flag::Duplicate:
        break; // written out already
      }
    }
  }

  static bool isOfIntegers(const syntax::Expr &e) {
    return e.kind == syntax::Expr::Kind::Integer ||
           (!e.operands.empty() && std::all_of(e.operands.begin(), e.operands.end(),
                                               [](const syntax::ExprPtr &o) { return isOfIntegers(*o); }));
  }

  void priority(const syntax::Flag &flag) {
    const auto k = flag.value ? constantValue(*flag.value) : std::nullopt;
    if (k && std::in_range<int>(*k)) {
      out_.priority = static_cast<int>(*k);
      return;
    }
    const bool isNegative = flag.value && flag.value->kind == syntax::Expr::Kind::Negate;
    if (k || (flag.value && isOfIntegers(*flag.value))) // of any length
      d_.error(flag.span, fmt::format("this priority is too {}: priorities go from -2147483648 to 2147483647",
                                      (k ? *k < 0 : isNegative) ? "small" : "large"))
          .help("smaller numbers win");
    else
      d_.error(flag.span, "priority(...) takes a whole number").help("smaller numbers win");
  }

  /// A constant must not hide a name, because that name could no longer be used, even by its author.
  void constants() {
    for (const Constant &c : out_.constants) {
      const bool isTemplate = std::any_of(t_.constants.begin(), t_.constants.end(),
                                          [&](const Constant &other) { return other.name == c.name; });
      const char *other = t_.find(c.name)     ? "a matrix"
                          : isSize(c.name)    ? "a size"
                          : isTunable(c.name) ? "a tunable"
                          : isTemplate        ? "a template argument"
                                              : nullptr;
      if (other)
        d_.error(c.span, fmt::format("`{}` is {} of `{}` already", c.name, other, t_.family))
            .help("give the constant of `duplicate` another name");
    }
  }

  bool isSize(const std::string &name) const {
    return std::find(t_.sizeVariables.begin(), t_.sizeVariables.end(), name) != t_.sizeVariables.end();
  }
  bool isTunable(const std::string &name) const {
    return std::any_of(t_.tunables.begin(), t_.tunables.end(),
                       [&](const Tunable &k) { return k.name == name; });
  }
  bool isFree(const std::string &name) const {
    return std::find(out_.freeVariables.begin(), out_.freeVariables.end(), name) != out_.freeVariables.end();
  }

  /// The outputs with most dimensions come first: their coordinates define the rule's free variables
  /// (reference 2.3).
  void findFreeVariables() {
    std::vector<const syntax::Region *> outputs;
    for (const auto &o : in_.outputs)
      outputs.push_back(&o);
    const auto rank = [](const syntax::Region *r) { return r->coordinates.size() + (r->version ? 1 : 0); };
    std::stable_sort(outputs.begin(), outputs.end(),
                     [&](const auto *a, const auto *b) { return rank(a) > rank(b); });
    for (const auto *o : outputs) {
      std::vector<syntax::ExprPtr> coordinates = o->coordinates;
      if (o->version)
        coordinates.push_back(o->version->first);
      for (const auto &coordinate : coordinates) {
        std::vector<Identifier> names;
        collectNames(*coordinate, names);
        for (const auto &name : names)
          if (!isSize(name.text) && !isTunable(name.text) && !isFree(name.text)) {
            if (t_.find(name.text))
              continue; // reported where the coordinate is converted
            checkName(name, d_);
            out_.freeVariables.push_back(name.text);
          }
      }
    }
  }

  std::optional<Affine> coordinate(const syntax::Expr &e) {
    return affine(
        e,
        [&](const std::string &name, Span span) {
          if (isSize(name) || isFree(name))
            return true;
          if (isTunable(name))
            return mayBeIndex(t_, name, span, d_);
          if (t_.find(name)) {
            d_.error(span, fmt::format("the matrix `{}` cannot be part of a coordinate", name))
                .help("coordinates are made of sizes and of the rule's own variables");
            return false;
          }
          std::vector<std::string> candidates = t_.sizeVariables;
          candidates.insert(candidates.end(), out_.freeVariables.begin(), out_.freeVariables.end());
          auto &error = d_.error(span, fmt::format("`{}` is not known here", name));
          const std::string hint = nearest(name, candidates);
          error.help(!hint.empty()
                         ? hint
                         : "a rule's variables are those in the coordinates of its outputs; sizes are those "
                           "in the matrix declarations");
          return false;
        },
        [&](const std::vector<std::string> &factors) { return productOf(t_, factors); }, d_);
  }

  void wrongCount(const syntax::Region &region, const char *accessor, int rank, int wanted,
                  const std::string &help) {
    const bool isLine = region.accessor == Accessor::Row || region.accessor == Accessor::Column;
    d_.error(region.span,
             fmt::format("`{}` has {} dimension{}: {}() takes {}{} coordinate{} here, found {}",
                         region.matrix.text, rank, rank == 1 ? "" : "s", accessor, wanted,
                         isLine ? " or 3" : "", wanted == 1 && !isLine ? "" : "s", region.coordinates.size()))
        .help(help);
  }

  std::optional<Binding> binding(const syntax::Region &region, bool isOutput) {
    const Matrix *m = t_.find(region.matrix.text);
    if (!m) {
      std::vector<std::string> names;
      for (const auto &matrix : t_.matrices)
        if (!matrix.after)
          names.push_back(matrix.name);
      auto &error =
          d_.error(region.matrix.span, fmt::format("`{}` has no matrix `{}`", t_.name, region.matrix.text));
      const std::string hint = nearest(region.matrix.text, names);
      error.help(!hint.empty() ? hint : fmt::format("its matrices are {}", fmt::join(names, ", ")));
      return std::nullopt;
    }
    if (isOutput && m->role == Role::Input) {
      d_.error(region.span, fmt::format("`{}` is an input: a rule cannot compute it", m->name))
          .note(m->span, "declared here")
          .help("only `to` and `through` matrices can be computed");
      return std::nullopt;
    }
    Binding b;
    b.matrix = static_cast<int>(m - t_.matrices.data());
    if (region.old) {
      const auto before = isOutput ? refuseOldOutput(region) : matrixBefore(t_, b.matrix, region, d_);
      if (!before)
        return std::nullopt;
      b.matrix = *before;
    }
    b.isOutput = isOutput;
    b.span = region.span;
    if (region.name) {
      checkName(*region.name, d_);
      b.name = region.name->text;
    }
    std::vector<Affine> coordinates;
    for (const auto &c : region.coordinates) {
      auto a = coordinate(*c);
      if (!a)
        return std::nullopt;
      coordinates.push_back(std::move(*a));
    }
    std::optional<Affine> version;
    if (region.version && !(version = versionOf(*region.version, *m)))
      return std::nullopt;
    if (region.defaultValue) {
      if (!isOptional(region, *m, isOutput))
        return std::nullopt;
      b.otherwise = region.defaultValue;
    }
    return place(region, *m, std::move(coordinates), version, std::move(b));
  }

  std::optional<int> refuseOldOutput(const syntax::Region &region) {
    d_.error(*region.old, "an output is what the rule computes, and has no values before")
        .help("leave `old` out; the body finds the values before in the output until it writes it");
    return std::nullopt;
  }

  /// Whether a region may have a value for cells outside its matrix, and this one.
  bool isOptional(const syntax::Region &region, const Matrix &m, bool isOutput) {
    const Span at = region.defaultValue->span;
    if (isOutput) {
      d_.error(at, "an output cannot be optional")
          .help("only cell inputs, `from(A.cell(i-1) a = 0)`, have a value for where they lie outside");
      return false;
    }
    if (region.accessor != Accessor::Cell) {
      d_.error(at, "only cell inputs can be optional")
          .help(
              fmt::format("name single cells, `{}.cell(...) a = ...`, or bound the rule by `where`", m.name));
      return false;
    }
    const auto &e = *region.defaultValue;
    if (e.kind != syntax::Expr::Kind::Name || e.text != "OPTIONAL")
      return isNumber(e);
    if (m.element != Element::F64 && m.element != Element::F32) {
      d_.error(at, fmt::format("`OPTIONAL` marks a missing cell by a NaN, which the type `{}` of `{}` lacks",
                               name(m.element), m.name))
          .help("give a number that the matrix does not hold");
      return false;
    }
    return true;
  }

  /// Whether the expression is a value of sizes, coordinates, tunables and numbers.
  bool isNumber(const syntax::Expr &e) {
    using Kind = syntax::Expr::Kind;
    if (e.kind == Kind::Name && !isSize(e.text) && !isFree(e.text) && !isTunable(e.text)) {
      d_.error(e.span, fmt::format("`{}` cannot be part of an optional input's value", e.text))
          .help("it is made of numbers, sizes and the rule's own variables; with `= OPTIONAL` the body can "
                "choose a value where IS_MISSING(...) holds");
      return false;
    }
    if (e.kind == Kind::Integer && e.text.size() > 18) {
      d_.error(e.span, fmt::format("the number {} is too large", e.text))
          .help("write it as a fraction, 1.0e20");
      return false;
    }
    const auto exponent = e.kind == Kind::Power ? constantValue(*e.operands[1]) : std::optional<long>(1);
    if (!exponent || *exponent < 0 || *exponent > 32) {
      d_.error(e.operands[1]->span, "the exponent must be a number from 0 to 32")
          .help("let the body compute other powers");
      return false;
    }
    if (e.kind == Kind::Divide && constantValue(*e.operands[1]) == 0) {
      d_.error(e.operands[1]->span, "this divides by zero").help("correct the divisor");
      return false;
    }
    return std::all_of(e.operands.begin(), e.operands.end(),
                       [&](const auto &operand) { return isNumber(*operand); });
  }

  /// The slice of a versioned matrix; the matrix's last dimension is then not among the coordinates.
  std::optional<Affine> versionOf(const syntax::Version &version, const Matrix &m) {
    if (!m.isVersioned) {
      d_.error(version.span, fmt::format("`{}` has no versions", m.name))
          .note(m.span, "declared here")
          .help(fmt::format("declare them, `{}<0..n>`, or leave out `<...>`", m.name));
      return std::nullopt;
    }
    if (version.last) {
      d_.error(version.span, "only one version can be named in a region")
          .help(fmt::format("name several regions, or take the last dimension of the whole matrix `{}`",
                            m.name));
      return std::nullopt;
    }
    return coordinate(*version.first);
  }

  /// Turns accessor and coordinates into an interval for each dimension.
  std::optional<Binding> place(const syntax::Region &region, const Matrix &m, std::vector<Affine> at,
                               const std::optional<Affine> &version, Binding b) {
    const int rank = m.rank() - (version ? 1 : 0);
    const auto whole = [&](int d) {
      b.begin.push_back(constant(0, region.span));
      b.end.push_back(m.extents[d]);
    };
    const auto single = [&](const Affine &a) {
      b.begin.push_back(a);
      b.end.push_back(plus(a, 1));
    };
    switch (region.accessor) {
    case Accessor::Whole:
      if (!at.empty())
        return wrongCount(region, "all", rank, 0, "all() has no coordinates"), std::nullopt;
      for (int d = 0; d < rank; ++d)
        whole(d), b.viewDims.push_back(d);
      b.isCell = rank == 0;
      break;
    case Accessor::Cell:
      if (static_cast<int>(at.size()) != rank)
        return wrongCount(region, "cell", rank, rank, "one coordinate per dimension, x first"), std::nullopt;
      for (const auto &a : at)
        single(a);
      b.isCell = true;
      break;
    case Accessor::Region:
      if (static_cast<int>(at.size()) != 2 * rank)
        return wrongCount(region, "region", rank, 2 * rank,
                          "all begins come first, then all ends; the end is not included"),
               std::nullopt;
      for (int d = 0; d < rank; ++d)
        b.begin.push_back(at[d]), b.end.push_back(at[rank + d]), b.viewDims.push_back(d);
      break;
    case Accessor::Row:
    case Accessor::Column: {
      const bool isRow = region.accessor == Accessor::Row;
      const char *accessor = isRow ? "row" : "column";
      if (rank != 2) {
        d_.error(region.span,
                 fmt::format("{}() needs a matrix with 2 dimensions; `{}` has {}", accessor, m.name, rank))
            .note(m.span, "declared here")
            .help("use region(...) for a part of a matrix of another rank");
        return std::nullopt;
      }
      if (at.size() != 1 && !region.isPartOfLine())
        return wrongCount(region, accessor, rank, 1,
                          isRow ? "row(y) is a whole row, and row(y, x0, x1) its cells from x0 to before x1"
                                : "column(x) is a whole column, and column(x, y0, y1) its cells from y0 to "
                                  "before y1"),
               std::nullopt;
      const auto along = [&](int d) {
        if (region.isPartOfLine())
          b.begin.push_back(at[1]), b.end.push_back(at[2]);
        else
          whole(d);
      };
      if (isRow)
        along(0), single(at[0]), b.viewDims = {0};
      else
        single(at[0]), along(1), b.viewDims = {1};
      break;
    }
    }
    if (version)
      single(*version);
    return b;
  }

  void returnStyleOutput() {
    if (!in_.returnStyle || out_.outputs.size() != 1)
      return;
    if (!out_.outputs[0].isCell)
      d_.error(out_.outputs[0].span, "a rule that returns its value computes one cell")
          .help("write to(REGION name) and let the body fill the region by its name");
  }

  void locals() {
    for (const auto &declaration : in_.locals) {
      Local local;
      checkName(declaration.name, d_);
      local.name = declaration.name.text;
      local.span = declaration.span;
      if (declaration.element)
        if (const auto e = elementNamed(*declaration.element, d_))
          local.element = *e;
      for (const auto &extent : declaration.extents)
        if (auto a = coordinate(*extent))
          local.extents.push_back(std::move(*a));
      if (declaration.version)
        if (auto last = coordinate(declaration.version->last ? *declaration.version->last
                                                             : *declaration.version->first))
          local.extents.push_back(plus(*last, 1)); // versions are one more dimension, as in `through`
      out_.locals.push_back(std::move(local));
    }
  }

  void where() {
    for (const auto &c : in_.where)
      out_.where.push_back(condition(c));
  }

  /// Converts a condition; sides that are wrong, which has been reported, are left empty.
  Condition condition(const syntax::Condition &in) {
    Condition out{in.kind, {}, {}, {}, {}, in.span};
    for (const auto &part : in.parts)
      out.parts.push_back(condition(part));
    if (!in.relation)
      return out;
    out.op = in.relation->op;
    if (auto left = coordinate(*in.relation->left))
      out.left = std::move(*left);
    if (auto right = coordinate(*in.relation->right))
      out.right = std::move(*right);
    return out;
  }

  void distinctNames() {
    std::map<std::string, Span> names;
    const auto add = [&](const std::string &name, Span span) {
      if (name.empty())
        return;
      if (const auto [at, isNew] = names.emplace(name, span); !isNew)
        d_.error(span, fmt::format("`{}` names two regions of the rule", name))
            .note(at->second, "the other one is here")
            .help("each region needs a name of its own");
      else if (std::any_of(out_.constants.begin(), out_.constants.end(),
                           [&](const Constant &c) { return c.name == name; }))
        d_.error(span, fmt::format("`{}` is a region and a constant of the rule", name))
            .help("rename one of them");
      else if (isFree(name))
        d_.error(span, fmt::format("`{}` is a region and a coordinate of the rule", name))
            .help("rename one of them");
    };
    for (const auto &b : out_.outputs)
      add(b.name, b.span);
    for (const auto &b : out_.inputs)
      add(b.name, b.span);
    for (const auto &l : out_.locals)
      add(l.name, l.span);
  }

  Transform &t_; // gets new sizes for products
  const syntax::Rule &in_;
  source::Diagnostics &d_;
  Rule out_;
};

} // namespace

std::optional<Rule> checkRule(Transform &t, const RuleCopy &rule, source::Diagnostics &d) {
  return RuleChecker(t, rule, d).run();
}

} // namespace pbc::sema
