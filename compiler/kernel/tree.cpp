// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/tree.h"
#include <exception>
#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/id.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel {

namespace {

isl_id *idOf(isl_ctx *ctx, PlacedMark mark) {
  const std::string name = text(mark.mark);
  isl_id *id = isl_id_alloc(ctx, name.c_str(), new PlacedMark(std::move(mark)));
  return isl_id_set_free_user(id, [](void *user) { delete static_cast<PlacedMark *>(user); });
}

PlacedMark valueOf(isl_id *id) { // gives the id back
  PlacedMark mark = *static_cast<const PlacedMark *>(isl_id_get_user(id));
  isl_id_free(id);
  return mark;
}

bool isMark(const isl::schedule_node &node) {
  return isl_schedule_node_get_type(node.get()) == isl_schedule_node_mark;
}

isl::schedule_node insert(const isl::schedule_node &node, PlacedMark mark) {
  return isl::manage(isl_schedule_node_insert_mark(
      node.copy(), idOf(isl_schedule_node_get_ctx(node.get()), std::move(mark))));
}

} // namespace

isl::schedule_node insertMark(const isl::schedule_node &node, Mark mark) {
  return insert(node, {std::move(mark)});
}

std::optional<Mark> markAt(const isl::schedule_node &node) {
  if (!isMark(node))
    return std::nullopt;
  return valueOf(isl_schedule_node_mark_get_id(node.get())).mark;
}

std::optional<PlacedMark> markAt(const isl::ast_node &node) {
  if (isl_ast_node_get_type(node.get()) != isl_ast_node_mark)
    return std::nullopt;
  return valueOf(isl_ast_node_mark_get_id(node.get()));
}

isl::schedule withDepths(const isl::schedule &schedule) {
  return mapBottomUp(schedule, [](const isl::schedule_node &node) {
    if (!isMark(node))
      return node;
    PlacedMark mark = valueOf(isl_schedule_node_mark_get_id(node.get()));
    mark.depth = static_cast<int>(isl_schedule_node_get_schedule_depth(node.get()));
    return insert(isl::manage(isl_schedule_node_delete(node.copy())), std::move(mark));
  });
}

bool isBand(const isl::schedule_node &node) {
  return isl_schedule_node_get_type(node.get()) == isl_schedule_node_band;
}

int members(const isl::schedule_node &band) {
  return static_cast<int>(isl_schedule_node_band_n_member(band.get()));
}

isl::union_pw_aff member(const isl::schedule_node &band, int k) {
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(band.get());
  isl_union_pw_aff *one = isl_multi_union_pw_aff_get_union_pw_aff(partial, k);
  isl_multi_union_pw_aff_free(partial);
  return isl::manage(one);
}

std::optional<isl::pw_aff> member(const isl::schedule_node &band, int k, const std::string &statement) {
  struct Search {
    const std::string &statement;
    isl_pw_aff *found = nullptr;
  } search{statement};
  isl_union_pw_aff_foreach_pw_aff(
      member(band, k).get(),
      [](isl_pw_aff *a, void *user) {
        auto &s = *static_cast<Search *>(user);
        isl_id *id = isl_pw_aff_get_tuple_id(a, isl_dim_in);
        if (!s.found && s.statement == isl_id_get_name(id))
          s.found = a;
        else
          isl_pw_aff_free(a);
        isl_id_free(id);
        return isl_stat_ok;
      },
      &search);
  if (!search.found)
    return std::nullopt;
  return isl::manage(search.found);
}

namespace {

std::optional<MemberDirection> directionOf(const isl::pw_aff &function, const Statement &s) {
  for (int d = 0; d < static_cast<int>(s.dimensions.size()); ++d) {
    isl_local_space *space = isl_local_space_from_space(isl_pw_aff_get_domain_space(function.get()));
    const isl::pw_aff x = isl::manage(isl_pw_aff_intersect_domain(
        isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(d))),
        function.domain().release()));
    for (const bool isBackward : {false, true})
      if (isl_pw_aff_is_equal(function.get(), (isBackward ? x.neg() : x).get()) == isl_bool_true)
        return MemberDirection{d, isBackward};
  }
  return std::nullopt;
}

} // namespace

std::optional<MemberDirection> memberDirection(const Statement &s, const isl::schedule_node &band) {
  const std::optional<isl::pw_aff> function = member(band, 0, s.name);
  return function ? directionOf(*function, s) : std::nullopt;
}

