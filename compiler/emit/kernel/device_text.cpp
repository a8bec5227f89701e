// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/device_text.h"
#include "compiler/emit/kernel/loops.h"
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/body_length.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/kept_cells.h"
#include "compiler/kernel/run_rows.h"
#include "compiler/kernel/waiting_rows.h"
#include "compiler/loop/build.h"
#include "compiler/loop/kept_rows.h"
#include "compiler/loop/narrow.h"
#include "compiler/loop/tile_loops.h"
#include "compiler/loop/verify.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pbc::emit {

using kernel::Buffer;

namespace {

class Printer {
public:
  Printer(const kernel::OnDevice &device, const std::string &entry, const std::set<std::string> &reals,
          const Dialect &dialect)
      : device_(device), reals_(reals), dialect_(dialect) {
    out_.entry = entry;
  }

  DeviceText print() {
    Used used;
    std::vector<std::pair<const kernel::DeviceVersion *, DeviceLoopText>> loops;
    for (const kernel::DeviceVersion &v : device_.versions)
      if (v.exists())
        addLoops(v, loops, used);
    out_.values.assign(used.values.begin(), used.values.end());
    findExtents();
    for (std::size_t k = 0; k < loops.size(); ++k)
      printFunction(loops[k].first->kernel, loops[k].second, out_.versions[k]);
    return std::move(out_);
  }

private:
  /// Adds the version, without its text, if there are loops that do what its script asks for: groups would compute something else by
  /// simpler ones, and teams without a loop that is shared out the same.
  void addLoops(const kernel::DeviceVersion &v,
                std::vector<std::pair<const kernel::DeviceVersion *, DeviceLoopText>> &to, Used &used) {
    const bool callsBodies = std::any_of(v.kernel.statements.begin(), v.kernel.statements.end(),
                                         [](const kernel::Statement &s) { return s.isOpaque; });
    if (callsBodies && !dialect_.hasBodies())
      return;
    const bool isKnown = !v.loopsOf.empty() && nests_.count(v.loopsOf);
    KernelNest made = isKnown ? nests_.at(v.loopsOf) : kernelNest(v.kernel, true);
    if (isKnown)
      made.nest.buffers = loop::matrices(v.kernel);
    else
      nests_.emplace(v.name, made);
    if (!made.note.empty() && kernel::workInGroups(v.kernel.schedule.tree))
      return;
    if (v.keptRows >= 0)
      made.nest.body = loop::withKeptRows(made.nest, v.keptRows);
    DeviceLoopText text = deviceLoops(made.nest, dialect_, used);
    const bool isTeam = made.nest.teams.has_value();
    if (isTeam && text.sharedOut.loops == 0)
      return;
    const std::vector<kernel::SizeOfBuild> sizes = kernel::sizesOfBuild(v.kernel);
    for (const kernel::SizeOfBuild &s : sizes)
      used.values.insert(s.size);
    out_.versions.push_back(
        {.variant = v.name,
         .script = v.script,
         .localArrays = localArrays(v.kernel, text.sharedOut),
         .sizes = sizes,
         .values = text.sharedOut.values,
         .narrow = loop::largestSizeIn32Bits(isTeam ? text.lowered : made.nest.body),
         .loops = text.lowered,
         .matrices = made.nest.buffers,
         .isTeam = isTeam,
         .inRounds = kernel::roundsOf(v.kernel.schedule) > 0,
         .hasPlanes = kernel::hasPlanes(v.kernel.schedule.tree),
         .rowsAtOnce = kernel::hasRuns(v.kernel.schedule.tree) && !kernel::hasPlanes(v.kernel.schedule.tree)
                           ? kernel::rowsAtOnce(v.kernel)
                           : 0});
    for (const kernel::Statement &s : v.kernel.statements)
      out_.versions.back().origins.push_back(s.origin);
    for (const Buffer &b : v.kernel.buffers)
      if (b.mapped)
        out_.versions.back().maps.push_back(mapOf(v.kernel, b));
    if (v.rows)
      out_.versions.back().rows = DeviceText::Rows{
          partOf(v.rows->start, "start", -1),
          partOf(v.rows->finish, "finish", v.rows->isTriangle ? v.rows->result : -1), v.rows};
    to.emplace_back(&v, std::move(text));
  }

  /// A kernel that is launched beside that of a version in blocks of rows.
  std::shared_ptr<const DeviceText> partOf(const kernel::Scheduled &kernel, const char *name,
                                           int keptRows) const {
    kernel::OnDevice launch;
    launch.items = kernel::Items{kernel, kernel};
    launch.versions.push_back({.name = name, .kernel = kernel, .keptRows = keptRows});
    return std::make_shared<const DeviceText>(
        deviceText(launch, fmt::format("{}_{}", out_.entry, name), reals_, dialect_));
  }

