// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// --memory, --element and --stream: the size of the fast memory whose transfers are counted, in the user's
// units.
//
//   --memory=65536               words
//   --memory=64K --element=4     65536 bytes, that is 16384 words
//   (none)                       this machine's second-level cache
//
// "64 KB" in a publication may mean 65536 words (cost-models.md, E7): so a plain number is words, one with a
// unit is bytes, and every answer prints both.
#pragma once
#include "runtime/abi/data_movement.h"

#include <string>

namespace CLI {
class App;
}

namespace pbc::model {

struct FastMemoryOptions {
  std::string memory;
  long element = 8; // bytes of a word
  long stream = 0;

  void addTo(CLI::App &);
  /// Throws Problem if the text is not the size of a memory.
  pb::FastMemory value() const;
  /// "65536 words of 8 bytes (512 KiB)"
  std::string text() const;
  /// A number of words in bytes: "512 KiB", "1.5 MiB".
  std::string bytes(long words) const;
};

} // namespace pbc::model
