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

/// Cells of one execution that are apart lie on lines of their own.
constexpr double kApart = 4096;

/// Rows of which all but a few cells are used lie side by side.
constexpr double kGap = 4 * kLineBytes;

/// The cells that a stream uses in some iterations: `pieces` runs without gaps, apart from each other.
struct Extent {
  double run, pieces;
  double places; // in a page, at which pieces begin
};

/// What some iterations use in all, in bytes; `inFirst`: as much of the first memory as if its sets were filled alike.
struct Volume {
  double bytes = 0, inFirst = 0;
  Volume operator*(double times) const { return {bytes * times, inFirst * times}; }
};

constexpr double kPageBytes = 4096; // within which the first memory's sets are chosen

class Sources {
public:
  Sources(const Nest &nest, const std::vector<double> &bytes, bool isWarm, double unit)
      : nest_(nest), bytes_(bytes), isWarm_(isWarm), unit_(unit) {}

  LineSources all() const {
    LineSources made;
    const Volume everything = volume({});
    for (std::size_t s = 0; s < nest_.streams.size(); ++s) {
      made.lines.push_back(of(s, everything));
      made.areFollowed.push_back(isFollowed(nest_.streams[s]));
    }
    return made;
  }

private:
  std::size_t memories() const { return bytes_.size(); } // behind the first one

  /// The nearest memory that holds so many bytes; 0 is the first one.
  std::size_t holder(const Volume &used) const {
    std::size_t k = 0;
    while (k < bytes_.size() && bytes_[k] < (k == 0 ? used.inFirst : used.bytes))
      ++k;
    return k;
  }

  /// Lines that are used again after so much else: from the nearest memory that still has them. Farther memories than the first do not
  /// replace the line that was used longest ago, but some line: of a part h that is found, the others each replace one, so that h = exp(-(1 - h) used /
  /// bytes), which is more than nothing if hardly more is used than they hold.
  void comeAgain(std::vector<double> &lines, const Volume &used, double count) const {
    std::size_t k = holder(used);
    if (unit_ != kLineBytes) {
      lines[k] += count;
      return;
    }
    for (std::size_t nearer = 1; nearer < k; ++nearer) {
      const double found = foundAmong(used.bytes / bytes_[nearer]);
      lines[nearer] += count * found;
      count *= 1 - found;
    }
    lines[k] += count;
  }
  static double foundAmong(double times) {
    double found = 0;
    for (int step = 0; step < 100; ++step)
      found = std::exp(-(1 - found) * times);
    return found;
  }

  /// Of pieces so far apart, how many begin at a place in a page that no other one has.
  static double placesOf(double stride, double count) {
    const double inPage = std::fmod(stride, kPageBytes);
    double alike = inPage == 0 ? kPageBytes : kLineBytes; // the greatest power of two that divides the stride
    while (inPage != 0 && std::fmod(inPage, 2 * alike) == 0)
      alike *= 2;
    return std::min(count, kPageBytes / alike);
  }

  Volume volumeOf(const Extent &e, double fresh) const {
    const double lines = std::ceil(e.run / unit_), bytes = e.pieces * lines * unit_ * fresh;
    const double sets = std::min(kPageBytes / kLineBytes, lines * e.places);
    return {bytes,
            unit_ == kLineBytes ? std::max(bytes, e.pieces * lines * fresh / sets * kPageBytes) : bytes};
  }

  /// What a stream uses in all iterations of its loops from `first` on.
  Extent extent(const Stream &s, std::size_t first) const {
    std::vector<std::pair<double, double>> inner;
    for (std::size_t d = first; d < s.loops.size(); ++d)
      if (stride(s, d) != 0)
        inner.emplace_back(stride(s, d), times(s, d));
    if (s.cells > 1 && (first == s.loops.size() || !areRounds(s)))
      inner.emplace_back(s.apart > 0 ? s.apart : kApart, s.cells);
    std::sort(inner.begin(), inner.end());
    Extent e{static_cast<double>(s.bytes), 1, 1};
    for (const auto &[stride, count] : inner)
      if (stride <= std::max(e.run + kGap, unit_))
        e.run += stride * (count - 1);
      else {
        e.pieces *= count;
        e.places *= placesOf(stride, count);
      }
    return e;
  }

  /// Whether the cells of one execution, apart from each other, are iterations of the innermost loop, one after the other.
  static bool areRounds(const Stream &s) {
    return s.cells > 1 && !s.strides.empty() &&
           std::abs(std::abs(static_cast<double>(s.strides.back())) - s.cells * s.apart) < kLineBytes;
  }
  static double together(const Stream &s, std::size_t depth) {
    return depth + 1 == s.loops.size() && areRounds(s) ? s.cells : 1;
  }
  double times(const Stream &s, std::size_t depth) const {
    return nest_.times[static_cast<std::size_t>(s.loops[depth])] * together(s, depth);
  }
  static double signedStride(const Stream &s, std::size_t depth) {
    return static_cast<double>(s.strides[depth]) / together(s, depth);
  }
  static double stride(const Stream &s, std::size_t depth) { return std::abs(signedStride(s, depth)); }

  static bool areAlike(const Stream &a, const Stream &b) {
    return a.matrix == b.matrix && a.loops == b.loops && a.strides == b.strides;
  }

