// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a syntax tree from a source file: preprocesses (include, define, conditionals), lexes, and parses
// with ANTLR.
//
//   in:  a .pbcc file                      out: syntax::Program, spans into the files as the user wrote them
//
// Errors: all syntax errors are reported, each with its place; the tree then has what could be read. It never
// throws and never hangs (include depth and expansion are bounded), whatever the bytes are.
#pragma once
#include "compiler/script/adaptor.h"
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::syntax {

/// Directives carried out and macros expanded (language reference 1.1); comments stay. `defines`: from -D;
/// `standardFolder`: where the standard library is.
source::MappedText preprocess(source::SourceManager &, source::FileId, source::Diagnostics &,
                              const std::vector<std::pair<std::string, std::string>> &defines = {},
                              const std::vector<std::string> &includePath = {},
                              const std::string &standardFolder = "");

Program parse(const source::MappedText &, source::FileId mainFile, source::Diagnostics &);

/// A file of schedules: `schedule wide for Smooth.Cells on cpu { vector(x); }`, one behind the other. Those that have
/// errors are left out.
std::vector<Schedule> parseSchedules(source::FileId, source::Diagnostics &);

/// The steps alone: `tile(y, x; 32, 256); vector(x)`. Nothing if there are errors.
std::optional<script::Script> parseScript(source::FileId, source::Diagnostics &);
/// The same for a text that is a part of a file.
std::optional<script::Script> parseScript(const source::MappedText &, source::Diagnostics &);

/// A file of adaptors, one behind the other (script/adaptor.h). Those that have errors are left out.
std::vector<script::Adaptor> parseAdaptors(source::FileId, source::Diagnostics &);

/// A use of an adaptor: `Triangular(A)`. Nothing if there are errors.
std::optional<script::Adaptation> parseAdaptation(source::FileId, source::Diagnostics &);

/// --emit=ast: the tree as indented text, one node a line.
std::string print(const Program &);

/// The expression as the user could have written it, with parentheses only where needed.
std::string print(const Expr &);

} // namespace pbc::syntax
