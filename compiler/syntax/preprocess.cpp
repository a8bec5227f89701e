// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Carries out directives; macros are in macro.h, conditions in condition.h.
#include "compiler/source/not_text.h"
#include "compiler/syntax/condition.h"
#include "compiler/syntax/locate_include.h"
#include "compiler/syntax/nearest.h"
#include "compiler/syntax/parse.h"
#include <algorithm>

namespace pbc::syntax {

namespace {

using source::FileId;

constexpr unsigned deepestInclude = 100;

/// An #if that has not been closed.
struct Conditional {
  Span where;
  bool outer;                    // the surrounding text is kept
  bool active;                   // the current branch is kept
  bool taken;                    // some branch was
  std::optional<Span> otherwise; // its #else
};

/// `# name tokens...`, to the end of the (joined) line.
struct Line {
  Lexeme hash, name;
  std::vector<Lexeme> tokens; // including blanks; comments count as blanks
  std::uint32_t end = 0;
};

class Preprocessor {
public:
  Preprocessor(source::SourceManager &sources, source::Diagnostics &diagnostics,
               const std::vector<std::string> &includePath, const std::string &standardFolder)
      : sources_(sources), diagnostics_(diagnostics), finder_(sources, includePath, standardFolder),
        macros_(diagnostics) {}

  void defineFromOutside(const std::vector<std::pair<std::string, std::string>> &defines) {
    if (defines.empty())
      return;
    std::string text;
    for (auto [name, value] : defines) {
      for (char &c : value)
        c = c == '\n' ? ' ' : c;
      text += "#define " + name + " " + value + "\n";
    }
    read(sources_.add("<command line>", text), 0);
    out_ = {};
  }

  source::MappedText run(FileId file) {
    finder_.firstTime(file);
    read(file, 0);
    return std::move(out_);
  }

private:
  /// A file that is being read; text before `copied` is already in the output or was dropped.
  struct Input {
    FileId file;
    std::string_view text;
    std::uint32_t at = 0, copied = 0;
    unsigned depth;
    std::vector<Conditional> conditions;
    bool active() const { return conditions.empty() || conditions.back().active; }
  };

  void read(FileId file, unsigned depth) {
    if (const auto why = source::notText(sources_.text(file))) {
      diagnostics_.error({file, why->offset, why->offset + 1}, why->message).help(why->help);
      return;
    }
    Input in{file, sources_.text(file), 0, 0, depth, {}};
    bool lineStart = true, raw = false;
    for (;;) {
      Lexeme l = scan(in.text, in.at);
      if (l.kind == Lexeme::Kind::End)
        break;
      if (lineStart && l.is(in.text, '#')) {
        Line line = readLine(in, l);
        if (!raw) { // in a raw block the directives are for the C++ compiler
          copy(in, l.begin);
          in.at = in.copied = line.end;
          directive(in, line);
          lineStart = false;
          continue;
        }
        in.at = line.end;
        continue;
      }
      if (l.kind == Lexeme::Kind::Identifier && in.active() && macros_.find(l.text(in.text))) {
        expand(in, l);
        lineStart = false;
        continue;
      }
      if (l.is(in.text, '%') && in.active() && l.end < in.text.size())
        raw = in.text[l.end] == '{' || (raw && in.text[l.end] != '}');
      if (l.kind == Lexeme::Kind::BlockComment && !l.closed && in.active()) {
        diagnostics_.error({file, l.begin, l.begin + 2}, "this comment is not closed")
            .help("end it with `*/`");
        copy(in, l.begin);
        in.copied = l.end;
      }
      lineStart = l.kind == Lexeme::Kind::Newline || (lineStart && l.isBlank());
      in.at = l.end;
    }
    copy(in, in.at);
    for (const Conditional &open : in.conditions)
      diagnostics_.error(open.where, "this conditional has no `#endif`");
  }

  /// Copies the text up to `to` to the output, unless a conditional drops it.
  void copy(Input &in, std::uint32_t to) {
    if (in.active() && to > in.copied)
      out_.append(in.text.substr(in.copied, to - in.copied), {in.file, in.copied, to}, true);
    in.copied = to;
  }