  /// What all streams inside of these loops use in one iteration of the last of them; without loops, in all.
  Volume volume(const std::vector<long> &around) const {
    Volume all;
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
      const Volume added = volumeOf(own, fresh);
      all = {all.bytes + added.bytes, all.inFirst + added.inFirst};
      counted.push_back(&s);
    }
    return all;
  }

  /// Which part of a stream's extent another one, that moves like it, has not, too.
  double apart(const Stream &s, const Stream &other, const Extent &own, std::size_t first) const {
    const double distance = std::abs(static_cast<double>(s.byte - other.byte));
    double least = distance < std::max(own.run, unit_) ? distance / std::max(own.run, unit_) : 1;
    for (std::size_t d = first; d < s.loops.size(); ++d)
      if (stride(s, d) != 0) {
        const double steps = distance / stride(s, d);
        if (steps < times(s, d) && isNear(steps, stride(s, d), own.run))
          least = std::min(least, steps / times(s, d));
      }
    return least;
  }

  /// Whether so many strides are one or more of them, but for a line, or for a few of a long run.
  bool isNear(double steps, double stride, double run) const {
    const double rest = std::abs(steps - std::round(steps)) * stride;
    return std::round(steps) >= 1 && rest < std::max(unit_, std::min(4.0 * kLineBytes, kNearly * run));
  }

  /// What a stream uses in one iteration of the loop at `depth`.
  Extent within(const Stream &s, std::size_t depth) const {
    return depth + 1 == s.loops.size() && areRounds(s) ? Extent{static_cast<double>(s.bytes), 1, 1}
                                                       : extent(s, depth + 1);
  }

  /// The part of the lines of an iteration of the loop at `depth` that the one before has not used.
  double freshPart(const Stream &s, std::size_t depth) const {
    const double moved = stride(s, depth);
    if (moved == 0)
      return 0;
    const Extent inner = within(s, depth);
    double fresh = std::min(1.0, moved / std::max(inner.run, unit_));
    for (std::size_t d = depth + 1; d < s.loops.size(); ++d)
      if (stride(s, d) != 0 && std::fmod(moved, stride(s, d)) == 0)
        fresh = std::min(fresh, moved / stride(s, d) / times(s, d));
    return fresh;
  }

  std::vector<long> around(const Stream &s, std::size_t depth) const {
    return {s.loops.begin(), s.loops.begin() + static_cast<long>(depth) + 1};
  }

  /// After how many iterations of the loop at `depth` a stream uses what another one, of the same kind, uses now.
  std::optional<double> iterationsBehind(std::size_t which, std::size_t depth) const {
    const Stream &s = nest_.streams[which];
    if (stride(s, depth) == 0)
      return {};
    const double most = std::max(within(s, depth).run * kNearly, unit_);
    std::optional<double> least;
    for (std::size_t k = 0; k < nest_.streams.size(); ++k) {
      const Stream &other = nest_.streams[k];
      if (k == which || !areAlike(s, other))
        continue;
      const double ahead = static_cast<double>(other.byte - s.byte) / signedStride(s, depth);
      const double steps = std::round(ahead);
      const double rest = std::abs(ahead - steps) * stride(s, depth);
      if (steps >= 1 && steps < times(s, depth) && rest < most && (!least || steps < *least))
        least = steps;
    }
    return least;
  }

  static long lineOf(double unit) { return static_cast<long>(unit); }

  /// Whether another stream uses the same line in the same iteration, and is the one that fetches it.
  bool isAccompanied(std::size_t which) const {
    const Stream &s = nest_.streams[which];
    const long stride = s.strides.empty() ? 0 : s.strides.back();
    for (std::size_t k = 0; k < nest_.streams.size(); ++k) {
      const Stream &other = nest_.streams[k];
      if (k == which || !areAlike(s, other))
        continue;
      const long ahead = stride < 0 ? s.byte - other.byte : other.byte - s.byte;
      // Copies that lie side by side, and move on together by lines, are neighbours of neighbours in other lines.
      const bool areInLine = std::labs(stride) >= lineOf(unit_) && s.bytes < lineOf(unit_)
                                 ? s.byte / lineOf(unit_) == other.byte / lineOf(unit_)
                                 : std::abs(static_cast<double>(ahead)) < unit_;
      if (areInLine && (ahead > 0 || (ahead == 0 && k < which)))
        return true;
    }
    return false;
  }

  std::vector<double> of(std::size_t which, const Volume &everything) const {
    const Stream &s = nest_.streams[which];
    std::vector<double> lines(memories() + 1, 0);
    if (!isAccompanied(which)) {
      const double ofOne = s.cells * std::ceil(static_cast<double>(s.bytes) / unit_);
      double rest = ofOne;
      for (std::size_t d = s.loops.size(); d-- > 0;) {
        if (times(s, d) <= 1)
          continue;
        const Volume once = volume(around(s, d)) * (1 / together(s, d));
        const double fresh = freshPart(s, d);
        if (fresh == 0 && rest == ofOne) { // the same cells again and again: once for the whole loop
          rest /= times(s, d);
          continue;
        }
        if (d + 1 < s.loops.size())
          comeAgain(lines, once, rest * (1 - fresh));
        rest *= fresh;
        if (const std::optional<double> behind =
                iterationsBehind(which, d)) { // all but the first iterations find them
          const double first = *behind / times(s, d);
          comeAgain(lines, once * *behind, rest * (1 - first));
          rest *= first;
        }
      }
      if (isWarm_)
        comeAgain(lines, everything, rest);
      else
        lines[memories()] += rest;
    }
    lines.erase(lines.begin());
    if (s.isStore && unit_ == kLineBytes)
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
  const double unit_;
};

} // namespace

LineSources lineSources(const Nest &nest, const std::vector<double> &bytes, bool isWarm, double unit) {
  return Sources(nest, bytes, isWarm, unit).all();
}

} // namespace pbc::emulate