  DeviceText::Map mapOf(const kernel::Scheduled &kernel, const Buffer &copy) const {
    kernel::OnDevice launch;
    launch.items = kernel::Items{*copy.mapped->kernel, *copy.mapped->kernel};
    launch.versions.push_back({.name = "copy", .kernel = *copy.mapped->kernel});
    const DeviceText text = deviceText(launch, out_.entry + "_" + copy.name, reals_, dialect_);
    return {kernel::programName(kernel, copy.mapped->from), copy.mapped->from,
            std::make_shared<const DeviceText>(text), copy.mapped->kernel};
  }

  /// What a launch says besides its limits; before the numbers of teams stands the memory for values of parts.
  static std::vector<std::string> launchArguments(const kernel::Scheduled &kernel) {
    if (kernel::hasTeams(kernel.schedule.tree))
      return {"pass", "parts", "here"};
    if (kernel.schedule.steps)
      return {};
    if (kernel::isOfBlock(kernel))
      return {"lowrows", "highrows"};
    if (kernel::workInGroups(kernel.schedule.tree))
      return loop::tileArguments(kernel.schedule.taskDimensions.size());
    return {};
  }

  /// Numbers have 64 bits here; places() and function() make indices of them.
  std::string signature(const kernel::Scheduled &kernel) const {
    Signature head{out_.entry, {}};
    const auto number = [&](const std::string &name, Scalar type = Scalar::I64) {
      head.parameters.push_back({name, type});
    };
    for (const Buffer &b : kernel.buffers) {
      if (!kernel::isMatrix(b))
        continue;
      head.parameters.push_back({b.name + "_p", b.element, true, b.role == Buffer::Role::Input});
      number(b.name + "_o");
      for (int d = 0; d < b.rank; ++d)
        number(fmt::format("{}_t{}", b.name, d));
      for (int d = 0; b.mapped && d < b.rank; ++d)
        number(fmt::format("{}_e{}", b.name, d));
    }
    for (const std::string &v : out_.values)
      number(v + "_w", reals_.count(v) ? Scalar::F64 : Scalar::I64);
    for (const auto &[b, d] : out_.extents)
      number(fmt::format("{}_e{}", kernel.buffers[b].name, d));
    for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
      for (const char *limit : {"low", "high"})
        number(fmt::format("{}_w{}", limit, k));
    if (kernel::hasTeams(kernel.schedule.tree))
      head.parameters.push_back({"scratch", Scalar::I64, true});
    for (const std::string &argument : launchArguments(kernel))
      number(argument + "_w");
    return dialect_.signature(head) + "\n";
  }

  /// The extents of matrices of which groups copy what lies inside.
  void findExtents() {
    std::set<int> copied;
    for (const kernel::DeviceVersion &v : device_.versions)
      for (const kernel::Statement &s : v.kernel.statements)
        if (s.copy && !v.kernel.buffers[static_cast<std::size_t>(s.copy->from)].mapped)
          copied.insert(s.copy->from);
    for (const int b : copied)
      for (int d = 0; d < device_.items->kernel.buffers[static_cast<std::size_t>(b)].rank; ++d)
        out_.extents.emplace_back(b, d);
  }

  void printFunction(const kernel::Scheduled &kernel, const DeviceLoopText &text,
                     DeviceText::Version &to) const {
    std::string numbers;
    for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
      numbers += fmt::format("  const {0} low{1} = low_w{1}, high{1} = high_w{1};\n", dialect_.index(), k);
    for (const std::string &argument : launchArguments(kernel))
      numbers += fmt::format("  const {0} {1} = {1}_w;\n", dialect_.index(), argument);
    to.text = dialect_.prologue() + rowsAtOnce(kernel) + registers(kernel) + bodies(kernel) +
              sizesOfBuild(kernel) + signature(kernel) + "{\n" + arrays(kernel, text) + dialect_.begin() +
              places(kernel) + numbers;
    to.statements.assign(static_cast<std::size_t>(std::count(to.text.begin(), to.text.end(), '\n')),
                         DeviceText::kNoStatement);
    to.statements.insert(to.statements.end(), text.statements.begin(), text.statements.end());
    to.text += text.loops + dialect_.end() + "}\n";
  }

  /// Their arguments are there as in other versions, and not used.
  std::string sizesOfBuild(const kernel::Scheduled &kernel) const {
    std::string text;
    for (const kernel::SizeOfBuild &s : kernel::sizesOfBuild(kernel))
      text += dialect_.constant(s.size + "_v", fmt::format("({})PB_V{}", dialect_.index(), out_.placeOf(s)));
    return text;
  }