  void expand(Input &in, const Lexeme &name) {
    copy(in, name.begin);
    MacroInput use{in.file, in.text, name.begin};
    std::vector<MacroToken> made = macros_.expandUse(use);
    if (!made.empty() && name.begin > 0 && pastes(out_.text, made.front().text))
      out_.append(" ", {in.file, name.begin, name.begin}, false);
    for (const MacroToken &token : made)
      out_.append(token.text, token.origin, token.verbatim);
    in.at = in.copied = use.at;
  }

  Line readLine(const Input &in, const Lexeme &hash) const {
    Line line;
    line.hash = line.name = hash;
    bool named = false;
    Lexeme l = scan(in.text, hash.end);
    for (; l.kind != Lexeme::Kind::Newline && l.kind != Lexeme::Kind::End; l = scan(in.text, l.end)) {
      if (!named && !l.isBlank()) {
        named = true;
        line.name = l;
        continue;
      }
      if (l.kind == Lexeme::Kind::LineComment || l.kind == Lexeme::Kind::BlockComment)
        l.kind = Lexeme::Kind::Space;
      if (named)
        line.tokens.push_back(l);
    }
    line.end = l.begin;
    return line;
  }

  // Directives
  // ---------------------------------------------------------------------------------------------------

  Span spanOf(const Input &in, const Lexeme &l) const { return {in.file, l.begin, l.end}; }
  Span headOf(const Input &in, const Line &line) const { return {in.file, line.hash.begin, line.name.end}; }

  void directive(Input &in, const Line &line) {
    std::string_view word = line.name.kind == Lexeme::Kind::Identifier ? line.name.text(in.text) : "";
    if (word == "ifdef" || word == "ifndef" || word == "if")
      return openCondition(in, line, word);
    if (word == "elif" || word == "else" || word == "endif")
      return nextBranch(in, line, word);
    if (!in.active())
      return;
    if (word == "include" || word == "library")
      return include(in, line);
    if (word == "define")
      return define(in, line);
    if (word == "undef") {
      if (auto name = onlyName(in, line))
        macros_.undefine(*name);
      return;
    }
    if (line.name.begin == line.hash.begin) // a single `#` means nothing, as in C
      return;
    auto &error = diagnostics_.error(headOf(in, line),
                                     "unknown directive `#" + std::string(line.name.text(in.text)) + "`");
    std::string meant = nearest(
        word, {"include", "library", "define", "undef", "ifdef", "ifndef", "if", "elif", "else", "endif"});
    if (!meant.empty())
      error.help("did you mean `#" + meant + "`?");
    error.help("the directives are: #include, #library, #define, #undef, #ifdef, #ifndef, #if, #elif, #else, "
               "#endif; "
               "those of C can stand in a raw block `%{ ... %}`");
  }

  /// The name after #ifdef, #ifndef or #undef, which must be the only word.
  std::optional<std::string> onlyName(const Input &in, const Line &line) {
    std::optional<std::string> name;
    for (const Lexeme &l : line.tokens) {
      if (l.isBlank())
        continue;
      if (name || l.kind != Lexeme::Kind::Identifier) {
        diagnostics_.error(spanOf(in, l), "expected one name after `#" +
                                              std::string(line.name.text(in.text)) + "`, found `" +
                                              std::string(l.text(in.text)) + "`");
        return name;
      }
      name = std::string(l.text(in.text));
    }
    if (!name)
      diagnostics_.error(headOf(in, line),
                         "a name is missing after `#" + std::string(line.name.text(in.text)) + "`");
    return name;
  }

  void openCondition(Input &in, const Line &line, std::string_view word) {
    bool outer = in.active(), holdsNow = false;
    if (outer && word == "if") {
      holdsNow = evaluate(in, line);
    } else if (outer) {
      auto name = onlyName(in, line);
      holdsNow = name && (macros_.find(*name) != nullptr) == (word == "ifdef");
    }
    in.conditions.push_back({headOf(in, line), outer, outer && holdsNow, holdsNow, std::nullopt});
  }

  void nextBranch(Input &in, const Line &line, std::string_view word) {
    if (in.conditions.empty()) {
      diagnostics_.error(headOf(in, line),
                         "`#" + std::string(word) + "` without an `#if`, `#ifdef` or `#ifndef`");
      return;
    }
    Conditional &open = in.conditions.back();
    if (word == "endif") {
      in.conditions.pop_back();
      return;
    }
    if (open.otherwise)
      diagnostics_
          .error(headOf(in, line), "`#" + std::string(word) + "` after the `#else` of the same conditional")
          .note(*open.otherwise, "the `#else`")
          .note(open.where, "the conditional begins here");
    if (word == "else")
      open.otherwise = headOf(in, line);
    open.active = false;
    if (open.outer && !open.taken)
      open.active = open.taken = word == "else" || evaluate(in, line);
  }

