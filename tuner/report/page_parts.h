// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The building blocks of report pages.
//
//   text = pageBegin("Tuning of ./sort") + table.done() + kPageEnd
#pragma once
#include "tuner/report/canvas.h"

namespace pbc::tuner {

/// A table that is built row by row; the first cell of each row is its header.
class Table {
public:
  Table(const std::string &caption, const std::vector<std::string> &heads, std::vector<bool> isNumber = {});
  void row(const std::vector<std::string> &cells);
  bool isEmpty() const { return rows_ == 0; }
  std::string done() const { return text_ + "</tbody></table></div>\n"; }

private:
  const char *numberClass(std::size_t column) const {
    return column < isNumber_.size() && isNumber_[column] ? " class=\"number\"" : "";
  }
  std::vector<bool> isNumber_;
  std::string text_;
  int rows_ = 0;
};

/// The page up to and including its heading; the page loads nothing.
std::string pageBegin(const std::string &title);
inline constexpr const char *kPageEnd = "</main></body></html>\n";

} // namespace pbc::tuner