  /// How many registers an item has, where it has several points: compilers use more of them than they have to. With several variables
  /// a point, or functions, nothing is said, because they need more than the estimate.
  std::string registers(const kernel::Scheduled &kernel) const {
    constexpr const char *kOfScan = "64"; // the runtime relies on that many (device/teams.cpp)
    constexpr int kOthers = 56;           // for addresses, and for what is read of a group's memory
    const auto variables = std::count_if(kernel.buffers.begin(), kernel.buffers.end(),
                                         [](const Buffer &b) { return b.role == Buffer::Role::Local; });
    const bool isScan =
        device_.cooperation && device_.cooperation->scan && kernel::hasTeams(kernel.schedule.tree);
    if (isScan && variables <= 1 && kernel::functionsCalled(kernel) == 0)
      return dialect_.registers(kOfScan, Dialect::GroupsAtOnce::AsManyAsFit);
    if (kernel.schedule.steps)
      return variables > 1 || kernel::functionsCalled(kernel) > 0 ? "" : ofSteps(kernel);
    if (!kernel::hasBlocks(kernel.schedule.tree) || variables > 1 || kernel::functionsCalled(kernel) > 0)
      return "";
    if (kernel::hasPlanes(kernel.schedule.tree))
      return ofPlanes(kernel);
    const auto words = [](unsigned bytes) { return (bytes + 3) / 4; };
    std::string kept;
    const std::vector<loop::Matrix> all = loop::matrices(kernel);
    for (const loop::Matrix &m : all)
      if (m.isOfItem) {
        loop::Expr cells = loop::integer(words(kernel::bytesOf(m.element)));
        for (const kernel::GroupDimension &d : m.ofGroup)
          cells = loop::multiply(std::move(cells), loop::grouped(loop::itemExtent(d)));
        kept += textOf(cells, all) + " + ";
      }
    const bool isRun = kernel::hasRuns(kernel.schedule.tree);
    kept += fmt::format("PB_C0 * {} * {}", isRun ? "PB_R1" : "PB_C1", words(kernel::registerBytes(kernel)));
    return isRun ? dialect_.registers(kept, Dialect::GroupsAtOnce::Keeping)
                 : dialect_.registers(fmt::format("{} + {}", kept, kOthers));
  }

  /// What nothing reads of the box of cells is in none. The estimate is one for as many points along x as items have by default.
  std::string ofPlanes(const kernel::Scheduled &kernel) const {
    const long ofOneRow = kernel::registersInPlanes(kernel, 1),
               ofNextRow = kernel::registersInPlanes(kernel, 2) - ofOneRow;
    return dialect_.registers(
        fmt::format("({} + {} * PB_C1) * PB_C0 / {}", ofOneRow - ofNextRow, ofNextRow, kernel::runOf(kernel)),
        Dialect::GroupsAtOnce::Keeping);
  }

  /// An item has two values for each of its places: the result, and what it reads for it. Groups wait at a barrier in each round, and
  /// others compute meanwhile.
  std::string ofSteps(const kernel::Scheduled &kernel) const {
    constexpr int kOthers = 32;
    unsigned bytes = 0;
    for (const int kept : kernel.schedule.steps->kept)
      bytes += kernel::bytesOf(kernel.buffers[static_cast<std::size_t>(kept)].element);
    const std::string rows = kernel.schedule.steps->reach.size() > 1 ? " * PB_C1" : "";
    return dialect_.registers(fmt::format("{} * PB_C0{} + {}", (bytes + 1) / 2, rows, kOthers),
                              Dialect::GroupsAtOnce::AsManyAsFit);
  }

  /// How many rows of its points an item has at a time: no fewer than it keeps for the next ones.
  std::string rowsAtOnce(const kernel::Scheduled &kernel) const {
    if (!kernel::hasRuns(kernel.schedule.tree))
      return "";
    if (kernel::hasPlanes(kernel.schedule.tree)) // planes at a time
      return dialect_.constant("PB_R1", "PB_C1");
    const long rows = kernel::rowsAtOnce(kernel);
    return dialect_.constant("PB_R1", fmt::format("PB_C1 % {0} == 0 ? {0} : PB_C1", rows));
  }

  std::string textOf(const loop::Expr &e, const std::vector<loop::Matrix> &matrices) const {
    Used used;
    return CPrinter(matrices, dialect_, false, used).text(e);
  }

