// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/verify.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pbc::sema {

namespace {

/// The names in isl's text of an expression.
std::set<std::string> namesIn(const std::string &isl) {
  std::set<std::string> names;
  std::string word;
  for (const char c : isl + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty() && !std::isdigit(static_cast<unsigned char>(word[0])) && word != "floor")
      names.insert(word);
    word.clear();
  }
  return names;
}

class TransformVerifier {
public:
  TransformVerifier(const Transform &t, std::vector<std::string> &out) : t_(t), out_(out) {
    for (const auto &s : t.sizeNames())
      sizes_.insert(s);
    for (const auto &k : t.tunables)
      if (!k.isFloat)
        sizes_.insert(poly::mangle(k.name));
  }

  void run() {
    header();
    std::set<std::string> labels;
    for (std::size_t i = 0; i < t_.rules.size(); ++i) {
      const Rule &r = t_.rules[i];
      require(r.index == static_cast<int>(i), fmt::format("rule {} has the index {}", i, r.index));
      require(!r.label.empty() && labels.insert(r.label).second,
              fmt::format("the label `{}` is not the rule's own", r.label));
      rule(r);
    }
  }

private:
  void require(bool holds, const std::string &text) {
    if (!holds)
      out_.push_back(t_.name + ": " + text);
  }

  void header() {
    const std::set<std::string> distinct(t_.sizeVariables.begin(), t_.sizeVariables.end());
    require(distinct.size() == t_.sizeVariables.size(), "a size variable is listed twice");
    require(t_.params.size() <= t_.sizeVariables.size() &&
                std::equal(t_.params.begin(), t_.params.end(), t_.sizeVariables.begin()),
            "the params are not the first size variables");
    std::set<std::string> names;
    static constexpr Role order[] = {Role::Input, Role::Output, Role::Through};
    const auto position = [](Role r) { return std::find(std::begin(order), std::end(order), r); };
    for (std::size_t m = 0; m < t_.matrices.size(); ++m) {
      const Matrix &matrix = t_.matrices[m];
      require(names.insert(matrix.name).second, "two matrices are called " + matrix.name);
      require(m == 0 || position(t_.matrices[m - 1].role) <= position(matrix.role),
              "the matrices are not inputs, outputs, through");
      for (const Affine &e : matrix.extents)
        affine(e, sizes_, "an extent of " + matrix.name);
      updated(matrix, static_cast<int>(m));
    }
    for (const Tunable &k : t_.tunables)
      require(k.minimum <= k.initial && k.initial <= k.maximum,
              "the tunable " + k.name + " begins outside its range");
  }

  /// An output that is updated, and the input of its values before the call, name each other.
  void updated(const Matrix &m, int number) {
    const auto isOf = [&](const std::optional<int> &other, Role role, Role ofOther,
                          std::optional<int> Matrix::*back) {
      return !other || (m.role == role && *other >= 0 && *other < static_cast<int>(t_.matrices.size()) &&
                        t_.matrices[*other].role == ofOther && t_.matrices[*other].*back == number &&
                        t_.matrices[*other].rank() == m.rank() && t_.matrices[*other].element == m.element);
    };
    require(isOf(m.before, Role::Output, Role::Input, &Matrix::after) &&
                isOf(m.after, Role::Input, Role::Output, &Matrix::before),
            m.name + " is not updated by another name");
  }

  void affine(const Affine &a, const std::set<std::string> &known, const std::string &what) {
    require(!a.isl.empty() && !a.cxx.empty(), what + " is empty");
    for (const auto &name : namesIn(a.isl))
      require(known.count(name) != 0, fmt::format("{} uses {}, which is nothing", what, name));
  }

  void rule(const Rule &r) {
    require(r.body != nullptr, r.label + " has no body");
    require(!r.outputs.empty(), r.label + " computes nothing");
    require(!r.returnStyle || r.outputs.size() == 1, r.label + " returns a value for several outputs");
    std::set<std::string> known = sizes_;
    for (const auto &v : r.freeVariables)
      require(known.insert(poly::mangle(v)).second, fmt::format("{}: `{}` is not its own", r.label, v));
    for (const auto *list : {&r.outputs, &r.inputs})
      for (const Binding &b : *list) {
        require(b.isOutput == (list == &r.outputs), r.label + " has a region on the wrong side");
        binding(r, b, known);
      }
    for (const Local &l : r.locals)
      for (const Affine &e : l.extents)
        affine(e, known, fmt::format("{}: an extent of {}", r.label, l.name));
    for (const Condition &c : r.where)
      condition(c, known, r.label + ": a condition");
  }

  void condition(const Condition &c, const std::set<std::string> &known, const std::string &what) {
    if (c.kind == Condition::Kind::Relation)
      affine(c.left, known, what), affine(c.right, known, what);
    for (const Condition &part : c.parts)
      condition(part, known, what);
  }

  void binding(const Rule &r, const Binding &b, const std::set<std::string> &known) {
    if (b.matrix < 0 || b.matrix >= static_cast<int>(t_.matrices.size()))
      return require(false, fmt::format("{} has a region of matrix {}", r.label, b.matrix));
    const Matrix &m = t_.matrices[b.matrix];
    const std::string what = r.label + ": a region of " + m.name;
    require(!b.isOutput || m.role != Role::Input, what + " writes an input");
    require(b.begin.size() == m.extents.size() && b.end.size() == m.extents.size(),
            what + " has not one interval per dimension");
    for (const auto *list : {&b.begin, &b.end})
      for (const Affine &a : *list)
        affine(a, known, what);
    require(!b.isCell || b.viewDims.empty(), what + " is a cell with a view");
    for (std::size_t d = 0; d < b.viewDims.size(); ++d)
      require(b.viewDims[d] >= 0 && b.viewDims[d] < m.rank() && (d == 0 || b.viewDims[d - 1] < b.viewDims[d]),
              what + " keeps dimensions that are not the matrix's, in order");
  }

  const Transform &t_;
  std::vector<std::string> &out_;
  std::set<std::string> sizes_; // mangled, with the tunables that may stand in sizes
};

} // namespace

std::vector<std::string> verify(const Module &module) {
  std::vector<std::string> out;
  std::set<std::string> names;
  for (std::size_t i = 0; i < module.transforms.size(); ++i) {
    const Transform &t = module.transforms[i];
    if (t.index != static_cast<int>(i))
      out.push_back(fmt::format("transform {} has the index {}", i, t.index));
    if (!names.insert(t.name).second)
      out.push_back("two transforms are called " + t.name);
    TransformVerifier(t, out).run();
  }
  if (module.mainTransform < 0 || module.mainTransform >= static_cast<int>(module.transforms.size()))
    out.emplace_back("there is no main transform");
  return out;
}

} // namespace pbc::sema
