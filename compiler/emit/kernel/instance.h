// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements as text in the dialect of devices, for the printers of devices, which make their loops themselves: what a
// statement computes is an expression of the loop tree (loop/statement.h).
#pragma once
#include "compiler/emit/dialect/c_printer.h"
#include "compiler/loop/statement.h"

namespace pbc::emit {

class StatementPrinter {
public:
  StatementPrinter(const kernel::Scheduled &kernel, int statement, Used &used);

  /// `dimensions`: values of the statement's dimensions at this place. `lane`: index into a Local's array.
  std::string print(const std::vector<loop::Expr> &dimensions, const std::string &lane,
                    const std::string &indent) const;
  /// The matrix element that the statement writes; nothing if it is a call or writes a scalar of its body.
  std::optional<std::string> written(const std::vector<loop::Expr> &dimensions) const;
  /// The value that an assignment writes there, in the element's type.
  std::string value(const std::vector<loop::Expr> &dimensions) const;
  /// Texts that replace some reads, by access, from now on.
  void replaceReads(const std::map<int, std::string> &texts);
  /// The address of the cell of an access.
  std::string address(int access, const std::vector<loop::Expr> &dimensions) const;

private:
  template <class Print>
  std::string printed(const Print &) const;

  std::vector<loop::Matrix> buffers_;
  loop::StatementBuilder builder_;
  Used &used_;
};

/// An expression of whole numbers in the dialect of devices.
std::string deviceText(const loop::Expr &, Used &);

} // namespace pbc::emit
