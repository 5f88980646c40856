#include "core/support/sequence_diff.h"

#include "core/support/error.h"
#include "core/support/hash.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace nestwright {

namespace {

/// Rounds of the search for the middle of an edit; each costs the number of the round.
constexpr int kMaxRounds = 2000;
/// Runs of differing lines are paired line by line up to this many pairs to look at.
constexpr std::size_t kMaxPairs = 60'000;

using Rows = std::vector<DiffRow>;

/// Myers' algorithm on lines that are numbers, dividing at the middle of the shortest edit.
class LineDiff {
 public:
  LineDiff(std::vector<int> a, std::vector<int> b)
      : a_(std::move(a)), b_(std::move(b)), offset_(static_cast<int>(b_.size()) + 1),
        forward_(a_.size() + b_.size() + 3), backward_(a_.size() + b_.size() + 3) {}

  Rows run() {
    compare(0, static_cast<int>(a_.size()), 0, static_cast<int>(b_.size()));
    return std::move(rows_);
  }

 private:
  struct Point {
    int x, y;
  };

  void compare(int a0, int a1, int b0, int b1) {
    while (a0 < a1 && b0 < b1 && a(a0) == b(b0))
      rows_.push_back({DiffMark::Same, a0++, b0++});
    int same = 0;
    while (a0 < a1 && b0 < b1 && a(a1 - 1) == b(b1 - 1))
      --a1, --b1, ++same;
    if (a0 == a1 || b0 == b1) {
      while (a0 < a1)
        rows_.push_back({DiffMark::OnlyLeft, a0++, -1});
      while (b0 < b1)
        rows_.push_back({DiffMark::OnlyRight, -1, b0++});
    } else {
      const Point middle = findMiddle(a0, a1, b0, b1);
      compare(a0, middle.x, b0, middle.y);
      compare(middle.x, a1, middle.y, b1);
    }
    for (int i = 0; i < same; ++i)
      rows_.push_back({DiffMark::Same, a1 + i, b1 + i});
  }

  int a(int i) const { return a_[static_cast<std::size_t>(i)]; }
  int b(int i) const { return b_[static_cast<std::size_t>(i)]; }
  /// The furthest x on diagonal d = x - y.
  int& forward(int d) { return forward_[static_cast<std::size_t>(d + offset_)]; }
  int& backward(int d) { return backward_[static_cast<std::size_t>(d + offset_)]; }

  struct Diagonals {
    int least, most;
    /// One further on either side, or one back where the box ends.
    template <class At>
    void widen(int low, int high, int nothing, At&& at) {
      if (least > low)
        at(--least - 1) = nothing;
      else
        ++least;
      if (most < high)
        at(++most + 1) = nothing;
      else
        --most;
    }
    bool contains(int d) const { return least <= d && d <= most; }
  };

  /// A point on a shortest edit of the box, where the search from its start meets the one from its
  /// end. The box has no common first or last line.
  Point findMiddle(int a0, int a1, int b0, int b1) {
    const int low = a0 - b1, high = a1 - b0;
    Diagonals fore{a0 - b0, a0 - b0}, back{a1 - b1, a1 - b1};
    const bool odd = ((fore.least - back.least) & 1) != 0;
    forward(fore.least) = a0;
    backward(back.least) = a1;
    for (int round = 1;; ++round) {
      fore.widen(low, high, -1, [this](int d) -> int& { return forward(d); });
      for (int d = fore.most; d >= fore.least; d -= 2) {
        const int before = forward(d - 1), after = forward(d + 1);
        int x = before < after ? after : before + 1;
        while (x < a1 && x - d < b1 && a(x) == b(x - d))
          ++x;
        forward(d) = x;
        if (odd && back.contains(d) && backward(d) <= x) return {x, x - d};
      }
      back.widen(low, high, std::numeric_limits<int>::max(),
                 [this](int d) -> int& { return backward(d); });
      for (int d = back.most; d >= back.least; d -= 2) {
        const int before = backward(d - 1), after = backward(d + 1);
        int x = before < after ? before : after - 1;
        while (a0 < x && b0 < x - d && a(x - 1) == b(x - d - 1))
          --x;
        backward(d) = x;
        if (!odd && fore.contains(d) && x <= forward(d)) return {x, x - d};
      }
      if (round >= kMaxRounds) return furthest(fore, a1, b1);
    }
  }

  /// How far the search from the start has come.
  Point furthest(const Diagonals& fore, int a1, int b1) {
    Point best{0, 0};
    for (int d = fore.most; d >= fore.least; d -= 2) {
      const int x = std::min({forward(d), a1, b1 + d});
      if (x + x - d > best.x + best.y) best = {x, x - d};
    }
    return best;
  }

  std::vector<int> a_, b_;
  int offset_;
  std::vector<int> forward_, backward_;
  Rows rows_;
};

std::vector<std::uint64_t> wordsOf(std::string_view line) {
  std::vector<std::uint64_t> words;
  constexpr const char* kSeparators = " \t,()[]";
  while (true) {
    const std::size_t begin = line.find_first_not_of(kSeparators);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(kSeparators, begin), line.size());
    words.push_back(hash64(line.substr(begin, end - begin)));
    line.remove_prefix(end);
  }
  std::ranges::sort(words);
  return words;
}

