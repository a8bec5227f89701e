// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The text as ANTLR's lexer reads it.
#pragma once
#include <PbccLexer.h>
#include <string_view>

namespace pbc::syntax {

/// One "character" per byte, so that positions are byte offsets and no byte is invalid.
class ByteStream : public antlr4::ANTLRInputStream {
public:
  explicit ByteStream(std::string_view text) {
    _data.resize(text.size());
    for (std::size_t i = 0; i < text.size(); ++i)
      _data[i] = static_cast<unsigned char>(text[i]);
  }
};

} // namespace pbc::syntax
