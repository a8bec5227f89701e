// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks structures of matrices: `structure A is symmetric lower, unchecked;`.
#include "compiler/sema/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::sema {
namespace {

class StructureChecker {
public:
  StructureChecker(const TransformCopy &copy, Transform &t, source::Diagnostics &diagnostics)
      : copy_(copy), t_(t), diagnostics_(diagnostics) {}

  void check() {
    for (const syntax::Structure &written : copy_.header.structures)
      if (Matrix *matrix = matrixOf(written))
        add(written, *matrix);
  }

private:
  using Half = Structure::Half;

  Matrix *matrixOf(const syntax::Structure &written) {
    const auto found = std::find_if(t_.matrices.begin(), t_.matrices.end(),
                                    [&](const Matrix &m) { return m.name == written.matrix.text; });
    if (found == t_.matrices.end()) {
      std::vector<std::string> inputs;
      for (const Matrix &m : t_.matrices)
        if (m.role == Role::Input)
          inputs.push_back(m.name);
      auto &error = diagnostics_.error(
          written.matrix.span, fmt::format("`{}` has no matrix `{}`", t_.family, written.matrix.text));
      if (const std::string meant = nearest(written.matrix.text, inputs); !meant.empty())
        error.help(meant);
      if (!inputs.empty())
        error.help(fmt::format("its inputs are {}", fmt::join(inputs, ", ")));
      return nullptr;
    }
    if (found->role != Role::Input)
      return refuse(written, *found, "it is computed, and rules write all of its cells");
    if (found->rank() != 2 || found->isVersioned)
      return refuse(written, *found, "only matrices of two dimensions have one");
    if (found->structure) {
      diagnostics_.error(written.span, fmt::format("`{}` has two structures", found->name))
          .note(found->structure->span, "the other one is here")
          .help("say all in one: `structure A is lower_triangular, unit_diagonal;`");
      return nullptr;
    }
    return &*found;
  }

  Matrix *refuse(const syntax::Structure &written, const Matrix &matrix, const char *why) {
    diagnostics_.error(written.matrix.span, fmt::format("`{}` cannot have a structure: {}", matrix.name, why))
        .note(matrix.span, "declared here");
    return nullptr;
  }

  void add(const syntax::Structure &written, Matrix &matrix) {
    Structure made;
    made.span = written.span;
    for (const syntax::Structure::Kind &kind : written.kinds)
      if (!add(kind, made))
        return;
    if (made.isMirrored && made.band && made.band->first.isl != made.band->second.isl) {
      diagnostics_
          .error(written.span, "a symmetric matrix has as many diagonals above the main one as below it")
          .help("`banded(1, 1)` for three diagonals, also where one half is stored");
      return;
    }
    if (made.isMirrored && matrix.extents[0].isl != matrix.extents[1].isl) {
      diagnostics_
          .error(written.span, fmt::format("`{}` cannot be symmetric: it is {} wide and {} high", matrix.name,
                                           matrix.extents[0].written, matrix.extents[1].written))
          .note(matrix.span, "declared here");
      return;
    }
    matrix.structure = std::move(made);
  }

  bool add(const syntax::Structure::Kind &kind, Structure &made) {
    std::string words;
    for (const Identifier &word : kind.words)
      words += (words.empty() ? "" : " ") + word.text;
    if (words == "banded" && kind.arguments.size() == 2)
      return band(kind, made);
    if (!kind.arguments.empty() || words == "banded") {
      diagnostics_
          .error(kind.span, words == "banded" ? "`banded` takes two numbers of diagonals"
                                              : fmt::format("`{}` takes no arguments", words))
          .help("`banded(1, 2)` has one diagonal below the main one and two above it");
      return false;
    }
    if (words == "lower_triangular" || words == "upper_triangular")
      return half(kind, made, words == "lower_triangular" ? Half::Lower : Half::Upper, false);
    if (words == "symmetric" || words == "symmetric lower" || words == "symmetric upper")
      return half(kind, made,
                  words == "symmetric"         ? Half::All
                  : words == "symmetric lower" ? Half::Lower
                                               : Half::Upper,
                  true);
    bool *const flag = words == "unit_diagonal" ? &made.isUnit
                       : words == "transposed"  ? &made.isTransposed
                       : words == "unchecked"   ? &made.isUnchecked
                                                : nullptr;
    if (flag) {
      // Macros write `unchecked` where they have nothing else to say.
      if (*flag && words != "unchecked")
        return twice(kind, words);
      *flag = true;
      return true;
    }
    static const std::vector<std::string> kWords{"lower_triangular", "upper_triangular", "symmetric",
                                                 "symmetric lower",  "symmetric upper",  "unit_diagonal",
                                                 "transposed",       "unchecked"};
    auto &error = diagnostics_.error(kind.span, fmt::format("no structure is called `{}`", words));
    if (const std::string meant = nearest(words, kWords); !meant.empty())
      error.help(meant);
    error.help(fmt::format("the structures are {} and banded(below, above)", fmt::join(kWords, ", ")));
    return false;
  }

  bool twice(const syntax::Structure::Kind &kind, const std::string &word) {
    diagnostics_.error(kind.span, fmt::format("`{}` is said twice of this matrix", word)).help("remove one");
    return false;
  }

  bool half(const syntax::Structure::Kind &kind, Structure &made, Half stored, bool isMirrored) {
    if (made.stored != Half::All || made.isMirrored) {
      diagnostics_
          .error(kind.span, "a matrix is either triangular or symmetric, and one half of it is stored")
          .help("a diagonal matrix is `banded(0, 0)`");
      return false;
    }
    made.stored = stored, made.isMirrored = isMirrored;
    return true;
  }

  bool band(const syntax::Structure::Kind &kind, Structure &made) {
    if (made.band)
      return twice(kind, "banded");
    const auto known = [&](const std::string &name, Span span) {
      if (!mayBeIndex(t_, name, span, diagnostics_))
        return false;
      const bool isKnown =
          std::find(t_.sizeVariables.begin(), t_.sizeVariables.end(), name) != t_.sizeVariables.end() ||
          std::any_of(t_.tunables.begin(), t_.tunables.end(),
                      [&](const Tunable &k) { return k.name == name; });
      if (!isKnown)
        diagnostics_.error(span, fmt::format("`{}` is no size of `{}`", name, t_.family))
            .help(nearest(name, t_.sizeVariables));
      return isKnown;
    };
    const auto products = [&](const std::vector<std::string> &factors) { return productOf(t_, factors); };
    auto below = affine(*kind.arguments[0], known, products, diagnostics_),
         above = affine(*kind.arguments[1], known, products, diagnostics_);
    if (!below || !above)
      return false;
    made.band = std::pair(std::move(*below), std::move(*above));
    return true;
  }

  const TransformCopy &copy_;
  Transform &t_;
  source::Diagnostics &diagnostics_;
};

} // namespace

void checkStructures(const TransformCopy &copy, Transform &t, source::Diagnostics &diagnostics) {
  StructureChecker(copy, t, diagnostics).check();
}

} // namespace pbc::sema
