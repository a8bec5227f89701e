// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/cubin/elf.h"

namespace pbc::cubin {
namespace {

template <class Number>
void put(std::string &to, Number value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

struct Part {
  std::string name, bytes;
  std::uint32_t type = 1, link = 0;
  std::uint64_t size = 0; // of a section without bytes
};

void attribute(std::string &info, std::uint8_t kind, std::uint32_t symbol, std::uint32_t value) {
  put<std::uint8_t>(info, 4);
  put(info, kind);
  put<std::uint16_t>(info, 8);
  put(info, symbol);
  put(info, value);
}

} // namespace

std::string elf(const Written &w) {
  std::string text, info, symbols(24, '\0'), symbolNames = std::string(1, '\0') + w.kernel + '\0';
  for (const Word &word : w.words)
    put(text, word[0]), put(text, word[1]);
  attribute(info, 0x2f, 1, w.registers);
  attribute(info, 0x11, 1, w.frame);
  put<std::uint32_t>(symbols, 1);
  symbols += std::string(20, '\0');
  std::vector<Part> parts = {{},
                             {".shstrtab", "", 3},
                             {".strtab", symbolNames, 3},
                             {".symtab", symbols, 2, 2},
                             {".nv.info", info, 0x70000000},
                             {".text." + w.kernel, text},
                             {".nv.shared." + w.kernel, "", 8, 0, w.groupBytes}};
  if (!w.lines.empty()) {
    std::string relocation;
    put<std::uint64_t>(relocation, w.addressAt);
    put<std::uint32_t>(relocation, 2), put<std::uint32_t>(relocation, 1);
    put<std::uint64_t>(relocation, 0);
    parts.push_back({".debug_line", w.lines});
    parts.push_back({".rela.debug_line", relocation, 4, 3});
  }
  std::string names, file(64, '\0'), table;
  for (const Part &p : parts)
    names += p.name + '\0';
  parts[1].bytes = names;
  std::uint32_t nameAt = 0;
  for (const Part &p : parts) {
    put(table, nameAt);
    put(table, p.type);
    put<std::uint64_t>(table, 0), put<std::uint64_t>(table, 0);
    put<std::uint64_t>(table, file.size());
    put<std::uint64_t>(table, p.bytes.empty() ? p.size : p.bytes.size());
    put(table, p.link);
    put<std::uint32_t>(table, 0), put<std::uint64_t>(table, 1), put<std::uint64_t>(table, 0);
    file += p.bytes;
    nameAt += static_cast<std::uint32_t>(p.name.size()) + 1;
  }
  std::string head = "\x7f"
                     "ELF\x02";
  head.resize(0x12, '\0');
  put<std::uint16_t>(head, 190);
  head.resize(0x28, '\0');
  put<std::uint64_t>(head, file.size());
  put<std::uint32_t>(head, w.architecture << 8);
  head.resize(0x3a, '\0');
  put<std::uint16_t>(head, 64), put<std::uint16_t>(head, static_cast<std::uint16_t>(parts.size()));
  put<std::uint16_t>(head, 1);
  return file.replace(0, 64, head) + table;
}

} // namespace pbc::cubin
