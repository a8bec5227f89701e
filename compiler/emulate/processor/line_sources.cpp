// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/processor/line_sources.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace pbc::emulate {
namespace {

/// A processor follows streams that move by at most so many bytes; beyond it they leave a page too soon.
constexpr long kFollowed = 2048;

/// Two streams use the same cells if they are no further from each other than this part of what each uses without a gap.
constexpr double kNearly = 0.25;

/// The cells that a stream uses in some iterations: `pieces` runs without gaps, apart from each other.
struct Extent {
  double run, pieces;
  double bytes() const { return pieces * std::ceil(run / kLineBytes) * kLineBytes; }
};

class Sources {
public:
  Sources(const Nest &nest, const std::vector<double> &bytes, bool isWarm)
      : nest_(nest), bytes_(bytes), isWarm_(isWarm) {}

  LineSources all() const {
    LineSources made;
    const double everything = volume({});
    for (std::size_t s = 0; s < nest_.streams.size(); ++s) {
      made.lines.push_back(of(s, everything));
      made.areFollowed.push_back(isFollowed(nest_.streams[s]));
    }
    return made;
  }

private:
  std::size_t memories() const { return bytes_.size(); } // behind the first one

  /// The nearest memory that holds so many bytes; 0 is the first one.
  std::size_t holder(double bytes) const {
    std::size_t k = 0;
    while (k < bytes_.size() && bytes_[k] < bytes)
      ++k;
    return k;
  }

  /// What a stream uses in all iterations of its loops from `first` on.
  Extent extent(const Stream &s, std::size_t first) const {
    std::vector<std::pair<long, double>> inner;
    for (std::size_t d = first; d < s.loops.size(); ++d)
      if (s.strides[d] != 0)
        inner.emplace_back(std::labs(s.strides[d]), times(s, d));
    std::sort(inner.begin(), inner.end());
    Extent e{static_cast<double>(s.bytes), s.cells};
    for (const auto &[stride, count] : inner)
      if (static_cast<double>(stride) <= std::max(e.run, double(kLineBytes)))
        e.run += static_cast<double>(stride) * (count - 1);
      else
        e.pieces *= count;
    return e;
  }

  double times(const Stream &s, std::size_t depth) const {
    return nest_.times[static_cast<std::size_t>(s.loops[depth])];
  }

  static bool areAlike(const Stream &a, const Stream &b) {
    return a.matrix == b.matrix && a.loops == b.loops && a.strides == b.strides;
  }

  /// What all streams inside of these loops use in one iteration of the last of them; without loops, in all.
  double volume(const std::vector<long> &around) const {
    double bytes = 0;
    std::vector<const Stream *> counted;
    for (const Stream &s : nest_.streams) {
      if (s.loops.size() < around.size() || !std::equal(around.begin(), around.end(), s.loops.begin()))
        continue;
      const std::size_t first = around.size();
      const Extent own = extent(s, first);
      double fresh = 1;
      for (const Stream *other : counted)
        if (areAlike(s, *other))
          fresh = std::min(fresh, apart(s, *other, own, first));
      bytes += own.bytes() * fresh;
      counted.push_back(&s);
    }
    return bytes;
  }

  /// Which part of a stream's extent another one, that moves like it, has not, too.
  double apart(const Stream &s, const Stream &other, const Extent &own, std::size_t first) const {
    const double distance = std::abs(static_cast<double>(s.byte - other.byte));
    double least = distance < std::max(own.run, double(kLineBytes))
                       ? distance / std::max(own.run, double(kLineBytes))
                       : 1;
    for (std::size_t d = first; d < s.loops.size(); ++d)
      if (s.strides[d] != 0) {
        const double steps = distance / std::abs(static_cast<double>(s.strides[d]));
        if (steps < times(s, d) && isNear(steps, s.strides[d]))
          least = std::min(least, steps / times(s, d));
      }
    return least;
  }

  /// Whether so many strides are a whole number of them, but for a part of a line or of a few.
  static bool isNear(double steps, long stride) {
    return std::abs(steps - std::round(steps)) * std::abs(static_cast<double>(stride)) < 4 * kLineBytes;
  }