std::optional<MemberDirection> memberDirection(const Kernel &kernel, const isl::schedule_node &band) {
  std::optional<MemberDirection> found;
  for (const std::string &name : statementsAt(band)) {
    const auto here =
        memberDirection(kernel.statements[static_cast<std::size_t>(statementIndex(kernel, name))], band);
    if (!here || (found && (found->dimension != here->dimension || found->isBackward != here->isBackward)))
      return std::nullopt;
    found = here;
  }
  return found;
}

int memberDimension(const Kernel &kernel, const isl::schedule_node &band) {
  const auto found = memberDirection(kernel, band);
  return found && !found->isBackward ? found->dimension : -1;
}

isl::schedule splitBands(const isl::schedule &schedule) {
  return mapBottomUp(schedule, [](isl::schedule_node node) {
    // From the bottom up, the first member stays here and the rest moves below; the rest is split in turn.
    int depth = 0;
    while (isBand(node) && members(node) > 1) {
      node = isl::manage(isl_schedule_node_child(isl_schedule_node_band_split(node.copy(), 1), 0));
      ++depth;
    }
    return depth ? isl::manage(isl_schedule_node_ancestor(node.copy(), depth)) : node;
  });
}

isl::schedule withoutRealisations(const isl::schedule &schedule) {
  return mapBottomUp(schedule, [](const isl::schedule_node &node) {
    const std::optional<Mark> mark = markAt(node);
    const Realisation *how = mark ? std::get_if<Realisation>(&*mark) : nullptr;
    const bool goes = how && !std::holds_alternative<as::Item>(*how); // an item is no way to run a loop
    return goes ? isl::manage(isl_schedule_node_delete(node.copy())) : node;
  });
}

isl::schedule withSingleLoops(const isl::schedule &schedule) {
  return mapBottomUp(schedule, [](isl::schedule_node node) {
    for (int k = 0; isBand(node) && k < members(node); ++k)
      node = isl::manage(
          isl_schedule_node_band_member_set_ast_loop_type(node.release(), k, isl_ast_loop_atomic));
    return node;
  });
}

namespace {
struct Change {
  const std::function<isl::schedule_node(const isl::schedule_node &)> &change;
  std::exception_ptr error; // exceptions must not pass through isl's C frames
};
} // namespace

isl::schedule mapBottomUp(const isl::schedule &schedule,
                          const std::function<isl::schedule_node(const isl::schedule_node &)> &change) {
  Change state{change, nullptr};
  isl_schedule *mapped = isl_schedule_map_schedule_node_bottom_up(
      schedule.copy(),
      [](isl_schedule_node *node, void *user) -> isl_schedule_node * {
        auto &s = *static_cast<Change *>(user);
        try {
          return s.change(isl::manage(node)).release();
        } catch (...) {
          s.error = std::current_exception();
          return nullptr;
        }
      },
      &state);
  if (state.error) {
    isl_schedule_free(mapped);
    std::rethrow_exception(state.error);
  }
  return isl::manage(mapped);
}

void visit(const isl::schedule_node &node, const std::function<void(const isl::schedule_node &)> &f) {
  f(node);
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k)
    visit(isl::manage(isl_schedule_node_get_child(node.get(), k)), f);
}

std::vector<std::string> statementsAt(const isl::schedule_node &node) {
  return statementsOf(isl::manage(isl_schedule_node_get_domain(node.get())));
}

std::vector<std::string> statementsOf(const isl::union_set &instances) {
  std::vector<std::string> names;
  isl_union_set_foreach_set(
      instances.get(),
      [](isl_set *s, void *user) {
        static_cast<std::vector<std::string> *>(user)->push_back(isl_set_get_tuple_name(s));
        isl_set_free(s);
        return isl_stat_ok;
      },
      &names);
  return names;
}

int statementIndex(const Kernel &kernel, const std::string &name) {
  for (std::size_t k = 0; k < kernel.statements.size(); ++k)
    if (kernel.statements[k].name == name)
      return static_cast<int>(k);
  return -1;
}

bool isVectorised(const Scheduled &kernel) {
  bool found = false;
  visit(isl::manage(isl_schedule_get_root(kernel.schedule.tree.get())), [&](const isl::schedule_node &node) {
    const std::optional<Mark> mark = markAt(node);
    found |= realisedAs<as::Vector>(mark) || realisedAs<as::Lanes>(mark);
  });
  return found;
}

} // namespace pbc::kernel
