// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/read_tree.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/textual/tree_lines.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel::textual {
namespace {

/// Makes the tree of its lines, from the root to the leaves: what a line means depends on the statements that reach it.
class TreeBuilder {
public:
  TreeBuilder(const Reader &reader, const Fragments &fragments, const Scheduled &kernel)
      : r_(reader), f_(fragments), kernel_(kernel) {}

  /// Puts the line at a leaf; returns the node at the leaf's place. `isRealised`: the line above says how its loop runs.
  isl::schedule_node at(const isl::schedule_node &leaf, const Line &line, bool isRealised = false) const {
    if (line.kind == Line::Kind::Band) {
      const isl::schedule_node made = band(leaf, line);
      return isRealised ? made : labelled(made, line);
    }
    if (line.kind != Line::Kind::Mark)
      return parts(leaf, line);
    if (const auto *declared = std::get_if<Declare>(&*line.mark)) {
      requireLocal(declared->local, line.span);
      return insertMark(below(leaf, line), *declared);
    }
    const isl::schedule_node made = insertMark(below(leaf, line, true), *line.mark);
    return line.below.empty() ? made : labelled(made, line.below.front());
  }

private:
  isl::schedule_node below(const isl::schedule_node &leaf, const Line &line, bool isRealised = false) const {
    return line.below.empty() ? leaf : at(leaf, line.below.front(), isRealised);
  }

  /// A label is above the loop's realisation, but stands in the line of its band.
  static isl::schedule_node labelled(const isl::schedule_node &node, const Line &band) {
    if (band.members.empty() || !band.members.front().label)
      return node;
    return insertMark(node, Label{band.members.front().label->text});
  }

  void requireLocal(const std::string &name, source::Span where) const {
    const auto isIt = [&](const Buffer &b) { return b.name == name && !isMatrix(b); };
    if (std::none_of(kernel_.buffers.begin(), kernel_.buffers.end(), isIt))
      r_.fail(where, "there is no local or scratch buffer `" + name + "`");
  }

  isl::schedule_node band(const isl::schedule_node &leaf, const Line &line) const {
    const std::vector<std::string> names = statementsAt(leaf);
    if (names.empty())
      r_.fail(line.span, "no statement reaches this band");
    const isl::union_set domain = isl::manage(isl_schedule_node_get_domain(leaf.get()));
    isl::union_pw_aff_list functions =
        isl::manage(isl_union_pw_aff_list_alloc(isl_schedule_node_get_ctx(leaf.get()), 1));
    for (const MemberText &m : line.members) {
      const isl::union_pw_aff f = over(names, m);
      if (!domain.intersect_params(kernel_.context).is_subset(f.domain())) // impossible sizes do not matter
        r_.fail(m.span, "this is no function of all instances that reach the band");
      functions = functions.add(f);
    }
    isl_space *space = isl_space_set_from_params(isl_union_set_get_space(domain.get()));
    space = isl_space_add_dims(space, isl_dim_set, static_cast<unsigned>(line.members.size()));
    isl_multi_union_pw_aff *all = isl_multi_union_pw_aff_from_union_pw_aff_list(space, functions.release());
    const isl::schedule_node made = isl::manage(isl_schedule_node_insert_partial_schedule(leaf.copy(), all));
    return below(made.child(0), line).parent();
  }

  const Statement &statement(const std::string &name) const {
    return kernel_.statements[static_cast<std::size_t>(statementIndex(kernel_, name))];
  }

  /// The function of one member for all statements that reach the band.
  isl::union_pw_aff over(const std::vector<std::string> &names, const MemberText &m) const {
    if (m.function.text.starts_with("{"))
      return f_.functions(m.function);
    isl::union_pw_aff all = isl::manage(isl_union_pw_aff_empty_ctx(isl_set_get_ctx(kernel_.context.get())));
    const auto add = [&](const Fragment &function, const std::string &name) {
      isl::pw_aff own = f_.function(function, statement(name)); // throws before `all` is released
      all = isl::manage(isl_union_pw_aff_add_pw_aff(all.release(), own.release()));
    };
    if (m.own.empty())
      for (const std::string &name : names)
        add(m.function, name);
    std::vector<std::string> missing = names;
    for (const MemberText::Own &own : m.own)
      for (const Fragment &name : own.statements) {
        take(missing, name);
        add(own.function, name.text);
      }
    if (!m.own.empty() && !missing.empty())
      r_.fail(m.span, "there is no function of " + poly::join(missing) + ", which reaches this band");
    return all;
  }

