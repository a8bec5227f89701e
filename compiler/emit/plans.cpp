#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/parts.h"
#include <algorithm>
#include <map>

namespace pbc::emit {

namespace {

/// The functions of one alternative; kernels that several alternatives share are printed once.
class PlanPrinter {
public:
  explicit PlanPrinter(const Scope &scope) : scope_(scope), t_(scope.transform) {}

  PlanTexts print() {
    const auto &plans = scope_.input.plans[t_.index].plans;
    for (std::size_t k = 0; k < plans.size(); ++k)
      plan(k, plans[k]);
    return {kernels_ + steps_ + out_, only_};
  }

private:
  const std::optional<kernel::Kernel> &kernelOf(std::size_t plan, std::size_t step) const {
    return scope_.input.kernels[t_.index][plan][step];
  }

  /// The function of a step's kernel. Making its loops is the dearest thing that the emitter does: once per
  /// step.
  const std::string &kernelName(std::size_t plan, std::size_t step) {
    const auto at = nameOfStep_.find({plan, step});
    return at != nameOfStep_.end()
               ? at->second
               : nameOfStep_.emplace(std::pair(plan, step), printed(*kernelOf(plan, step), plan))
                     .first->second;
  }

  std::string printed(const kernel::Kernel &k, std::size_t plan) {
    const std::string placeholder = "pb_kernel_name";
    const std::string text =
        kernelFunction(k, placeholder, scope_.frame(), scope_.context, mayShareViews(scope_, plan));
    const auto [at, isNew] = kernelNames_.emplace(text, fmt::format("pb_kernel_{}", kernelNames_.size()));
    if (isNew) {
      std::string named = text;
      for (std::size_t p = 0; (p = named.find(placeholder, p)) != std::string::npos; p += at->second.size())
        named.replace(p, placeholder.size(), at->second);
      kernels_ += named + "\n";
    }
    return at->second;
  }

  /// Temporaries of the plan: `through` matrices that one of its steps writes.
  std::string throughMatrices(const schedule::Plan &plan) const {
    std::vector<bool> written(t_.matrices.size(), false);
    for (const auto &step : plan.steps)
      for (const auto &use : step.uses)
        for (const auto &o : t_.rules[use.rule].outputs)
          written[o.matrix] = true;
    std::string out;
    for (std::size_t m = 0; m < t_.matrices.size(); ++m) {
      if (t_.matrices[m].role != sema::Role::Through || !written[m])
        continue;
      std::string sizes;
      for (const auto &e : t_.matrices[m].extents)
        sizes += (sizes.empty() ? "" : ", ") + e.cxx;
      out += fmt::format("  pb_f.m_{} = {}::allocate({});\n", poly::mangle(t_.matrices[m].name),
                         regionType(t_.matrices[m].element, t_.matrices[m].rank(), false), sizes);
    }
    return out;
  }

  std::string box(const kernel::Kernel &k) const {
    std::string low, high;
    for (const auto &d : k.taskDimensions)
      low += (low.empty() ? "" : ", ") + d.low, high += (high.empty() ? "" : ", ") + d.high;
    return fmt::format("const pb::Box pb_box{{{}, {{{}}}, {{{}}}}};", k.taskDimensions.size(), low, high);
  }

  std::string sequentialStep(std::size_t plan, std::size_t step) {
    const auto &s = scope_.input.plans[t_.index].plans[plan].steps[step];
    if (s.callsTransforms)
      return pointLoops(scope_, s, false);
    const auto &k = *kernelOf(plan, step);
    const std::string &name = kernelName(plan, step);
    if (k.taskDimensions.empty())
      return fmt::format("  {}(&pb_f, nullptr, nullptr);\n", name);
    return fmt::format("  {{\n    {}\n    {}(&pb_f, pb_box.low, pb_box.high);\n  }}\n", box(k), name);
  }

  /// Statements of a coroutine.
  std::string parallelStep(std::size_t plan, std::size_t step) {
    const auto &s = scope_.input.plans[t_.index].plans[plan].steps[step];
    if (s.callsTransforms)
      return pointLoops(scope_, s, true);
    const auto &k = *kernelOf(plan, step);
    const std::string &name = kernelName(plan, step);
    if (k.taskDimensions.empty())
      return fmt::format("  {}(&pb_f, nullptr, nullptr);\n", name);
    std::string grain;
    for (const auto &d : k.taskDimensions)
      grain += (grain.empty() ? "" : ", ") + std::to_string(d.grain);
    return fmt::format("  {{\n    {}\n    const long pb_grain[] = {{{}}};\n"
                       "    co_await pb::forEachBox(pb_box, pb::splitOf(pb_box, pb_f.pb_split, pb_grain), "
                       "{}, &pb_f);\n  }}\n",
                       box(k), grain, name);
  }

  void plan(std::size_t number, const schedule::Plan &plan) {
    const std::string parameters = "  " + parameterDefinitions(scope_) + "\n";
    std::string sequential, parallel = throughMatrices(plan);
    sequential += parallel;
    for (std::size_t s = 0; s < plan.steps.size(); ++s)
      sequential += sequentialStep(number, s);
    for (const auto &level : levels(plan)) {
      if (level.size() == 1) {
        parallel += parallelStep(number, level.front());
        continue;
      }
      // Steps that do not read from each other run side by side.
      parallel += "  {\n  pb::SpawnScope pb_steps;\n";
      for (std::size_t i = 0; i < level.size(); ++i) {
        const std::string name = fmt::format("pb_step_{}_{}", number, level[i]);
        steps_ += fmt::format("PB_SMALL static pb::Job {}({} &pb_f) {{\n{}{}  co_return;\n}}\n\n", name,
                              scope_.frame(), parameters, parallelStep(number, level[i]));
        parallel += i + 1 < level.size() ? fmt::format("  pb_steps.spawn({}(pb_f));\n", name)
                                         : fmt::format("  co_await {}(pb_f);\n", name);
      }
      parallel += "  co_await pb_steps.sync();\n  }\n";
    }
    out_ += fmt::format("/// {}\nstatic void pb_seq_plan_{}({} &pb_f) {{\n{}{}}}\n\n", plan.alternative,
                        number, scope_.frame(), parameters, sequential);
    // A coroutine costs Clang as much as ten loops: the only plan of a transform stands in the entry itself.
    if (scope_.input.plans[t_.index].plans.size() == 1)
      only_ = parameters + parallel;
    else
      out_ += fmt::format("PB_SMALL static pb::Job pb_par_plan_{}({} &pb_f) {{\n{}{}  co_return;\n}}\n\n",
                          number, scope_.frame(), parameters, parallel);
  }

  /// Steps grouped so that each group needs only earlier groups.
  static std::vector<std::vector<std::size_t>> levels(const schedule::Plan &plan) {
    std::vector<std::size_t> levelOf(plan.steps.size(), 0);
    std::vector<std::vector<std::size_t>> out;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
      for (const int before : plan.steps[s].after)
        levelOf[s] = std::max(levelOf[s], levelOf[before] + 1);
      if (levelOf[s] >= out.size())
        out.resize(levelOf[s] + 1);
      out[levelOf[s]].push_back(s);
    }
    return out;
  }

  const Scope &scope_;
  const sema::Transform &t_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> nameOfStep_;
  std::map<std::string, std::string> kernelNames_;
  std::string kernels_, steps_, out_, only_;
};

} // namespace

PlanTexts plans(const Scope &scope) { return PlanPrinter(scope).print(); }

} // namespace pbc::emit