/// Common words in percent of the longer line's; 0 below a third.
int likeness(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t common = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();)
    if (*x == *y)
      ++common, ++x, ++y;
    else
      ++(*x < *y ? x : y);
  const std::size_t longer = std::max<std::size_t>(1, std::max(a.size(), b.size()));
  const int percent = static_cast<int>(100 * common / longer);
  return percent < 33 ? 0 : percent;
}

/// Pairs the lines of a run of differences that are alike.
void pairRun(const Rows& run, const std::vector<std::string>& left,
             const std::vector<std::string>& right, Rows& out) {
  std::vector<int> onLeft, onRight;
  for (const DiffRow& row : run)
    row.left >= 0 ? onLeft.push_back(row.left) : onRight.push_back(row.right);
  const auto add = [&](int i, int j, DiffMark mark) {
    out.push_back({mark, i < 0 ? -1 : onLeft[static_cast<std::size_t>(i)],
                   j < 0 ? -1 : onRight[static_cast<std::size_t>(j)]});
  };
  const int n = static_cast<int>(onLeft.size()), m = static_cast<int>(onRight.size());
  if (n == 0 || m == 0 || onLeft.size() * onRight.size() > kMaxPairs) {
    for (int i = 0; i < n; ++i)
      add(i, -1, DiffMark::OnlyLeft);
    for (int j = 0; j < m; ++j)
      add(-1, j, DiffMark::OnlyRight);
    return;
  }
  std::vector<std::vector<std::uint64_t>> leftWords, rightWords;
  for (const int i : onLeft)
    leftWords.push_back(wordsOf(left[static_cast<std::size_t>(i)]));
  for (const int j : onRight)
    rightWords.push_back(wordsOf(right[static_cast<std::size_t>(j)]));
  const Rows paired = align(
      n, m,
      [&](int i, int j) {
        return likeness(leftWords[static_cast<std::size_t>(i)],
                        rightWords[static_cast<std::size_t>(j)]);
      },
      [](int, int) { return false; });
  for (const DiffRow& row : paired)
    add(row.left, row.right, row.mark);
}

} // namespace

const char* name(DiffMark mark) {
  static constexpr const char* kNames[] = {"same", "changed", "only left", "only right"};
  return kNames[static_cast<std::size_t>(mark)];
}

std::vector<DiffRow> diffLines(const std::vector<std::string>& left,
                               const std::vector<std::string>& right) {
  std::unordered_map<std::string_view, int> numbers;
  const auto numbered = [&](const std::vector<std::string>& lines) {
    std::vector<int> result;
    for (const std::string& line : lines)
      result.push_back(numbers.try_emplace(line, static_cast<int>(numbers.size())).first->second);
    return result;
  };
  std::vector<int> a = numbered(left), b = numbered(right);
  const Rows rows = LineDiff(std::move(a), std::move(b)).run();
  Rows result, run;
  for (const DiffRow& row : rows) {
    if (row.mark != DiffMark::Same) {
      run.push_back(row);
      continue;
    }
    pairRun(run, left, right, result);
    run.clear();
    result.push_back(row);
  }
  pairRun(run, left, right, result);
  return result;
}

std::vector<DiffRow> align(int left, int right, const std::function<int(int, int)>& score,
                           const std::function<bool(int, int)>& equal) {
  NW_ASSERT(left >= 0 && right >= 0, "sequences of {} and {} elements", left, right);
  const auto width = static_cast<std::size_t>(right) + 1;
  // best[i][j]: of what comes after i on the left and j on the right.
  std::vector<int> best((static_cast<std::size_t>(left) + 1) * width, 0);
  std::vector<int> pairScore(static_cast<std::size_t>(left) * static_cast<std::size_t>(right));
  const auto at = [&](int i, int j) -> int& {
    return best[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(j)];
  };
  const auto pair = [&](int i, int j) -> int& {
    return pairScore[static_cast<std::size_t>(i) * static_cast<std::size_t>(right) +
                     static_cast<std::size_t>(j)];
  };
  for (int i = left; i-- > 0;)
    for (int j = right; j-- > 0;) {
      pair(i, j) = score(i, j);
      at(i, j) = std::max(at(i + 1, j), at(i, j + 1));
      if (pair(i, j) > 0) at(i, j) = std::max(at(i, j), pair(i, j) + at(i + 1, j + 1));
    }
  Rows rows;
  int i = 0, j = 0;
  while (i < left && j < right) {
    if (pair(i, j) > 0 && at(i, j) == pair(i, j) + at(i + 1, j + 1)) {
      rows.push_back({equal(i, j) ? DiffMark::Same : DiffMark::Changed, i, j});
      ++i, ++j;
    } else if (at(i, j) == at(i + 1, j)) {
      rows.push_back({DiffMark::OnlyLeft, i++, -1});
    } else {
      rows.push_back({DiffMark::OnlyRight, -1, j++});
    }
  }
  while (i < left)
    rows.push_back({DiffMark::OnlyLeft, i++, -1});
  while (j < right)
    rows.push_back({DiffMark::OnlyRight, -1, j++});
  return rows;
}

} // namespace nestwright
