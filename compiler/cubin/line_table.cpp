// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/cubin/line_table.h"
#include <algorithm>

namespace pbc::cubin {
namespace {

/// Reads numbers one after the other.
class Cursor {
public:
  Cursor(const Bytes &bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  template <class Number>
  Number number() {
    const auto value = bytes_.number<Number>(at_);
    at_ += sizeof(Number);
    return value;
  }
  /// Of any length, seven bits in a byte.
  std::uint64_t variable() {
    std::uint64_t value = 0;
    readVariable(value);
    return value;
  }
  std::int64_t signedVariable() {
    std::uint64_t value = 0;
    const auto [last, bits] = readVariable(value);
    const bool isNegative = (last & 0x40) != 0 && bits < 64;
    return static_cast<std::int64_t>(isNegative ? value | ~std::uint64_t(0) << bits : value);
  }
  std::size_t at() const { return at_; }
  void moveTo(std::size_t at) { at_ = at; }

private:
  std::pair<std::uint8_t, unsigned> readVariable(std::uint64_t &value) {
    for (unsigned bits = 0;;) {
      const auto byte = number<std::uint8_t>();
      if (bits < 64)
        value |= std::uint64_t(byte & 0x7f) << bits;
      bits = std::min(bits + 7, 64U);
      if ((byte & 0x80) == 0)
        return {byte, bits};
    }
  }

  const Bytes &bytes_;
  std::size_t at_;
};

/// Carries out the program of one unit.
class LineProgram {
public:
  LineProgram(const Bytes &section, std::size_t at, std::size_t end) : cursor_(section, at), end_(end) {}

  std::vector<LineSequence> run() {
    if (cursor_.number<std::uint16_t>() != kVersion)
      return {};
    const auto headBytes = cursor_.number<std::uint32_t>();
    const std::size_t code = cursor_.at() + headBytes;
    step_ = cursor_.number<std::uint8_t>();
    cursor_.number<std::uint8_t>(); // rows begin as statements
    firstLine_ = cursor_.number<std::int8_t>();
    lines_ = cursor_.number<std::uint8_t>();
    firstSpecial_ = cursor_.number<std::uint8_t>();
    if (lines_ == 0 || firstSpecial_ == 0)
      throw Unreadable("its table of lines has no operations");
    std::vector<std::uint8_t> operands;
    for (int k = 1; k < firstSpecial_; ++k)
      operands.push_back(cursor_.number<std::uint8_t>());
    for (cursor_.moveTo(code); cursor_.at() < end_;)
      if (const int operation = cursor_.number<std::uint8_t>(); operation >= firstSpecial_)
        special(operation);
      else if (operation == 0)
        extended();
      else
        standard(operation, operands[static_cast<std::size_t>(operation - 1)]);
    return std::move(made_);
  }

private:
  static constexpr int kVersion = 2;

  /// A row as the table has it: its line may be one of another function that is inlined at an earlier row.
  struct Written {
    std::uint64_t line, inlinedAt; // from 1 on; 0: nowhere
  };

  void special(int operation) {
    const int rest = operation - firstSpecial_;
    place_ += static_cast<std::uint64_t>(rest / lines_ * step_);
    line_ += static_cast<std::uint64_t>(firstLine_ + rest % lines_);
    row();
  }

  void standard(int operation, int operands) {
    switch (operation) {
    case 1: // copy
      row();
      break;
    case 2: // advance_pc
      place_ += cursor_.variable() * static_cast<std::uint64_t>(step_);
      break;
    case 3: // advance_line
      line_ += static_cast<std::uint64_t>(cursor_.signedVariable());
      break;
    case 8: // const_add_pc
      place_ += static_cast<std::uint64_t>((255 - firstSpecial_) / lines_ * step_);
      break;
    case 9: // fixed_advance_pc
      place_ += cursor_.number<std::uint16_t>();
      break;
    default: // a file, a column, and what else no instruction depends on
      for (int k = 0; k < operands; ++k)
        cursor_.variable();
    }
  }

  void extended() {
    const std::uint64_t bytes = cursor_.variable();
    const std::size_t end = cursor_.at() + bytes;
    if (bytes == 0 || end > end_)
      throw Unreadable("its table of lines is cut off");
    switch (cursor_.number<std::uint8_t>()) {
    case 1: // end_sequence
      row();
      made_.push_back(std::move(sequence_));
      sequence_ = {};
      written_.clear();
      place_ = 0, line_ = 1, inlinedAt_ = 0;
      break;
    case 2: // set_address
      sequence_.addressAt = cursor_.at();
      place_ = 0;
      break;
    case 0x90: // inlined_call, by NVIDIA
      inlinedAt_ = cursor_.variable();
      break;
    default:
      break;
    }
    cursor_.moveTo(end);
  }

  void row() {
    written_.push_back({line_, inlinedAt_});
    std::size_t outermost = written_.size();
    while (written_[outermost - 1].inlinedAt > 0 && written_[outermost - 1].inlinedAt < outermost)
      outermost = written_[outermost - 1].inlinedAt;
    sequence_.rows.push_back(
        {static_cast<long>(place_), std::max(static_cast<long>(written_[outermost - 1].line), 0L)});
  }

  Cursor cursor_;
  std::size_t end_;
  int step_ = 1, firstLine_ = 0, lines_ = 1, firstSpecial_ = 1;
  std::uint64_t place_ = 0, line_ = 1, inlinedAt_ = 0; // sums may be anything in a damaged table
  std::vector<Written> written_;
  LineSequence sequence_;
  std::vector<LineSequence> made_;
};

} // namespace

std::vector<LineSequence> lineTable(const Bytes &section) {
  std::vector<LineSequence> all;
  for (std::size_t at = 0; at < section.size();) {
    const auto bytes = section.number<std::uint32_t>(at);
    at += sizeof(bytes);
    const std::size_t end = at + section.part(at, bytes).size();
    std::ranges::move(LineProgram(section, at, end).run(), std::back_inserter(all));
    at = end;
  }
  return all;
}

long lineAt(const LineSequence &sequence, long place) {
  const auto behind = std::ranges::upper_bound(sequence.rows, place, {}, &LineSequence::Row::place);
  return behind == sequence.rows.begin() ? 0 : (behind - 1)->line;
}

} // namespace pbc::cubin
