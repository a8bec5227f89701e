// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/page_parts.h"

#include "tuner/report/page_style.h"

#include <fmt/format.h>

namespace pbc::tuner {

Table::Table(const std::string &caption, const std::vector<std::string> &heads, std::vector<bool> isNumber)
    : isNumber_(std::move(isNumber)) {
  text_ = "<div class=\"wide\"><table><caption>" + escaped(caption) + "</caption><thead><tr>";
  for (std::size_t i = 0; i < heads.size(); ++i)
    text_ += fmt::format("<th scope=\"col\"{}>{}</th>", numberClass(i), escaped(heads[i]));
  text_ += "</tr></thead><tbody>\n";
}

void Table::row(const std::vector<std::string> &cells) {
  text_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i)
    text_ += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", escaped(cells[i]))
                    : fmt::format("<td{}>{}</td>", numberClass(i), escaped(cells[i]));
  text_ += "</tr>\n";
  ++rows_;
}

std::string pageBegin(const std::string &title) {
  return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                     "<title>{}</title><link rel=\"icon\" href=\"data:,\"><style>{}</style></head><body>\n"
                     "<main><h1>{}</h1>\n",
                     escaped(title), kPageStyle, escaped(title));
}

} // namespace pbc::tuner