  bool evaluate(const Input &in, const Line &line) {
    std::vector<MacroToken> tokens;
    for (std::size_t i = 0; i < line.tokens.size(); ++i) {
      const Lexeme &l = line.tokens[i];
      if (l.isBlank())
        continue;
      if (l.kind == Lexeme::Kind::Identifier && l.text(in.text) == "defined") {
        bool known = isDefined(in, line, i);
        tokens.push_back({Lexeme::Kind::Number, known ? "1" : "0", spanOf(in, l), false, nullptr});
      } else {
        tokens.push_back({l.kind, std::string(l.text(in.text)), spanOf(in, l), true, nullptr});
      }
    }
    tokens = macros_.expandAll(std::move(tokens));
    std::erase_if(tokens, [](const MacroToken &t) { return t.kind == Lexeme::Kind::Space; });
    return holds(tokens, headOf(in, line), diagnostics_);
  }

  /// `defined X` or `defined(X)`, with `i` at `defined`; leaves `i` at the last token of it.
  bool isDefined(const Input &in, const Line &line, std::size_t &i) {
    auto next = [&]() -> const Lexeme * {
      std::size_t j = i + 1;
      while (j < line.tokens.size() && line.tokens[j].isBlank())
        ++j;
      return j < line.tokens.size() ? &line.tokens[i = j] : nullptr;
    };
    const Lexeme *word = &line.tokens[i], *l = next();
    bool parenthesis = l != nullptr && l->is(in.text, '(');
    if (parenthesis)
      l = next();
    bool good = l != nullptr && l->kind == Lexeme::Kind::Identifier;
    bool known = good && macros_.find(l->text(in.text)) != nullptr;
    if (good && parenthesis) {
      l = next();
      good = l != nullptr && l->is(in.text, ')');
    }
    if (!good)
      diagnostics_.error(spanOf(in, *word), "`defined` is written `defined(NAME)`");
    return known;
  }

  void include(Input &in, const Line &line) {
    std::string directive = "#" + std::string(line.name.text(in.text));
    const Lexeme *written = nullptr;
    for (const Lexeme &l : line.tokens)
      if (!l.isBlank() && written == nullptr)
        written = &l;
    if (written != nullptr && written->is(in.text, '<') && includeStandard(in, *written, line))
      return;
    if (written == nullptr || written->kind != Lexeme::Kind::String || !written->closed ||
        written->end - written->begin < 3) {
      auto &error = diagnostics_.error(headOf(in, line),
                                       "expected a file name in double quotes after `" + directive + "`");
      if (written != nullptr && written->is(in.text, '<'))
        error.help("C and C++ headers are included inside a raw block: `%{`, `" + directive +
                   " <...>`, `%}`");
      return;
    }
    std::string name(in.text.substr(written->begin + 1, written->end - written->begin - 2));
    include(in, name, spanOf(in, *written), false);
  }

  /// Handles `#include <linalg.pbcc>`; false if it has another kind of name.
  bool includeStandard(Input &in, const Lexeme &open, const Line &line) {
    const std::size_t close = in.text.find('>', open.begin);
    if (close == std::string_view::npos || close >= line.end)
      return false;
    const std::string name(in.text.substr(open.begin + 1, close - open.begin - 1));
    if (!name.ends_with(".pbcc"))
      return false;
    include(in, name, {in.file, open.begin, static_cast<std::uint32_t>(close + 1)}, true);
    return true;
  }

  void include(Input &in, const std::string &name, Span at, bool isStandard) {
    if (in.depth >= deepestInclude) {
      diagnostics_.error(at,
                         "files include each other more than " + std::to_string(deepestInclude) + " deep");
      return;
    }
    const Included found = isStandard ? finder_.findStandard(name) : finder_.find(name, in.file);
    if (found.file) {
      if (finder_.firstTime(*found.file))
        read(*found.file, in.depth + 1);
      return;
    }
    if (isStandard) {
      notInLibrary(name, at);
      return;
    }
    auto &error = diagnostics_.error(at, "cannot read the file `" + name + "`");
    const std::vector<std::string> names = finder_.standardNames();
    if (std::find(names.begin(), names.end(), name) != names.end())
      error.help("the standard library has one: #include <" + name + ">");
    std::string tried;
    for (const std::string &path : found.tried)
      tried += (tried.empty() ? "" : ", ") + path;
    error.help("tried: " + tried);
    for (const std::string &reason : found.reasons)
      error.help(reason);
  }

