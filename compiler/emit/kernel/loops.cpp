#include "compiler/emit/kernel/loops.h"
#include "compiler/kernel/tree.h"
#include "compiler/poly/expression.h"
#include <exception>
#include <isl/aff.h>
#include <isl/ast.h>
#include <isl/ast_build.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace pbc::emit {

using kernel::Buffer;

namespace {

struct Generation {
  const kernel::Kernel &kernel;
  LoopNest &nest;
  std::exception_ptr error;
};

isl_ast_node *atInstance(isl_ast_node *node, isl_ast_build *build, void *user) {
  auto &g = *static_cast<Generation *>(user);
  try {
    isl::map schedule = isl::manage(isl_map_from_union_map(isl_ast_build_get_schedule(build)));
    const std::string name = isl_map_get_tuple_name(schedule.get(), isl_dim_in);
    LoopNest::Instance instance;
    instance.statement = kernel::statementIndex(g.kernel, name);
    const kernel::Statement &s = g.kernel.statements[instance.statement];
    isl_pw_multi_aff *toInstance = isl_pw_multi_aff_from_map(schedule.reverse().release());
    for (std::size_t k = 0; k < s.accesses.size(); ++k) {
      const Buffer &b = g.kernel.buffers[s.accesses[k].buffer];
      if (b.role != Buffer::Role::Local || b.storageExtents.empty())
        continue;
      isl_pw_multi_aff *at =
          isl_pw_multi_aff_from_map(s.accesses[k].relation.apply_range(*b.storage).release());
      at = isl_pw_multi_aff_pullback_pw_multi_aff(at, isl_pw_multi_aff_copy(toInstance));
      std::vector<isl::ast_expr> indices;
      for (std::size_t d = 0; d < b.storageExtents.size(); ++d)
        indices.push_back(isl::manage(
            isl_ast_build_expr_from_pw_aff(build, isl_pw_multi_aff_get_pw_aff(at, static_cast<int>(d)))));
      isl_pw_multi_aff_free(at);
      instance.localIndices.emplace(static_cast<int>(k), std::move(indices));
    }
    isl_pw_multi_aff_free(toInstance);
    isl_id *id = isl_id_alloc(isl_ast_node_get_ctx(node),
                              ("@" + std::to_string(g.nest.instances.size())).c_str(), nullptr);
    g.nest.instances.push_back(std::move(instance));
    return isl_ast_node_set_annotation(node, id);
  } catch (...) {
    g.error = std::current_exception(); // must not travel through isl's C frames
    isl_ast_node_free(node);
    return nullptr;
  }
}

class LoopPrinter {
public:
  LoopPrinter(const kernel::Kernel &kernel, const LoopNest &nest, bool unitStride, Used &used)
      : kernel_(kernel), nest_(nest), unitStride_(unitStride), used_(used) {
    for (std::size_t s = 0; s < kernel.statements.size(); ++s)
      statements_.emplace_back(kernel, static_cast<int>(s), unitStride, used);
  }

  std::string print(const isl::ast_node &node, const std::string &indent, const std::string &pragma = "") {
    switch (isl_ast_node_get_type(node.get())) {
    case isl_ast_node_for:
      return loop(node, indent, pragma);
    case isl_ast_node_if:
      return condition(node, indent, pragma);
    case isl_ast_node_mark:
      return mark(node, indent, pragma);
    case isl_ast_node_user:
      return instance(node, indent);
    case isl_ast_node_block: {
      std::string text;
      isl_ast_node_list *children = isl_ast_node_block_get_children(node.get());
      for (int k = 0, n = static_cast<int>(isl_ast_node_list_n_ast_node(children)); k < n; ++k)
        text += print(isl::manage(isl_ast_node_list_get_ast_node(children, k)), indent, pragma);
      isl_ast_node_list_free(children);
      return text;
    }
    default:
      return "";
    }
  }

private:
  std::string cxx(isl_ast_expr *taken) {
    return poly::cxx(isl::manage(taken), [&](const std::string &name) { return emittedName(name, used_); });
  }

  std::string loop(const isl::ast_node &node, const std::string &indent, const std::string &pragma) {
    const std::string i = cxx(isl_ast_node_for_get_iterator(node.get()));
    const std::string start = cxx(isl_ast_node_for_get_init(node.get()));
    const isl::ast_node body = isl::manage(isl_ast_node_for_get_body(node.get()));
    if (isl_ast_node_for_is_degenerate(node.get()) == isl_bool_true)
      return indent + "{\n" + indent + "  [[maybe_unused]] const long " + i + " = " + start + ";\n" +
             print(body, indent + "  ") + indent + "}\n";
    return (pragma.empty() ? "" : "#pragma clang loop " + pragma + "\n") + indent + "for (long " + i + " = " +
           start + "; " + cxx(isl_ast_node_for_get_cond(node.get())) + "; " + i +
           " += " + cxx(isl_ast_node_for_get_inc(node.get())) + ") {\n" + print(body, indent + "  ") +
           indent + "}\n";
  }

