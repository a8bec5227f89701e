// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Preprocesses and parses text in memory; shared by the tests of the front end.
#pragma once
#include "compiler/syntax/parse.h"
#include <gtest/gtest.h>

namespace pbc::syntax {

struct Front {
  using Files = std::vector<std::pair<std::string, std::string>>;

  /// `others`: files that can be included.
  explicit Front(const std::string &text, const Files &others = {}, const Files &defines = {},
                 const std::vector<std::string> &path = {})
      : diagnostics(sources) {
    main = sources.add("t.pbcc", text);
    for (const auto &[name, content] : others)
      sources.add(name, content);
    mapped = preprocess(sources, main, diagnostics, defines, path);
    program = parse(mapped, main, diagnostics);
  }

  std::string tree() const { return print(program); }
  std::string messages() const { return diagnostics.render(); }
  /// The messages alone, one per line: "LINE:COLUMN text".
  std::string brief() const {
    std::string out;
    for (const auto &d : diagnostics.all()) {
      auto at = sources.position(d->span.file, d->span.begin);
      out += std::to_string(at.line) + ":" + std::to_string(at.column) + " " + d->message + "\n";
    }
    return out;
  }

  source::SourceManager sources;
  source::Diagnostics diagnostics;
  source::FileId main = 0;
  source::MappedText mapped;
  Program program;
};

} // namespace pbc::syntax