  /// Takes a name from those that may stand here.
  void take(std::vector<std::string> &from, const Fragment &name) const {
    const auto found = std::find(from.begin(), from.end(), name.text);
    if (found == from.end())
      r_.fail(name.span, "`" + name.text + "` is no statement that can stand here",
              from.empty() ? "" : "the statements that can are " + poly::join(from));
    from.erase(found);
  }

  isl::schedule_node parts(const isl::schedule_node &leaf, const Line &line) const {
    if (line.below.empty())
      r_.fail(line.span, "this line has no parts below it", "a part is a line with the names of statements");
    const auto known = [&](const isl::union_set &set) { return set.intersect_params(kernel_.context); };
    const isl::union_set all = known(isl::manage(isl_schedule_node_get_domain(leaf.get())));
    const std::vector<std::string> names = statementsAt(leaf);
    isl::union_set seen = isl::manage(isl_union_set_empty_ctx(isl_set_get_ctx(kernel_.context.get())));
    isl::union_set_list filters =
        isl::manage(isl_union_set_list_alloc(isl_schedule_node_get_ctx(leaf.get()), 0));
    for (const Line &part : line.below) {
      const isl::union_set filter = instancesOf(part, names), own = filter.intersect(all);
      if (!own.intersect(seen).is_empty())
        r_.fail(part.span, "some instances of this part are in another one, too");
      seen = seen.unite(own);
      filters = filters.add(filter);
    }
    if (const isl::union_set missing = all.subtract(seen); !missing.is_empty())
      r_.fail(line.span, "some instances are in no part of this " +
                             std::string(line.kind == Line::Kind::Set ? "set" : "sequence") + ": those of " +
                             namesIn(missing));
    isl::schedule_node made = isl::manage(
        line.kind == Line::Kind::Set ? isl_schedule_node_insert_set(leaf.copy(), filters.release())
                                     : isl_schedule_node_insert_sequence(leaf.copy(), filters.release()));
    for (std::size_t k = 0; k < line.below.size(); ++k)
      made = below(made.child(static_cast<int>(k)).child(0), line.below[k]).parent().parent();
    return made;
  }

  static std::string namesIn(const isl::union_set &instances) {
    std::vector<std::string> names;
    instances.foreach_set([&](const isl::set &s) { names.emplace_back(isl_set_get_tuple_name(s.get())); });
    return poly::join(names);
  }

  isl::union_set instancesOf(const Line &part, const std::vector<std::string> &names) const {
    if (part.instances)
      return f_.instances(*part.instances);
    isl::union_set all = isl::manage(isl_union_set_empty_ctx(isl_set_get_ctx(kernel_.context.get())));
    for (const Fragment &name : part.statements) {
      if (statementIndex(kernel_, name.text) < 0)
        r_.fail(name.span, "there is no statement `" + name.text + "`");
      std::vector<std::string> here = names;
      take(here, name);
      all = isl::manage(isl_union_set_add_set(
          all.release(), isl_set_universe(isl_set_get_space(statement(name.text).domain.get()))));
    }
    return all;
  }

  const Reader &r_;
  const Fragments &f_;
  const Scheduled &kernel_;
};

} // namespace

isl::schedule readTree(Reader &reader, const Fragments &fragments, const Scheduled &kernel) {
  const int indentation = reader.indentation();
  isl::union_set all = isl::manage(isl_union_set_empty_ctx(isl_set_get_ctx(kernel.context.get())));
  for (const Statement &s : kernel.statements)
    all = isl::manage(isl_union_set_add_set(all.release(), s.domain.copy()));
  if (reader.accept("of"))
    all = fragments.instances(reader.bracketed("the instances, such as `{ S0[x] : x < n }`"));
  reader.expectEnd();
  const isl::schedule whole = isl::manage(isl_schedule_from_domain(all.release()));
  const std::optional<Line> lines = readLines(reader, indentation);
  if (!lines)
    return whole;
  const isl::schedule_node filled = TreeBuilder(reader, fragments, kernel).at(whole.root().child(0), *lines);
  const isl::schedule made = isl::manage(isl_schedule_node_get_schedule(filled.get()));
  return labelsOf(made).empty() ? made : labelled(kernel, made); // those that the text leaves out
}

} // namespace pbc::kernel::textual