  std::string condition(const isl::ast_node &node, const std::string &indent, const std::string &pragma) {
    std::string text = indent + "if (" + cxx(isl_ast_node_if_get_cond(node.get())) + ") {\n" +
                       print(isl::manage(isl_ast_node_if_get_then_node(node.get())), indent + "  ", pragma) +
                       indent + "}";
    if (isl_ast_node_if_has_else_node(node.get()) == isl_bool_true)
      text += " else {\n" +
              print(isl::manage(isl_ast_node_if_get_else_node(node.get())), indent + "  ", pragma) + indent +
              "}";
    return text + "\n";
  }

  std::string mark(const isl::ast_node &node, const std::string &indent, const std::string &outer) {
    isl_id *id = isl_ast_node_mark_get_id(node.get());
    const std::string name = isl_id_get_name(id);
    isl_id_free(id);
    const isl::ast_node inner = isl::manage(isl_ast_node_mark_get_node(node.get()));
    if (name.rfind("alloc:", 0) == 0) {
      std::string text;
      for (const Buffer &b : kernel_.buffers) {
        if (b.name != name.substr(6))
          continue;
        text = indent + body::cxxType(b.element) + " " + b.name;
        for (long extent : b.storageExtents)
          text += "[" + std::to_string(extent) + "]";
        text += ";\n";
      }
      return text + print(inner, indent, outer);
    }
    std::string pragma;
    if (unitStride_ && name == "vector")
      pragma = "vectorize(assume_safety)";
    if (unitStride_ && name == "lanes")
      pragma = "vectorize(assume_safety) unroll(disable)";
    if (unitStride_ && name == "unroll")
      pragma = "unroll(full)";
    return print(inner, indent, pragma);
  }

  std::string instance(const isl::ast_node &node, const std::string &indent) {
    isl_id *id = isl_ast_node_get_annotation(node.get());
    const auto &at = nest_.instances[std::stoul(isl_id_get_name(id) + 1)];
    isl_id_free(id);
    std::map<int, std::vector<std::string>> localIndices;
    for (const auto &[access, indices] : at.localIndices)
      for (const isl::ast_expr &e : indices)
        localIndices[access].push_back(cxx(e.copy()));
    isl_ast_expr *call = isl_ast_node_user_get_expr(node.get());
    std::vector<std::string> dimensions; // argument 0 is the statement's name
    for (int k = 1, n = static_cast<int>(isl_ast_expr_op_get_n_arg(call)); k < n; ++k)
      dimensions.push_back(cxx(isl_ast_expr_op_get_arg(call, k)));
    isl_ast_expr_free(call);
    return statements_[at.statement].print(dimensions, localIndices, indent);
  }

  const kernel::Kernel &kernel_;
  const LoopNest &nest_;
  bool unitStride_;
  Used &used_;
  std::vector<StatementPrinter> statements_;
};

} // namespace

LoopNest generate(const kernel::Kernel &kernel) {
  LoopNest nest;
  isl_ctx *ctx = isl_schedule_get_ctx(kernel.schedule.get());
  isl_ast_build *build = isl_ast_build_from_context(kernel.context.copy());
  isl_id_list *iterators = isl_id_list_alloc(ctx, 0);
  for (int k = 0; k < 32; ++k)
    iterators = isl_id_list_add(iterators, isl_id_alloc(ctx, ("pb__c" + std::to_string(k)).c_str(), nullptr));
  build = isl_ast_build_set_iterators(build, iterators);
  Generation generation{kernel, nest, nullptr};
  build = isl_ast_build_set_at_each_domain(build, atInstance, &generation);
  isl_ast_node *root = isl_ast_build_node_from_schedule(build, kernel.schedule.copy());
  isl_ast_build_free(build);
  if (generation.error) {
    isl_ast_node_free(root);
    std::rethrow_exception(generation.error);
  }
  if (!root)
    isl::exception::throw_last_error(isl::ctx(ctx));
  nest.root = isl::manage(root);
  return nest;
}

std::string printLoops(const kernel::Kernel &kernel, const LoopNest &nest, bool unitStride, Used &used) {
  return LoopPrinter(kernel, nest, unitStride, used).print(nest.root, "  ");
}

} // namespace pbc::emit
