// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/instance.h"
#include "compiler/emit/dialect/device_c.h"
#include "compiler/loop/build.h"

namespace pbc::emit {
namespace {

loop::Expr foreign(const std::string &text) {
  return loop::make(loop::Expression{loop::Name{loop::Name::Kind::Foreign, text}});
}

} // namespace

StatementPrinter::StatementPrinter(const kernel::Scheduled &kernel, int statement, Used &used)
    : buffers_(loop::matrices(kernel)), builder_(kernel, statement, {.device = true}), used_(used) {}

template <class Print>
std::string StatementPrinter::printed(const Print &print) const {
  const DeviceC dialect;
  CPrinter printer(buffers_, dialect, false, used_);
  return print(printer);
}

std::string StatementPrinter::print(const std::vector<loop::Expr> &dimensions, const std::string &lane,
                                    const std::string &indent) const {
  return printed([&](CPrinter &p) { return p.text(builder_.node(dimensions, foreign(lane)), indent); });
}

std::optional<std::string> StatementPrinter::written(const std::vector<loop::Expr> &dimensions) const {
  const loop::Expr cell = builder_.written(dimensions);
  return cell ? std::optional(printed([&](CPrinter &p) { return p.text(cell); })) : std::nullopt;
}

std::string StatementPrinter::value(const std::vector<loop::Expr> &dimensions) const {
  return printed([&](CPrinter &p) { return p.text(builder_.value(dimensions)); });
}

void StatementPrinter::replaceReads(const std::map<int, std::string> &texts) {
  std::map<int, loop::Expr> by;
  for (const auto &[access, text] : texts)
    by.emplace(access, foreign(text));
  builder_.replaceReads(std::move(by));
}

std::string StatementPrinter::address(int access, const std::vector<loop::Expr> &dimensions) const {
  return printed([&](CPrinter &p) { return p.address(builder_.cell(access, dimensions)); });
}

std::string deviceText(const loop::Expr &e, Used &used) {
  static const std::vector<loop::Matrix> kNone; // the expressions of loops have no cells
  const DeviceC dialect;
  return CPrinter(kNone, dialect, false, used).text(e);
}

} // namespace pbc::emit