  /// The functions of bodies that are called, for the memory spaces of their arguments.
  static std::string bodies(const kernel::Scheduled &kernel) {
    std::string text;
    std::set<std::string> seen;
    for (const kernel::Statement &s : kernel.statements) {
      if (!s.isOpaque || !seen.insert(s.onDevice->function).second)
        continue;
      std::string before, behind;
      for (std::size_t k = 0; k < s.arguments.size(); ++k) {
        const bool isOfGroup = kernel.buffers[s.arguments[k].buffer].role == Buffer::Role::Group;
        before += fmt::format("#define PB_AT_{} {}\n", k, isOfGroup ? "PB_LOCAL" : "PB_GLOBAL");
        behind += fmt::format("#undef PB_AT_{}\n", k);
      }
      text += before + s.onDevice->text + behind;
    }
    return text;
  }

  std::string places(const kernel::Scheduled &kernel) const {
    std::string text;
    const std::vector<kernel::SizeOfBuild> built = kernel::sizesOfBuild(kernel);
    const auto isBuilt = [&](const std::string &value) {
      return std::any_of(built.begin(), built.end(), [&](const auto &s) { return s.size == value; });
    };
    for (const std::string &v : out_.values)
      if (!isBuilt(v))
        text += fmt::format("  const {} {}_v = {}_w;\n",
                            reals_.count(v) ? dialect_.type(Scalar::F64) : dialect_.index(), v, v);
    for (const auto &[b, d] : out_.extents)
      text += fmt::format("  const {2} {0}_n{1} = {0}_e{1};\n", kernel.buffers[b].name, d, dialect_.index());
    for (const Buffer &b : kernel.buffers) {
      if (!kernel::isMatrix(b))
        continue;
      for (int d = 0; b.mapped && d < b.rank; ++d)
        text += fmt::format("  const {2} {0}_n{1} = {0}_e{1};\n", b.name, d, dialect_.index());
      text += fmt::format("  {};\n", dialect_.moved(b.name + "_p", b.name + "_o"));
      for (int d = 0; d < b.rank; ++d) {
        const std::string stride = fmt::format("{}_t{}", b.name, d);
        text += fmt::format("  const {} {}_s{} = {};\n", dialect_.index(), b.name, d,
                            d ? stride : dialect_.firstStride(stride));
      }
    }
    return text;
  }

  /// The memory of the group, which comes first in a kernel.
  std::string arrays(const kernel::Scheduled &kernel, const DeviceLoopText &loops) const {
    std::string text;
    const std::vector<loop::Matrix> all = loop::matrices(kernel);
    for (const loop::Matrix &m : all)
      if (!m.ofGroup.empty() && !m.isOfItem) {
        loop::Expr count = loop::groupStride(m, m.ofGroup.size());
        if (m.buffers > 1)
          count = loop::multiply(loop::integer(m.buffers), loop::grouped(std::move(count)));
        const std::string cells = textOf(count, all);
        text += "  " + dialect_.localArray(dialect_.type(m.element), m.name + "_l", cells) + ";\n";
      }
    text += loops.arrays;
    return (text.empty() ? "" : dialect_.localArrays()) + text;
  }

  const kernel::OnDevice &device_;
  const std::set<std::string> &reals_;
  const Dialect &dialect_;
  std::map<std::string, KernelNest> nests_; // by version
  DeviceText out_;
};

} // namespace

std::size_t DeviceText::placeOf(const kernel::SizeOfBuild &size) const {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), size.size) - values.begin());
}

DeviceText deviceText(const kernel::OnDevice &device, const std::string &entry,
                      const std::set<std::string> &reals, const Dialect &dialect) {
  return Printer(device, entry, reals, dialect).print();
}

std::string whyNoDeviceText(const kernel::Scheduled &made) {
  KernelNest nest{};
  try {
    nest = kernelNest(made, true);
  } catch (const NoLoops &none) {
    return none.what();
  }
  if (!nest.note.empty())
    return nest.note;
  const loop::NodePtr lowered = loop::lower(nest.nest, {true, false, true}).body;
  if (const std::optional<std::string> wrong = loop::problem(lowered, loop::Stage::Lowered))
    return "its loops are none that can be printed: " + *wrong;
  struct Limits : loop::Visitor {
    std::size_t axes;
    std::string beyond;
    explicit Limits(std::size_t axes) : axes(axes) {}
    void expr(const loop::Expr &e) override {
      if (const loop::Name *n = loop::as<loop::Name>(e);
          n && n->kind == loop::Name::Kind::Limit && static_cast<std::size_t>(n->name.back() - '0') >= axes)
        beyond = n->name;
      Visitor::expr(e);
    }
  } limits(kernel::itemLoops(made.schedule.tree).size());
  limits.node(lowered);
  if (!limits.beyond.empty())
    return "steps behind `items` have given its loops ends that a launch does not have: `items` comes last "
           "but for copies, tiles inside of an "
           "item and `unroll`";
  return "";
}

} // namespace pbc::emit
