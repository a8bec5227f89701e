// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints statements as C++: expression trees with element accesses, for one place in the loop nest.
#pragma once
#include "compiler/kernel/schedule.h"
#include <map>
#include <optional>
#include <set>

namespace pbc::emit {

/// The names that the bodies use, collected while they are printed: the function's prologue declares them.
struct Used {
  std::set<std::string> values;          // sizes and tunables, as `<name>_v`
  std::set<int> buffers;                 // matrices
  std::set<std::pair<int, int>> strides; // (buffer, dimension)
  int tasks = 0;                         // low0 .. and high0 .. below this
  std::set<std::string> vectorFunctions; // declarations, `pb_vector_exp(double)` (build/vector_math.h)
};

/// Maps names of isl to emitted names. The loop printer uses the iterators "pb__c0" and the task limits
/// "pb__low0"; everything else is a size or tunable and becomes `v_<name>`, so that no name of a program can
/// clash with emitted names.
std::string emittedName(const std::string &islName, Used &);

/// A function of a statement's dimensions, ready to be printed at any instance.
isl::ast_expr indexExpression(const isl::pw_aff &, const isl::set &domain);

class StatementPrinter {
public:
  /// `vectorMath`: functions of <math.h> are called in the form that has vector versions.
  StatementPrinter(const kernel::Scheduled &kernel, int statement, bool unitStride, bool vectorMath,
                   Used &used);

  /// `dimensions`: the statement's dimensions as C++ at this place. `localIndices[access]`: index into a
  /// Local's array.
  std::string print(const std::vector<std::string> &dimensions, const std::string &lane,
                    const std::string &indent) const;
  /// The same for the points (pb__y + r, pb__x + v * W) of a block in registers. `panels`, by access: how the
  /// element of a strip is addressed; "" if the cell is read in place.
  std::string printBlock(const std::vector<std::string> &dimensions, const std::vector<std::string> &panels,
                         const std::string &indent) const;
  /// The matrix element that the statement writes; nothing if it is a call or writes a scalar of its body.
  std::optional<std::string> written(const std::vector<std::string> &dimensions) const;
  /// The value that an assignment writes there, in the element's type.
  std::string value(const std::vector<std::string> &dimensions, const std::string &lane = "0") const;
  /// The type of the element that it writes: "double".
  std::string type() const;
  /// Whether calls use the device version of a body (body/device_body.h).
  void printsForDevice(bool does) { forDevice_ = does; }
  /// Texts that replace some reads, by access, from now on.
  void replaceReads(std::map<int, std::string> texts) { replaced_ = std::move(texts); }
  /// The address of the cell of an access.
  std::string address(int access, const std::vector<std::string> &dimensions) const;

private:
  struct At {
    const std::vector<std::string> &dimensions;
    const std::string &lane;
  };
  struct Text {
    std::string text;
    bool atom;
  };
  std::string index(const isl::ast_expr &, const At &) const;
  std::string offset(int buffer, const std::vector<isl::ast_expr> &indices, const At &) const;
  std::string placeInCopy(const kernel::Buffer &, const std::vector<isl::ast_expr> &indices,
                          const At &) const;
  std::string element(int access, const At &) const;
  Text expr(const kernel::Expr &, const At &) const;
  std::string operand(const kernel::ExprPtr &, const At &) const;
  std::string call(const At &, const std::string &indent) const;
  std::string deviceCall(const At &, const std::string &indent) const;
  std::string firstCell(std::size_t argument, const At &) const;
  std::string blockValue(const kernel::ExprPtr &, const At &, const std::vector<std::string> &panels) const;
  std::string function(const kernel::Expr &call) const;

  const kernel::Scheduled &kernel_;
  const kernel::Statement &statement_;
  bool unitStride_, vectorMath_, forDevice_ = false;
  Used &used_;
  std::map<int, std::string> replaced_;
  std::vector<std::vector<isl::ast_expr>> indices_;          // per access
  std::vector<std::vector<isl::ast_expr>> begins_, extents_; // per argument of an opaque statement
};

} // namespace pbc::emit