  /// The part of the lines of an iteration of the loop at `depth` that the one before has not used.
  double freshPart(const Stream &s, std::size_t depth) const {
    const double stride = std::abs(static_cast<double>(s.strides[depth]));
    if (stride == 0)
      return 0;
    const Extent inner = extent(s, depth + 1);
    double fresh = std::min(1.0, stride / std::max(inner.run, double(kLineBytes)));
    for (std::size_t d = depth + 1; d < s.loops.size(); ++d)
      if (s.strides[d] != 0 && std::fmod(stride, std::labs(s.strides[d])) == 0)
        fresh = std::min(fresh, stride / std::abs(static_cast<double>(s.strides[d])) / times(s, d));
    return fresh;
  }

  std::vector<long> around(const Stream &s, std::size_t depth) const {
    return {s.loops.begin(), s.loops.begin() + static_cast<long>(depth) + 1};
  }

  /// After how many iterations of the loop at `depth` a stream uses what another one, of the same kind, uses now.
  std::optional<double> iterationsBehind(std::size_t which, std::size_t depth) const {
    const Stream &s = nest_.streams[which];
    if (s.strides[depth] == 0)
      return {};
    const double most = std::max(extent(s, depth + 1).run * kNearly, double(kLineBytes));
    std::optional<double> least;
    for (std::size_t k = 0; k < nest_.streams.size(); ++k) {
      const Stream &other = nest_.streams[k];
      if (k == which || !areAlike(s, other))
        continue;
      const double ahead = static_cast<double>(other.byte - s.byte) / static_cast<double>(s.strides[depth]);
      const double steps = std::round(ahead);
      const double rest = std::abs((ahead - steps) * static_cast<double>(s.strides[depth]));
      if (steps >= 1 && steps < times(s, depth) && rest < most && (!least || steps < *least))
        least = steps;
    }
    return least;
  }

  /// Whether another stream uses the same line in the same iteration, and is the one that fetches it.
  bool isAccompanied(std::size_t which) const {
    const Stream &s = nest_.streams[which];
    const long stride = s.strides.empty() ? 0 : s.strides.back();
    for (std::size_t k = 0; k < nest_.streams.size(); ++k) {
      const Stream &other = nest_.streams[k];
      if (k == which || !areAlike(s, other))
        continue;
      const long ahead = stride < 0 ? s.byte - other.byte : other.byte - s.byte;
      if (std::labs(ahead) < kLineBytes && (ahead > 0 || (ahead == 0 && k < which)))
        return true;
    }
    return false;
  }

  std::vector<double> of(std::size_t which, double everything) const {
    const Stream &s = nest_.streams[which];
    std::vector<double> lines(memories() + 1, 0);
    if (!isAccompanied(which)) {
      const double ofOne = s.cells * std::ceil(static_cast<double>(s.bytes) / kLineBytes);
      double rest = ofOne;
      for (std::size_t d = s.loops.size(); d-- > 0;) {
        const double once = volume(around(s, d)), fresh = freshPart(s, d);
        if (fresh == 0 && rest == ofOne) { // the same cells again and again: once for the whole loop
          rest /= times(s, d);
          continue;
        }
        if (d + 1 < s.loops.size())
          lines[holder(once)] += rest * (1 - fresh);
        rest *= fresh;
        if (const std::optional<double> behind =
                iterationsBehind(which, d)) { // all but the first iterations find them
          const double first = *behind / times(s, d);
          lines[holder(*behind * once)] += rest * (1 - first);
          rest *= first;
        }
      }
      lines[isWarm_ ? holder(everything) : memories()] += rest;
    }
    lines.erase(lines.begin());
    if (s.isStore)
      for (double &l : lines)
        l *= 2;
    return lines;
  }

  /// By the loop that runs innermost. Cells apart are streams of their own.
  bool isFollowed(const Stream &s) const {
    for (std::size_t d = s.loops.size(); d-- > 0;)
      if (times(s, d) > 1)
        return std::labs(s.strides[d]) <= kFollowed;
    return false;
  }

  const Nest &nest_;
  const std::vector<double> &bytes_;
  const bool isWarm_;
};

} // namespace

LineSources lineSources(const Nest &nest, const std::vector<double> &bytes, bool isWarm) {
  return Sources(nest, bytes, isWarm).all();
}

} // namespace pbc::emulate
