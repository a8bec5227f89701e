// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/in_place.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::sema {
namespace {

bool isSame(const std::vector<Affine> &a, const std::vector<Affine> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Affine &x, const Affine &y) { return x.isl == y.isl; });
}

bool isSame(const Matrix &a, const Matrix &b) {
  const bool sameFirst = a.firstVersion && b.firstVersion ? a.firstVersion->isl == b.firstVersion->isl
                                                          : !a.firstVersion && !b.firstVersion;
  return a.element == b.element && a.isVersioned == b.isVersioned && sameFirst &&
         isSame(a.extents, b.extents);
}

bool hasMatrix(const std::vector<syntax::MatrixDecl> &list, const std::string &name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const syntax::MatrixDecl &m) { return m.name.text == name; });
}

} // namespace

std::string nameBefore(const std::string &matrix) { return "old " + matrix; }

bool isUpdated(const syntax::Transform &t, const std::string &matrix) {
  return hasMatrix(t.from, matrix) && hasMatrix(t.to, matrix);
}

void connectUpdated(Transform &t, source::Diagnostics &diagnostics) {
  for (std::size_t o = 0; o < t.matrices.size(); ++o) {
    Matrix &output = t.matrices[o];
    const Matrix *input = output.role == Role::Output ? t.find(nameBefore(output.name)) : nullptr;
    if (!input)
      continue;
    if (!isSame(*input, output))
      diagnostics
          .error(output.span, fmt::format("`{}` is another matrix in `to` than in `from`", output.name))
          .note(input->span, "the input is declared here")
          .help(
              "a matrix that a transform updates has the same sizes, versions and elements in both; give the "
              "output a name of its own if it is another one");
    const auto i = static_cast<std::size_t>(input - t.matrices.data());
    output.before = static_cast<int>(i);
    t.matrices[i].after = static_cast<int>(o);
  }
}

std::optional<int> matrixBefore(const Transform &t, int matrix, const syntax::Region &region,
                                source::Diagnostics &diagnostics) {
  const Matrix &m = t.matrices[static_cast<std::size_t>(matrix)];
  if (m.before)
    return m.before;
  diagnostics
      .error(*region.old,
             fmt::format("`old` is for matrices that `{}` updates, and `{}` is none", t.family, m.name))
      .note(m.span, "declared here")
      .help(m.role == Role::Input
                ? "inputs do not change: leave `old` out"
                : "only a matrix that is both in `from` and in `to` has values before the call");
  return std::nullopt;
}

void readOwnBefore(const Transform &t, Rule &rule) {
  for (Binding &input : rule.inputs) {
    const std::optional<int> before = t.matrices[static_cast<std::size_t>(input.matrix)].before;
    if (before && std::any_of(rule.outputs.begin(), rule.outputs.end(), [&](const Binding &output) {
          return output.matrix == input.matrix && isSame(output.begin, input.begin) &&
                 isSame(output.end, input.end);
        }))
      input.matrix = *before;
  }
}

} // namespace pbc::sema