  void notInLibrary(const std::string &name, Span at) {
    const std::vector<std::string> names = finder_.standardNames();
    auto &error = diagnostics_.error(at, "the standard library has no file `" + name + "`");
    const std::string meant = nearest(name, {names.begin(), names.end()});
    std::string all;
    for (const std::string &each : names)
      all += (all.empty() ? "" : ", ") + each;
    error.help(!meant.empty()  ? "did you mean `<" + meant + ">`?"
               : names.empty() ? "it was not found beside pbc; PBC_STDLIB names its folder"
                               : "it has " + all + "; files of your own stand in double quotes");
  }

  void define(Input &in, const Line &line) {
    auto token = line.tokens.begin(), end = line.tokens.end();
    auto skipBlanks = [&] {
      while (token != end && token->isBlank())
        ++token;
    };
    skipBlanks();
    if (token == end || token->kind != Lexeme::Kind::Identifier) {
      diagnostics_.error(token == end ? headOf(in, line) : spanOf(in, *token),
                         "expected the macro's name after `#define`");
      return;
    }
    Macro macro;
    macro.name = std::string(token->text(in.text));
    macro.where = spanOf(in, *token);
    std::uint32_t nameEnd = token->end;
    ++token;
    // A parenthesis opens parameters only if it directly follows the name.
    if (token != end && token->is(in.text, '(') && token->begin == nameEnd) {
      macro.takesArguments = true;
      if (!parameters(in, macro, ++token, end))
        return;
    }
    skipBlanks();
    for (; token != end; ++token) {
      std::string text(token->text(in.text));
      if (token->is(in.text, '#')) {
        diagnostics_.error(spanOf(in, *token), "`#` and `##` are not available in macros")
            .help("they are in C++ macros, which can be defined in a raw block `%{ ... %}`");
        return;
      }
      if (token->isBlank()) {
        macro.body.push_back({Lexeme::Kind::Space, " "});
        continue;
      }
      Macro::Piece piece{token->kind, text};
      for (std::size_t i = 0; i < macro.parameters.size() && token->kind == Lexeme::Kind::Identifier; ++i)
        if (macro.parameters[i] == text)
          piece.parameter = static_cast<int>(i);
      macro.body.push_back(std::move(piece));
    }
    while (!macro.body.empty() && macro.body.back().kind == Lexeme::Kind::Space)
      macro.body.pop_back();
    macros_.define(std::move(macro));
  }

  bool parameters(const Input &in, Macro &macro, std::vector<Lexeme>::const_iterator &token,
                  std::vector<Lexeme>::const_iterator end) {
    bool wantsName = true;
    for (; token != end; ++token) {
      if (token->isBlank())
        continue;
      if (token->is(in.text, ')') && (!wantsName || macro.parameters.empty())) {
        ++token;
        return true;
      }
      if (wantsName ? token->kind != Lexeme::Kind::Identifier : !token->is(in.text, ',')) {
        diagnostics_.error(spanOf(in, *token), std::string("expected ") +
                                                   (wantsName ? "a parameter's name" : "`,` or `)`") +
                                                   " in the parameters of macro `" + macro.name + "`");
        return false;
      }
      if (wantsName)
        macro.parameters.emplace_back(token->text(in.text));
      wantsName = !wantsName;
    }
    diagnostics_.error(macro.where, "the parameters of macro `" + macro.name + "` are not closed by `)`");
    return false;
  }

  source::SourceManager &sources_;
  source::Diagnostics &diagnostics_;
  IncludeFinder finder_;
  Macros macros_;
  source::MappedText out_;
};

} // namespace

source::MappedText preprocess(source::SourceManager &sources, source::FileId file,
                              source::Diagnostics &diagnostics,
                              const std::vector<std::pair<std::string, std::string>> &defines,
                              const std::vector<std::string> &includePath,
                              const std::string &standardFolder) {
  Preprocessor preprocessor(sources, diagnostics, includePath, standardFolder);
  preprocessor.defineFromOutside(defines);
  return preprocessor.run(file);
}

} // namespace pbc::syntax
