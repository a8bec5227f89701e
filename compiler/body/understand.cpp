// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_reader.h"
#include "compiler/body/complaints.h"
#include "compiler/body/edits.h"
#include "compiler/body/helpers.h"
#include "compiler/body/lift.h"
#include "compiler/body/passing.h"
#include "compiler/body/prelude.h"
#include "compiler/body/scan.h"
#include "compiler/body/statics.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace pbc::body {
namespace {

/// Reports bodies with constructs that C++ does not have; these bodies are not given to Clang.
bool isReadable(const sema::Rule &rule, source::Diagnostics &d) {
  if (!rule.body)
    return false;
  const auto found = unsupportedConstructs(rule.body->text.text);
  for (const Construct &c : found) {
    const Span at = rule.body->text.locate(c.begin, c.end);
    if (c.name == "#")
      d.error(at, "a rule's body cannot hold a directive").help("put `#include` into a `%{ ... %}` block");
    else if (c.name == "...")
      d.error(
           at,
           "the code of this rule is too long: more than 20000 tokens in a statement or 200000 in the body")
          .help("split it, or put tables into a raw block or a file");
  }
  return found.empty();
}

/// What ElementT is, and the folders in which raw blocks look for headers: those of the files that contain
/// them, then those that the user names.
std::vector<std::string> clangArguments(const sema::Module &module, const source::SourceManager &sources,
                                        const std::vector<std::string> &includePath) {
  std::set<std::string> directories;
  for (const syntax::RawBlock *raw : module.rawBlocks)
    if (raw->span.file < sources.fileCount()) {
      const std::string &path = sources.path(raw->span.file);
      const auto slash = path.rfind('/');
      directories.insert(slash == std::string::npos ? "." : path.substr(0, slash + 1));
    }
  std::vector<std::string> arguments;
  if (module.element != sema::Element{})
    arguments.push_back(fmt::format("-DPB_ELEMENT={}", sema::cxxType(module.element)));
  for (const std::string &directory : directories)
    arguments.push_back("-iquote" + directory);
  for (const std::string &directory : includePath)
    arguments.push_back("-I" + directory);
  return arguments;
}

std::size_t errorCount(const Reading &r) {
  return std::count_if(r.complaints.begin(), r.complaints.end(),
                       [](const Complaint &c) { return c.level == Complaint::Level::Error; });
}

bool missesNames(const Reading &r) {
  return std::any_of(r.complaints.begin(), r.complaints.end(),
                     [](const Complaint &c) { return c.kind == Complaint::Kind::UnknownName; });
}

struct Attempt {
  Beginning beginning;
  Unit unit;
  Reading reading;
  RuleNumbers keeping;
};

RuleNumbers endingWithoutReturn(const Unit &unit, const Reading &reading) {
  RuleNumbers rules;
  for (const Complaint &c : reading.complaints) {
    if (c.kind != Complaint::Kind::FallsOffEnd || !c.inUnit)
      continue;
    const Unit::Segment &s = unit.segment(c.begin);
    if (s.kind == Unit::Segment::Kind::BodyEnd && s.rule >= 0)
      rules.insert({unit.rules[s.rule].transform, unit.rules[s.rule].rule});
  }
  return rules;
}

void warnOfMissingReturn(const sema::Rule &rule, source::Diagnostics &d) {
  const Span body = rule.body->span;
  d.warning({body.file, body.end > body.begin ? body.end - 1 : body.begin, body.end},
            "the rule's body can end without returning a value: its cell then keeps what it had")
      .note(rule.headerSpan, "the rule's output has no name; its value is what the body returns")
      .help("end the body with `return value;`");
}

/// Reads the unit with the least of the libraries that it needs.
class Reader {
public:
  Reader(const sema::Module &module, const std::vector<std::vector<bool>> &wanted,
         const std::vector<std::string> &headerPath, const FrontEnd *frontEnd)
      : module_(module), wanted_(wanted), headerPath_(headerPath), frontEnd_(frontEnd),
        directivesOf_(leadingDirectives(module)) {}

