// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the part of PTX that NVRTC writes: a label or one instruction a line, whose operation begins with its name and ends with its type. In front
// of instructions stands the place of the text that they are for:
//
//   .loc 1 48 11                                               file, line, column
//   .loc 2 127 26, function_name $L_name, inlined_at 1 48 11   of a function that is inlined at a place which a .loc before has named
#include "compiler/emulate/device/machine_code.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>

namespace pbc::emulate {
namespace {

using Kind = CodeInstruction::Kind;

struct Line {
  std::string guard;                              // "%p1" of "@!%p1"
  std::vector<std::string> operation;             // "ld", "global", "v2", "f64"
  std::vector<std::vector<std::string>> operands; // the registers and labels in each
  std::string label;
};

bool isOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' || c == '.';
}

class Scanner {
public:
  explicit Scanner(const std::string &line) : line_(line) {}

  Line read() {
    Line made;
    skip();
    if (at_ < line_.size() && line_[at_] == '@') {
      at_ += line_[at_ + 1] == '!' ? 2 : 1;
      made.guard = name();
    }
    const std::string first = name();
    skip();
    if (at_ < line_.size() && line_[at_] == ':') {
      made.label = first;
      return made;
    }
    made.operation = parts(first);
    made.operands.emplace_back();
    int depth = 0;
    for (; at_ < line_.size() && line_[at_] != ';'; skip()) {
      const char c = line_[at_];
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (c == ',' && depth == 0)
        made.operands.emplace_back();
      if (isOfName(c)) {
        if (const std::string word = name();
            word[0] == '%' || word[0] == '$' || std::isdigit(static_cast<unsigned char>(word[0])))
          made.operands.back().push_back(word);
      } else {
        ++at_;
      }
    }
    return made;
  }

private:
  void skip() {
    while (at_ < line_.size() && std::isspace(static_cast<unsigned char>(line_[at_])))
      ++at_;
  }
  std::string name() {
    skip();
    const std::size_t begin = at_;
    while (at_ < line_.size() && isOfName(line_[at_]))
      ++at_;
    return line_.substr(begin, at_ - begin);
  }
  static std::vector<std::string> parts(const std::string &text) {
    std::vector<std::string> all{""};
    for (const char c : text)
      if (c == '.')
        all.emplace_back();
      else
        all.back() += c;
    return all;
  }

  const std::string &line_;
  std::size_t at_ = 0;
};

int bitsOf(const std::string &type) {
  int bits = 0;
  if (type.size() > 1 && (type[0] == 'f' || type[0] == 's' || type[0] == 'u' || type[0] == 'b'))
    std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return bits;
}

/// Operations of one special instruction and a chain of arithmetic, as machine code has them (selection.h).
int chainOf(const std::string &name, bool isDouble) {
  if (name == "div" || name == "rcp")
    return isDouble ? 10 : 8;
  return isDouble ? 14 : 6; // sqrt
}

/// The line of the kernel's text at which what follows is.
class Places {
public:
  long line() const { return line_; }

  void read(const std::string &loc) {
    const std::vector<long> numbers = numbersOf(loc);
    if (numbers.size() < kNumbers)
      return;
    const Place own = placeAt(numbers, 0);
    inlinedAt_.erase(own);
    if (numbers.size() >= 2 * kNumbers && loc.find("inlined_at") != std::string::npos)
      inlinedAt_[own] = placeAt(numbers, numbers.size() - kNumbers);
    Place outermost = own;
    for (std::size_t k = 0; k < inlinedAt_.size() && inlinedAt_.contains(outermost); ++k)
      outermost = inlinedAt_.at(outermost);
    line_ = outermost[1];
  }

private:
  static constexpr std::size_t kNumbers = 3;
  using Place = std::array<long, kNumbers>; // file, line, column

  static Place placeAt(const std::vector<long> &numbers, std::size_t first) {
    return {numbers[first], numbers[first + 1], numbers[first + 2]};
  }
  /// Those that are words of their own.
  static std::vector<long> numbersOf(const std::string &text) {
    std::vector<long> all;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      long value = 0;
      const char *end = word.data() + word.size() - (word.back() == ',');
      if (const auto read = std::from_chars(word.data(), end, value);
          read.ec == std::errc{} && read.ptr == end)
        all.push_back(value);
    }
    return all;
  }

  std::map<Place, Place> inlinedAt_;
  long line_ = 0;
};

class PtxReader {
public:
  explicit PtxReader(const std::string &kernel) : kernel_(kernel) {}

  Code read(const std::string &text) {
    bool isInside = false;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      if (const std::size_t remark = line.find("//"); remark != std::string::npos)
        line.resize(remark);
      if (line.find(".entry") != std::string::npos)
        isInside = line.find(kernel_ + "(") != std::string::npos || line.ends_with(kernel_), places_ = {};
      const std::size_t first = line.find_first_not_of(" \t{}");
      if (isInside && first != std::string::npos && line.compare(first, 4, ".loc") == 0)
        places_.read(line);
      if (!isInside || first == std::string::npos || line[first] == '.' || line[first] == ')' ||
          line[first] == '(')
        continue;
      instruction(Scanner(line.substr(first)).read(), line);
    }
    for (auto &[k, label] : jumps_) {
      const auto at = labels_.find(label);
      if (at == labels_.end())
        throw std::invalid_argument("a branch leads to " + label + ", which is nowhere");
      code_.instructions[k].target = at->second;
    }
    for (CodeInstruction &i : code_.instructions)
      for (std::vector<int> *all : {&i.reads, &i.writes})
        for (int &r : *all)
          r = find(r);
    code_.instructions.push_back({.kind = Kind::Exit});
    code_.registers = static_cast<int>(registers_.size());
    return std::move(code_);
  }

