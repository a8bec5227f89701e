// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/macro.h"
#include <algorithm>

namespace pbc::syntax {

namespace {

constexpr unsigned deepestCalls = 100;            // depth of macro calls in arguments of each other
constexpr std::size_t largestUse = 1u << 18;      // bytes and tokens that one use may produce
constexpr std::size_t largestProgram = 16u << 20; // and all uses together

bool isBlank(const MacroToken &token) {
  Lexeme lexeme;
  lexeme.kind = token.kind;
  return lexeme.isBlank();
}

bool is(const MacroToken &token, char c) {
  return token.kind == Lexeme::Kind::Punctuation && token.text.size() == 1 && token.text[0] == c;
}

Span cover(Span a, Span b) {
  if (a.file != b.file)
    return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

void trim(std::vector<MacroToken> &tokens) {
  while (!tokens.empty() && isBlank(tokens.back()))
    tokens.pop_back();
  tokens.erase(tokens.begin(), std::find_if_not(tokens.begin(), tokens.end(), isBlank));
}

MacroToken tokenAt(const MacroInput &input, const Lexeme &l) {
  return {l.kind, std::string(l.text(input.text)), {input.file, l.begin, l.end}, true, {}};
}

MacroToken blank(Span origin) { return {Lexeme::Kind::Space, " ", origin, false, {}}; }

/// Whether this `#` begins a directive; only called while skipping blanks.
bool atLineStart(std::string_view text, std::uint32_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
    --at;
  return at == 0 || text[at - 1] == '\n';
}

} // namespace

bool pastes(std::string_view left, std::string_view right) {
  if (left.empty() || right.empty())
    return false;
  char a = left.back(), b = right.front();
  if (isIdentifierPart(a) && isIdentifierPart(b))
    return true;
  constexpr std::string_view signs = "+-&|<>=*/!^:.%";
  return signs.find(a) != signs.npos && signs.find(b) != signs.npos;
}

const Macro *Macros::find(std::string_view name) const {
  auto found = table_.find(name);
  return found == table_.end() ? nullptr : &found->second;
}

void Macros::define(Macro macro) {
  macro.number = numbers_.emplace(macro.name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  table_[macro.name] = std::move(macro);
}

std::vector<MacroToken> Macros::expandUse(MacroInput &input) {
  spentHere_ = 0;
  overspent_ = false;
  Lexeme name = scan(input.text, input.at);
  input.at = name.end;
  MacroToken token = tokenAt(input, name);
  if (exhausted_)
    return {token};
  return run({token}, &input, 0);
}

std::vector<MacroToken> Macros::expandAll(std::vector<MacroToken> tokens) {
  spentHere_ = 0;
  overspent_ = false;
  return run(Pending(tokens.begin(), tokens.end()), nullptr, 0);
}

bool Macros::spend(std::size_t bytes, Span use, const std::string &name) {
  spentHere_ += bytes;
  spent_ += bytes;
  if (!overspent_ && (spentHere_ > largestUse || spent_ > largestProgram)) {
    overspent_ = true;
    exhausted_ = spent_ > largestProgram;
    diagnostics_.error(use, "the expansion of `" + name + "` becomes too large")
        .help("macros that use each other twice double at every step");
  }
  return !overspent_;
}

std::vector<MacroToken> Macros::run(Pending pending, MacroInput *input, unsigned depth) {
  std::vector<MacroToken> out;
  while (!pending.empty() && !overspent_) {
    MacroToken token = std::move(pending.front());
    pending.pop_front();
    const Macro *macro = token.kind == Lexeme::Kind::Identifier ? find(token.text) : nullptr;
    if (macro != nullptr && token.madeBy.has(macro->number))
      macro = nullptr;
    if (macro == nullptr || (macro->takesArguments && !opensCall(pending, input))) {
      out.push_back(std::move(token));
      continue;
    }
    Call call;
    Span use = token.origin;
    if (macro->takesArguments) {
      if (depth >= deepestCalls) {
        diagnostics_.error(use,
                           "calls of macros are nested more than " + std::to_string(deepestCalls) + " deep");
        overspent_ = true;
        break;
      }
      std::uint32_t behindName = input != nullptr ? input->at : 0;
      if (!collect(token, pending, input, call)) {
        if (input != nullptr) // the text continues as if the name were not a macro
          input->at = behindName;
        out.push_back(std::move(token));
        continue;
      }
      use = cover(use, call.close.origin);
      if (!countFits(*macro, call, use))
        continue;
    }
    std::vector<MacroToken> made =
        substitute(*macro, token, macro->takesArguments ? &call : nullptr, use, depth);
    // The expansion must not join with the text around it: `-NEG` with NEG as -1 is not `--1`.
    std::string_view next;
    if (!pending.empty())
      next = pending.front().text;
    else if (input != nullptr)
      next = input->text.substr(input->at, 1);
    if (made.empty() || (!out.empty() && pastes(out.back().text, made.front().text)))
      made.insert(made.begin(), blank(use));
    if (pastes(made.back().text, next))
      made.push_back(blank(use));
    pending.insert(pending.begin(), made.begin(), made.end());
  }
  return out;
}

/// Whether the next token that is not blank is a `(`.
bool Macros::opensCall(const Pending &pending, const MacroInput *input) const {
  for (const MacroToken &token : pending)
    if (!isBlank(token))
      return is(token, '(');
  if (input == nullptr)
    return false;
  return scanPastBlanks(input->text, input->at).is(input->text, '(');
}

bool Macros::take(Pending &pending, MacroInput *input, MacroToken &token) {
  if (!pending.empty()) {
    token = std::move(pending.front());
    pending.pop_front();
    return true;
  }
  if (input == nullptr)
    return false;
  Lexeme l = scan(input->text, input->at);
  if (l.kind == Lexeme::Kind::End || (l.is(input->text, '#') && atLineStart(input->text, l.begin)))
    return false;
  token = tokenAt(*input, l);
  input->at = l.end;
  return true;
}

std::size_t Macros::readBy(const Call &call) {
  std::size_t tokens = 0;
  for (const auto &argument : call.arguments)
    tokens += argument.size() + 1;
  return tokens;
}

/// Collects the arguments up to the matching `)`; reports an error if there is none.
bool Macros::collect(const MacroToken &name, Pending &pending, MacroInput *input, Call &call) {
  unsigned nesting = 0;
  call.arguments.emplace_back();
  MacroToken token;
  while (take(pending, input, token)) {
    if (is(token, '(') && nesting++ == 0)
      continue;
    if (nesting == 0)
      continue; // blanks before the parenthesis
    if (is(token, ')') && --nesting == 0) {
      for (auto &argument : call.arguments)
        trim(argument);
      call.close = std::move(token);
      spend(readBy(call), name.origin, name.text); // calls in arguments are read again at every level
      return true;
    }
    if (is(token, ',') && nesting == 1) {
      call.arguments.emplace_back();
      continue;
    }
    if (token.kind == Lexeme::Kind::LineComment) { // a line comment would now hide the rest of the line
      token.kind = Lexeme::Kind::Space;
      token.text = " ";
      token.verbatim = false;
    }
    call.arguments.back().push_back(std::move(token));
  }
  spend(16 * readBy(call), name.origin, name.text); // repeated reading without a result must also be limited
  diagnostics_.error(name.origin, "the call of macro `" + name.text + "` is not closed")
      .help("its `)` must come before the end of the file and before the next directive");
  return false;
}

bool Macros::countFits(const Macro &macro, Call &call, Span use) {
  std::size_t wanted = macro.parameters.size(), given = call.arguments.size();
  if (wanted == 0 && given == 1 && call.arguments[0].empty())
    given = 0;
  if (wanted == given)
    return true;
  diagnostics_
      .error(use, "macro `" + macro.name + "` takes " + std::to_string(wanted) +
                      (wanted == 1 ? " argument" : " arguments") + ", not " + std::to_string(given))
      .note(macro.where, "defined here");
  return false;
}

std::vector<MacroToken> Macros::substitute(const Macro &macro, const MacroToken &name, const Call *call,
                                           Span use, unsigned depth) {
  // The macros as which no token of the result may be expanded again.
  HideSet madeBy = name.madeBy;
  if (call != nullptr)
    madeBy = madeBy & call->close.madeBy;
  madeBy = madeBy.with(macro.number);

  std::vector<std::optional<std::vector<MacroToken>>> expanded(macro.parameters.size());
  std::vector<MacroToken> out;
  for (const Macro::Piece &piece : macro.body) {
    if (piece.parameter < 0 || call == nullptr) {
      if (!spend(piece.text.size() + 1, use, macro.name))
        return {};
      out.push_back({piece.kind, piece.text, use, false, madeBy});
      continue;
    }
    auto index = static_cast<std::size_t>(piece.parameter);
    if (!expanded[index]) {
      const auto &argument = call->arguments[index];
      expanded[index] = run(Pending(argument.begin(), argument.end()), nullptr, depth + 1);
    }
    for (const MacroToken &token : *expanded[index]) {
      if (!spend(token.text.size() + 1, use, macro.name))
        return {};
      if (&token == &expanded[index]->front() && !out.empty() && pastes(out.back().text, token.text))
        out.push_back(blank(use));
      out.push_back(token);
      out.back().madeBy = madeBy | token.madeBy;
    }
  }
  return out;
}

} // namespace pbc::syntax