  /// A name that no library knows is the user's mistake: then the reading with the fewest complaints gives the
  /// best message.
  Attempt read() const {
    Attempt best = attempt(leastLibrary(module_));
    for (const Library more : {Library::System, Library::All}) {
      if (!best.reading.finished || !missesNames(best.reading))
        break;
      Attempt next = attempt(more);
      if (next.reading.finished && errorCount(next.reading) < errorCount(best.reading))
        best = std::move(next);
    }
    if (const RuleNumbers ending = endingWithoutReturn(best.unit, best.reading); !ending.empty())
      best = attempt(best.beginning.library, ending);
    if (frontEnd_ && (!best.reading.finished || errorCount(best.reading))) // messages are those of the text
      best.reading = readUnit(best.unit, headerPath_);
    return best;
  }

  const std::vector<std::uint32_t> &directivesOf() const { return directivesOf_; }

private:
  std::string directives() const {
    std::string all;
    for (std::size_t i = 0; i < directivesOf_.size(); ++i)
      if (directivesOf_[i])
        all += module_.rawBlocks[i]->text.text.substr(0, directivesOf_[i]) + "\n";
    return all;
  }

  Attempt attempt(Library library, const RuleNumbers &keeping = {}) const {
    Attempt a{{library, directives(), headerPath_, mayThrow(module_, library)},
              makeUnit(module_, wanted_, library, keeping),
              {},
              keeping};
    const auto arguments = frontEnd_ ? frontEnd_->arguments(a.beginning) : std::vector<std::string>();
    const preamble::Shared headers = arguments.empty() ? nullptr : frontEnd_->preamble(a.beginning);
    if (headers) {
      const auto files = body::headers(library);
      a.reading = readUnit(a.unit, headerPath_, {*headers, files, arguments, standsFor(a.unit)});
    }
    if (!headers || !a.reading.finished) // a preamble that does not fit only costs time
      a.reading = readUnit(a.unit, headerPath_);
    return a;
  }

  /// The prelude, and the directives that the raw blocks begin with.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> standsFor(const Unit &unit) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    std::size_t raw = 0;
    for (std::size_t i = 0; i < unit.segments.size(); ++i) {
      const Unit::Segment &s = unit.segments[i];
      if (i == 0)
        all.emplace_back(0, i + 1 < unit.segments.size() ? unit.segments[i + 1].begin : 0);
      else if (s.kind == Unit::Segment::Kind::Raw)
        all.emplace_back(s.begin, s.begin + directivesOf_[raw++]);
    }
    return all;
  }

  const sema::Module &module_;
  const std::vector<std::vector<bool>> &wanted_;
  const std::vector<std::string> &headerPath_;
  const FrontEnd *frontEnd_;
  const std::vector<std::uint32_t> directivesOf_;
};

/// A coroutine saves the values that are live across each of its calls, and Clang's work for this is quadratic.
/// Therefore a body with very many calls runs them one after the other.
bool hasManyCalls(const Facts &f) {
  constexpr std::ptrdiff_t kMostCallsOfCoroutine = 100;
  return std::count_if(f.edits.begin(), f.edits.end(), [](const Edit &e) {
           return e.kind == Edit::Kind::Call || e.kind == Edit::Kind::Spawn;
         }) > kMostCallsOfCoroutine;
}

void warnOfManyCalls(const RuleContext &context, source::Diagnostics &d) {
  d.warning(context.rule.headerSpan,
            "this rule calls transforms in more than 100 places: no call of it runs in "
            "tasks")
      .help("call them in loops, or divide the rule's work among several transforms");
}