private:
  std::vector<int> registersOf(const std::vector<std::string> &words) {
    std::vector<int> all;
    for (const std::string &word : words)
      if (word[0] == '%' && word.find('.') == std::string::npos)
        all.push_back(registers_.try_emplace(word, static_cast<int>(registers_.size())).first->second);
    return all;
  }

  void instruction(const Line &line, const std::string &text) {
    if (!line.label.empty()) {
      labels_[line.label] = static_cast<int>(code_.instructions.size());
      return;
    }
    const std::string &name = line.operation.front(), &type = line.operation.back();
    if (name.empty())
      throw std::invalid_argument("this is not understood: " + text);
    CodeInstruction i;
    i.line = places_.line();
    if (!line.guard.empty())
      i.reads = registersOf({line.guard});
    const bool hasResult = name != "st" && name != "bra" && name != "bar" && name != "cp" && name != "red";
    for (std::size_t k = 0; k < line.operands.size(); ++k)
      for (const int r : registersOf(line.operands[k]))
        (k == 0 && hasResult ? i.writes : i.reads).push_back(r);
    const auto has = [&](const char *part) {
      return std::find(line.operation.begin(), line.operation.end(), part) != line.operation.end();
    };
    const int many = has("v2") ? 2 : has("v4") ? 4 : 1;
    if (name == "bra") {
      i.kind = Kind::Branch;
      i.isConditional = !line.guard.empty();
      if (!line.operands.empty() && !line.operands.front().empty())
        jumps_.emplace_back(code_.instructions.size(), line.operands.front().front());
    } else if (name == "ret" || name == "exit") {
      i.kind = Kind::Exit;
      i.isConditional = !line.guard.empty();
    } else if (name == "bar" || name == "barrier") {
      i.kind = Kind::Barrier;
    } else if (name == "cp") { // cp.async.ca.shared.global [to], [from], bytes
      i.kind = has("shared")                          ? Kind::Copy
               : has("wait_all") || has("wait_group") ? Kind::CopyWait
                                                      : Kind::Nothing;
      if (i.kind == Kind::Copy && line.operands.size() > 2 && !line.operands[2].empty())
        i.bytes = std::atoi(line.operands[2].front().c_str());
    } else if (name == "ld" || name == "st") {
      i.bytes = many * bitsOf(type) / 8;
      const bool isLoad = name == "ld";
      i.kind = has("param") || has("const") ? Kind::Nothing
               : has("shared")              ? (isLoad ? Kind::GroupLoad : Kind::GroupStore)
                                            : (isLoad ? Kind::Load : Kind::Store);
    } else if (name == "shfl") {
      i.kind = Kind::Shuffle;
    } else {
      arithmetic(i, name, type);
    }
    code_.instructions.push_back(std::move(i));
  }

  /// What the assembler makes of it: moves and casts of addresses are folded into what uses them.
  void arithmetic(CodeInstruction &i, const std::string &name, const std::string &type) {
    const bool isReal = !type.empty() && type[0] == 'f', isDouble = type == "f64";
    i.unit = isDouble ? GpuUnit::F64 : isReal ? GpuUnit::F32 : GpuUnit::Integer;
    if (name == "mov" || name == "cvta" || name == "and" || name == "setp" || name == "selp") {
      if (name == "mov" || name == "cvta")
        i.kind = Kind::Nothing;
      else
        i.unit = isReal ? i.unit : GpuUnit::Integer;
    } else if (name == "cvt") {
      if (isReal)
        i.unit = GpuUnit::Special;
      else
        i.kind = Kind::Nothing;
    } else if ((name == "div" || name == "sqrt" || name == "rcp") && isReal) {
      CodeInstruction special = i;
      special.unit = GpuUnit::Special;
      code_.instructions.push_back(special);
      i.reads = i.writes;
      i.count = chainOf(name, isDouble);
    } else if ((name == "ex2" || name == "lg2" || name == "sin" || name == "cos" || name == "rsqrt" ||
                name == "tanh") &&
               isReal) {
      i.unit = GpuUnit::Special;
    } else if (!isReal && (name == "div" || name == "rem")) {
      i.count = 20;
    } else if (!isReal && bitsOf(type) == 64 && name == "mul") {
      i.count = 4;
    }
    if (i.kind == Kind::Nothing && i.writes.size() == 1)
      for (const int r : i.reads)
        same_[find(i.writes.front())] = find(r);
  }

  /// A register and those that it is copied to are one, as the assembler has them: so are the values that a loop hands to its next turn.
  int find(int r) {
    while (static_cast<int>(same_.size()) <= r)
      same_.push_back(static_cast<int>(same_.size()));
    while (same_[r] != r)
      r = same_[r] = same_[same_[r]];
    return r;
  }

  const std::string kernel_;
  Code code_;
  Places places_;
  std::map<std::string, int> registers_, labels_;
  std::vector<int> same_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
};

} // namespace

Code codeOfPtx(const std::string &text, const std::string &kernel) { return PtxReader(kernel).read(text); }

} // namespace pbc::emulate
