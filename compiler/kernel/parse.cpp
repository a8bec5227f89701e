// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/parse.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/textual/functions.h"
#include "compiler/kernel/textual/read_schedule.h"
#include "compiler/kernel/textual/read_statement.h"
#include "compiler/kernel/textual/read_tree.h"
#include "compiler/kernel/tree.h"
#include "compiler/kernel/verify.h"
#include <algorithm>
#include <cctype>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <map>
#include <tuple>

namespace pbc::kernel {
namespace {

using textual::Fragment;
using textual::Fragments;
using textual::Reader;

/// The names of limits of tasks and of first items of groups that occur in the text: isl's objects have them as parameters. Those of
/// one function stand together, the lower limit first, as transformations make them.
std::vector<std::string> ownParameters(std::string_view text) {
  constexpr std::string_view kOwn = "pb__";
  std::vector<std::string> all;
  const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find(kOwn); at != std::string_view::npos; at = text.find(kOwn, at)) {
    std::size_t end = at;
    while (end < text.size() && isPart(text[end]))
      ++end;
    if (at == 0 || !isPart(text[at - 1]) ||
        std::isdigit(static_cast<unsigned char>(text[at - 1]))) // "2pb__low0"
      all.emplace_back(text.substr(at, end - at));
    at = end;
  }
  const auto key = [](const std::string &name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::string kind = name.substr(0, digits), number = name.substr(digits);
    return std::tuple(number.size(), number,
                      kind.ends_with("low")    ? 0
                      : kind.ends_with("high") ? 1
                                               : 2,
                      kind);
  };
  std::sort(all.begin(), all.end(),
            [&](const std::string &a, const std::string &b) { return key(a) < key(b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

class KernelReader {
public:
  KernelReader(Reader &reader, const poly::Context &ctx) : r_(reader), ctx_(ctx) {}

  /// Reads a kernel, whose first line is the current one.
  Scheduled read() {
    header();
    const source::Span name = header_;
    std::vector<std::string> parameters = kernel_.parameters;
    for (const std::string &own : ownParameters(r_.text()))
      parameters.push_back(own);
    const Fragments fragments(r_, ctx_, parameters, kernel_);
    kernel_.context = isl::manage(isl_set_universe(isl_space_params_alloc(ctx_.get().get(), 0)));
    std::optional<Fragment> dependences;
    textual::CutReader cut;
    while (r_.nextIndentation() > 0) {
      r_.nextLine();
      const int indentation = r_.indentation();
      if (r_.startsWithElement())
        statement(fragments);
      else if (r_.accept("context"))
        kernel_.context = fragments.condition(r_.raw("", "conditions on the parameters"));
      else if (r_.accept("buffer"))
        textual::readBuffer(r_, fragments, kernel_);
      else if (r_.accept("dependences"))
        dependences = onNextLine(indentation);
      else if (r_.accept("schedule"))
        kernel_.schedule.tree = tree(fragments);
      else if (r_.accept("plain"))
        r_.expect("schedule", ""), kernel_.schedule.plain = tree(fragments);
      else if (!cut.read(r_, fragments, kernel_))
        r_.failExpected("a line of a kernel: context, buffer, a statement such as `S0[x]: ...`, dependences, "
                        "task, tasks, bytes, "
                        "block, schedule, or plain schedule");
    }
    cut.finish(r_, kernel_.schedule);
    if (kernel_.statements.empty())
      r_.fail(name, "this kernel has no statement");
    if (kernel_.schedule.tree.is_null())
      r_.fail(name, "this kernel has no `schedule`",
              "a line `schedule`, and below it the tree of its loops, such as `band y, x`");
    finish(name, dependences ? std::optional(fragments.dependences(*dependences)) : std::nullopt);
    return std::move(kernel_);
  }

  /// Where its name stands.
  source::Span nameSpan() const { return name_; }

private:
  void header() {
    const std::uint32_t begin = r_.position();
    if (r_.indentation() > 0 || !r_.accept("kernel"))
      r_.failExpected("`kernel` and its name, at the beginning of a line");
    const std::uint32_t nameBegin = r_.position();
    kernel_.name = r_.nonSpace("the kernel's name");
    name_ = r_.since(nameBegin);
    if (r_.accept("[")) {
      do {
        const std::uint32_t begin = r_.position();
        kernel_.parameters.push_back(r_.word("the name of a parameter"));
        if (std::count(kernel_.parameters.begin(), kernel_.parameters.end(), kernel_.parameters.back()) > 1)
          r_.fail(r_.since(begin), "two parameters have the same name");
      } while (r_.accept(","));
      r_.expect("]", "`,` or `]`");
    }
    if (r_.accept("may"))
      r_.expect("reassociate", ""), kernel_.reassociates = true;
    header_ = r_.since(begin);
    r_.expectEnd();
  }

  Fragment onNextLine(int indentation) {
    r_.expectEnd();
    if (r_.nextIndentation() <= indentation)
      r_.fail(r_.here(), "expected the dependences in the next line, further to the right");
    r_.nextLine();
    const Fragment found = r_.bracketed("the dependences, such as `{ S0[x] -> S0[1 + x] }`");
    r_.expectEnd();
    return found;
  }

  void statement(const Fragments &fragments) {
    if (!kernel_.schedule.tree.is_null())
      r_.fail(r_.here(), "statements come before the schedule");
    textual::readStatement(r_, fragments, kernel_);
  }

  isl::schedule tree(const Fragments &fragments) {
    const source::Span where = r_.here();
    isl::schedule made;
    if (!ctx_.withBudget(kDependenceBudget, [&] { made = textual::readTree(r_, fragments, kernel_); }))
      r_.fail(where, "the tree of this schedule has too many cases");
    return made;
  }

  /// What follows from the rest.
  void finish(source::Span name, const std::optional<isl::union_map> &said) {
    std::vector<std::string> complaints;
    const bool isDone = ctx_.withBudget(kDependenceBudget, [&] {
      if (!said)
        requireOrder(name);
      kernel_.dependences = said ? *said : dependences(kernel_).intersect_params(kernel_.context);
      complaints = verify(kernel_);
      if (const auto flagged = withFlags(kernel_.schedule.tree, kernel_.dependences))
        kernel_.schedule.tree = *flagged;
    });
    if (!isDone)
      r_.fail(name, "the dependences of this kernel cannot be found in reasonable time",
              "a line `dependences`, and below it pairs of instances, says which must keep their order");
    if (!complaints.empty())
      r_.fail(name, complaints.front());
  }

  void requireOrder(source::Span name) {
    const isl::union_map pairs = unordered(kernel_);
    if (pairs.is_empty())
      return;
    const isl::basic_map pair = isl::manage(isl_union_map_sample(pairs.copy()));
    const auto statement = [&](isl_dim_type end) {
      return std::string(isl_basic_map_get_tuple_name(pair.get(), end));
    };
    r_.fail(name,
            "the schedule gives no order to instances of " + statement(isl_dim_in) + " and " +
                statement(isl_dim_out) + " that access the same element, such as " +
                textual::braces(poly::text(isl::map(pair))),
            "a band over another dimension, or a sequence, gives one");
  }

  Reader &r_;
  const poly::Context &ctx_;
  Scheduled kernel_;
  source::Span header_ = {}, name_ = {};
};

} // namespace

std::vector<Scheduled> parse(source::FileId file, const poly::Context &ctx,
                             source::Diagnostics &diagnostics) {
  std::vector<Scheduled> all;
  std::map<std::string, source::Span> places;
  try {
    Reader reader(file, diagnostics);
    while (reader.nextLine()) {
      KernelReader kernel(reader, ctx);
      all.push_back(kernel.read());
      const auto [place, isNew] = places.emplace(all.back().name, kernel.nameSpan());
      if (isNew)
        continue;
      diagnostics.error(kernel.nameSpan(), "two kernels are called `" + all.back().name + "`")
          .note(place->second, "the other one is here")
          .help("give each its own name: by it, `pbc opt --kernel=NAME` and messages tell them apart");
      throw textual::Stop();
    }
    if (all.empty())
      reader.fail(reader.here(), "there is no kernel here",
                  "a kernel begins with a line `kernel NAME [PARAMETERS]`");
  } catch (const textual::Stop &) {
    all.clear();
  }
  return all;
}

} // namespace pbc::kernel