/// The raw blocks for units that all contain them: a variable with a constructor or destructor becomes
/// `inline`, so that these run once for the program and not once for each unit.
std::vector<std::string> rawBlocks(const sema::Module &module, const Attempt &attempt) {
  std::vector<std::string> texts;
  for (const syntax::RawBlock *raw : module.rawBlocks)
    texts.push_back(raw->text.text);
  std::set<std::uint32_t, std::greater<>> places(attempt.reading.dynamicVariables.begin(),
                                                 attempt.reading.dynamicVariables.end());
  for (const std::uint32_t at : places) // from the last on, so that earlier positions stay valid
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (const Unit::Segment &s = attempt.unit.segment(at); s.text == &module.rawBlocks[i]->text)
        texts[i].insert(at - s.begin, "inline ");
  return texts;
}

} // namespace

Understanding understand(const sema::Module &module, source::Diagnostics &d,
                         const std::vector<std::string> &includePath, const FrontEnd *frontEnd) {
  std::vector<std::vector<Facts>> facts(module.transforms.size());
  std::vector<std::vector<bool>> wanted(module.transforms.size());
  for (const sema::Transform &t : module.transforms) {
    facts[t.index].resize(t.rules.size());
    wanted[t.index].resize(t.rules.size());
    for (const sema::Rule &r : t.rules)
      wanted[t.index][r.index] = isReadable(r, d);
  }

  const std::vector<std::string> headerPath = clangArguments(module, d.sources(), includePath);
  const Reader reader(module, wanted, headerPath, frontEnd);
  const Attempt attempt = reader.read();
  const Unit &unit = attempt.unit;
  const Reading &reading = attempt.reading;
  report(reading, unit, module, d);
  if (!reading.finished && !d.hasErrors()) {
    const Span at = module.transforms.empty() ? Span{} : module.transforms[module.mainTransform].span;
    d.error(at, "internal error: Clang crashed while reading the rule bodies")
        .help("please report this with the program that shows it");
  }

  for (std::size_t i = 0; i < unit.rules.size(); ++i) {
    const RuleText &text = unit.rules[i];
    const sema::Transform &transform = module.transforms[text.transform];
    const RuleContext context{transform, transform.rules[text.rule], text, unit, reading.functions[i]};
    Facts &f = facts[text.transform][text.rule];
    f.keepsCell = attempt.keeping.count({text.transform, text.rule});
    if (f.keepsCell)
      warnOfMissingReturn(context.rule, d);
    findEdits(context, f, d);
    if (const auto &library = context.rule.library; library && !f.callees.empty())
      d.error(library->span,
              fmt::format("the rule's body calls `{}`: a rule with an entry of a library calls no "
                          "transforms",
                          f.callees.front()))
          .help("make the calls another rule: both are choices then");
    f.isResumable = context.function.isResumable && !hasManyCalls(f);
    if (context.function.isResumable && !f.isResumable)
      warnOfManyCalls(context, d);
    f.onDevice = context.function.onDevice;
    f.onlyPasses = onlyPasses(context);
    warnOfStatics(context, d);
    lift(context, f);
    f.readsOutputs = readsOutputs(context, f);
    if (f.readsOutputs && f.onDevice) { // the old contents of outputs matter
      DeviceBody body = *f.onDevice;
      body.writesAll.clear();
      f.onDevice = std::make_shared<const DeviceBody>(std::move(body));
    }
  }
  for (std::size_t t = 0; t < facts.size(); ++t)
    for (std::size_t r = 0; r < facts[t].size(); ++r)
      if (!facts[t][r].liftable && facts[t][r].obstacle.empty()) {
        facts[t][r].obstacle = "it has an error";
        facts[t][r].obstacleSpan = module.transforms[t].rules[r].span;
      }
  findHelpers(module, facts);
  return {.facts = std::move(facts),
          .beginning = attempt.beginning,
          .rawBlocks = rawBlocks(module, attempt),
          .directivesOf = reader.directivesOf(),
          .takesPointers = reading.takesPointers};
}

} // namespace pbc::body
