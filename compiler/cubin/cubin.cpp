// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/cubin/cubin.h"
#include "compiler/cubin/bytes.h"
#include "compiler/cubin/line_table.h"
#include <map>

namespace pbc::cubin {
namespace {

struct Section {
  std::string name;
  std::size_t at = 0, size = 0;
  bool hasBytes = true;
  unsigned link = 0;
};

class Reader {
public:
  explicit Reader(const std::string &bytes) : file_(bytes) {}

  std::vector<Function> read() {
    constexpr unsigned kCuda = 190; // the machine's number
    if (file_.size() < 64 ||
        file_.part(0, 5) != std::string_view("\x7f"
                                             "ELF\x02",
                                             5) ||
        file_.number<std::uint16_t>(0x12) != kCuda)
      throw Unreadable("it is no machine code for CUDA");
    architecture_ = static_cast<int>(file_.number<std::uint32_t>(0x30) >> 8 & 0xff);
    readSections();
    readSymbols();
    readLines();
    std::vector<Function> all;
    for (const Section &s : sections_)
      if (s.name.starts_with(kText) && s.hasBytes)
        all.push_back(function(s));
    return all;
  }

private:
  static constexpr std::string_view kText = ".text.", kShared = ".nv.shared.", kInfo = ".nv.info",
                                    kLines = ".debug_line";

  void readSections() {
    const auto table = file_.number<std::uint64_t>(0x28);
    const std::size_t each = file_.number<std::uint16_t>(0x3a), count = file_.number<std::uint16_t>(0x3c),
                      names = file_.number<std::uint16_t>(0x3e);
    std::vector<std::uint32_t> nameAt;
    for (std::size_t k = 0; k < count; ++k) {
      const Bytes head(file_.part(table + k * each, 64));
      constexpr std::uint32_t kNoBytes = 8;
      nameAt.push_back(head.number<std::uint32_t>(0));
      sections_.push_back({"", head.number<std::uint64_t>(0x18), head.number<std::uint64_t>(0x20),
                           head.number<std::uint32_t>(4) != kNoBytes, head.number<std::uint32_t>(0x28)});
    }
    const Bytes text = contents(names);
    for (std::size_t k = 0; k < count; ++k)
      sections_[k].name = text.name(nameAt[k]);
  }

  Bytes contents(std::size_t section) const {
    if (section >= sections_.size())
      throw Unreadable("it refers to a section that it does not have");
    return Bytes(file_.part(sections_[section].at, sections_[section].size));
  }

  /// The names of the symbols, by number.
  void readSymbols() {
    constexpr std::size_t kEach = 24;
    for (std::size_t k = 0; k < sections_.size(); ++k)
      if (sections_[k].name == ".symtab") {
        const Bytes table = contents(k), names = contents(sections_[k].link);
        for (std::size_t at = 0; at + kEach <= table.size(); at += kEach)
          symbols_.push_back(names.name(table.number<std::uint32_t>(at)));
      }
    for (std::size_t k = 0; k < sections_.size(); ++k)
      if (sections_[k].name == kInfo)
        readInfo(contents(k));
  }

  /// Attributes: a byte for the form, one for the kind, and two with the value, or with the length of what follows.
  void readInfo(const Bytes &info) {
    constexpr int kSized = 4, kRegisters = 0x2f, kFrame = 0x11;
    for (std::size_t at = 0; at + 4 <= info.size();) {
      const int form = info.number<std::uint8_t>(at), kind = info.number<std::uint8_t>(at + 1);
      const std::size_t size = form == kSized ? info.number<std::uint16_t>(at + 2) : 0;
      if (form == kSized && size == 8 && (kind == kRegisters || kind == kFrame)) {
        const auto symbol = info.number<std::uint32_t>(at + 4);
        if (symbol < symbols_.size())
          (kind == kRegisters ? registers_ : frames_)[symbols_[symbol]] = info.number<std::uint32_t>(at + 8);
      }
      at += 4 + size;
    }
  }

  /// Which function each sequence of lines is for, a relocation of its address says: 16 bytes each, from sm_90 on 24.
  void readLines() {
    std::map<std::size_t, std::string> functions; // by the places of addresses
    for (const auto &[name, each] : {std::pair{".rel.debug_line", 16U}, {".rela.debug_line", 24U}})
      for (std::size_t k = 0; k < sections_.size(); ++k)
        if (sections_[k].name == name) {
          const Bytes table = contents(k);
          for (std::size_t at = 0; at + each <= table.size(); at += each)
            if (const auto symbol = table.number<std::uint32_t>(at + 12); symbol < symbols_.size())
              functions[table.number<std::uint64_t>(at)] = symbols_[symbol];
        }
    for (std::size_t k = 0; k < sections_.size(); ++k)
      if (sections_[k].name == kLines)
        for (LineSequence &sequence : lineTable(contents(k)))
          if (const auto at = functions.find(sequence.addressAt); at != functions.end())
            lines_[at->second] = std::move(sequence);
  }

  Function function(const Section &text) const {
    Function made;
    made.name = text.name.substr(kText.size());
    made.architecture = architecture_;
    if (const auto at = registers_.find(made.name); at != registers_.end())
      made.registers = static_cast<int>(at->second);
    if (const auto at = frames_.find(made.name); at != frames_.end())
      made.localBytes = at->second;
    for (const Section &s : sections_)
      if (s.name == std::string(kShared) + made.name)
        made.groupBytes = static_cast<long>(s.size);
    const Bytes words(file_.part(text.at, text.size));
    constexpr std::size_t kEach = 16;
    for (std::size_t at = 0; at + kEach <= words.size(); at += kEach)
      made.instructions.push_back(
          decode({words.number<std::uint64_t>(at), words.number<std::uint64_t>(at + 8)},
                 static_cast<long>(at), architecture_));
    if (const auto lines = lines_.find(made.name); lines != lines_.end())
      for (Instruction &i : made.instructions)
        i.line = lineAt(lines->second, i.place);
    // Behind the last instruction is a branch to itself, and then padding.
    const auto isPadding = [](const Instruction &i) {
      return i.kind == Kind::Padding || (i.kind == Kind::Branch && i.target == i.place);
    };
    while (!made.instructions.empty() && isPadding(made.instructions.back()))
      made.instructions.pop_back();
    return made;
  }

  Bytes file_;
  int architecture_ = 0;
  std::vector<Section> sections_;
  std::vector<std::string> symbols_;
  std::map<std::string, std::uint32_t> registers_, frames_;
  std::map<std::string, LineSequence> lines_; // by function
};

} // namespace

std::vector<Function> readCubin(const std::string &bytes) { return Reader(bytes).read(); }

} // namespace pbc::cubin
