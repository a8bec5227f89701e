// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/read_schedule.h"
#include "compiler/kernel/textual/types.h"
#include "compiler/kernel/tree.h"
#include <algorithm>

namespace pbc::kernel::textual {
namespace {

/// The number of a task dimension that has this name and was read before; the fragment is its place.
int taskNamed(const Reader &r, const Schedule &schedule, const Fragment &name) {
  for (std::size_t k = 0; k < schedule.taskDimensions.size(); ++k)
    if (schedule.taskDimensions[k].name == name.text)
      return static_cast<int>(k);
  r.fail(name.span, "no task dimension is called `" + name.text + "`");
}

void task(Reader &r, const Fragments &fragments, Schedule &schedule,
          std::vector<std::pair<std::size_t, Fragment>> &along) {
  TaskDimension t;
  t.name = r.before(" in [", "the name of a function and its range, such as `x in [0, w)`").text;
  t.low = fragments.ofParameters(r.raw(",", "the begin of the range"));
  r.expect(",", "");
  t.high = fragments.ofParameters(r.raw(")", "the end of the range"));
  r.expect(")", "");
  r.expect("by", "`by` and the least size of a part");
  t.grain = r.integer("the least size of a part", 1);
  while (r.accept(",")) {
    if (r.accept("time")) {
      t.isPlace = false;
    } else if (r.accept("slope")) {
      t.slope = static_cast<int>(r.integer("the slope", -1'000'000));
      r.expect("along", "`along` and the name of the dimension of time");
      along.emplace_back(schedule.taskDimensions.size(), r.raw(",", "the name of the dimension of time"));
    } else {
      r.expect("down", "`time`, `slope N along NAME` or `down N`");
      t.down = static_cast<int>(r.integer("the slope downwards", -1'000'000));
    }
  }
  schedule.taskDimensions.push_back(std::move(t));
}

class BlockReader {
public:
  BlockReader(Reader &reader, const Fragments &fragments, const Scheduled &kernel)
      : r_(reader), fragments_(fragments), kernel_(kernel) {}

  RegisterTile read() {
    if (kernel_.statements.empty())
      r_.fail(r_.here(), "a block comes after the statements");
    RegisterTile tile{};
    tile.x = dimension();
    r_.expect(",", "");
    tile.y = dimension();
    r_.expect("of", "`of` and a type");
    const std::uint32_t begin = r_.position();
    const std::optional<Scalar> type = typeNamed(r_.word("a type"));
    if (!type)
      r_.fail(r_.since(begin), "expected a type: double, float, int, long, byte or bool");
    tile.element = *type;
    while (r_.accept(","))
      detail(tile);
    return tile;
  }

private:
  int dimension() {
    const std::uint32_t begin = r_.position();
    const Statement &first = kernel_.statements.front();
    const std::string name = r_.word("a dimension");
    const auto end = first.dimensions.begin() + first.freeCount,
               at = std::find(first.dimensions.begin(), end, name);
    if (at == end)
      r_.fail(r_.since(begin), "`" + name + "` is no free variable of " + first.name);
    return static_cast<int>(at - first.dimensions.begin());
  }

  void detail(RegisterTile &tile) {
    if (r_.accept("deep")) {
      tile.isDeep = true;
    } else if (r_.accept("moves")) {
      tile.moves = true;
    } else if (r_.accept("backward")) {
      tile.isBackward = true;
    } else if (r_.accept("panel")) {
      panel(tile);
    } else if (r_.accept("resumes")) {
      tile.resumes = true;
    } else if (r_.accept("joined")) {
      r_.expect("from", "");
      isl::pw_aff begin = fragments_.ofParameters(r_.raw(",", "the first step"));
      r_.expect(",", "");
      r_.expect("to", "");
      tile.joined = {begin, fragments_.ofParameters(r_.raw(",", "the end of the steps"))};
    } else if (r_.accept("behind")) {
      tile.behind = fragments_.ofParameters(r_.raw(",", "the distance"));
    } else if (r_.accept("rows")) {
      tile.shape.rows = static_cast<int>(r_.integer("the number of rows", 1));
    } else if (r_.accept("vectors")) {
      tile.shape.vectors = static_cast<int>(r_.integer("the number of vectors", 1));
    } else if (r_.accept("depth")) {
      tile.shape.depth = r_.integer("the depth", 1);
    } else if (r_.accept("columns")) {
      tile.shape.columns = r_.integer("the number of columns", 1);
    } else {
      tile.scalars = static_cast<int>(r_.integer("what else is known of the block: N scalars, deep, moves, "
                                                 "panel, resumes, joined, backward, behind, "
                                                 "rows, vectors, depth or columns"));
      r_.expect("scalars", "");
    }
  }

  void panel(RegisterTile &tile) {
    RegisterTile::Panel p{};
    const std::uint32_t begin = r_.position();
    const std::string name = r_.word("the name of a statement");
    p.statement = statementIndex(kernel_, name);
    if (p.statement < 0)
      r_.fail(r_.since(begin), "there is no statement `" + name + "`");
    const auto count =
        static_cast<long>(kernel_.statements[static_cast<std::size_t>(p.statement)].accesses.size());
    p.access = static_cast<int>(r_.integer("the number of an access of " + name, 0, count - 1));
    r_.expect("along", "");
    const int d = dimension();
    if (d != tile.x && d != tile.y)
      r_.fail(r_.since(begin), "a panel lies along one of the block's dimensions");
    p.alongX = d == tile.x;
    tile.panels.push_back(p);
  }

  Reader &r_;
  const Fragments &fragments_;
  const Scheduled &kernel_;
};

} // namespace

bool CutReader::read(Reader &r, const Fragments &fragments, Scheduled &kernel) {
  Schedule &schedule = kernel.schedule;
  if (r.accept("task")) {
    task(r, fragments, schedule, along_);
  } else if (r.accept("tasks")) {
    if (r.accept("in")) {
      for (const char *word : {"rounds", "of", "the", "first"})
        r.expect(word, "`tasks in rounds of the first`");
      schedule.taskOrder = TaskOrder::Rounds;
    } else {
      for (const char *word : {"as", "a", "wavefront"})
        r.expect(word, "`tasks in rounds of the first` or `tasks as a wavefront`");
      schedule.taskOrder = TaskOrder::Wavefront;
    }
  } else if (r.accept("bytes")) {
    for (const char *word : {"per", "place", ":"})
      r.expect(word, "`bytes per place: N`");
    schedule.bytesPerPlace = r.integer("a number of bytes");
  } else if (r.accept("block")) {
    schedule.registerTile = BlockReader(r, fragments, kernel).read();
  } else {
    return false;
  }
  r.expectEnd();
  return true;
}

void CutReader::finish(const Reader &r, Schedule &schedule) const {
  for (const auto &[task, name] : along_)
    schedule.taskDimensions[task].along = taskNamed(r, schedule, name);
}

} // namespace pbc::kernel::textual
