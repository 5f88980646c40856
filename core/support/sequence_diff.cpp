#include "core/support/sequence_diff.h"

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/name_table.h"

#include <dtl/dtl.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace nestwright {

namespace {

/// Runs of differing lines are paired line by line up to this many pairs to look at.
constexpr std::size_t kMaxPairs = 60'000;

using Rows = std::vector<DiffRow>;

/// What two sequences of numbers have in common.
Rows shortestEdit(const std::vector<int>& left, const std::vector<int>& right) {
  dtl::Diff<int> diff(left, right);
  diff.compose();
  Rows rows;
  int i = 0, j = 0; // its own positions begin anew where it gives up the shortest edit
  for (const auto& [number, element] : diff.getSes().getSequence()) {
    if (element.type == dtl::SES_COMMON)
      rows.push_back({DiffMark::Same, i++, j++});
    else if (element.type == dtl::SES_DELETE)
      rows.push_back({DiffMark::OnlyLeft, i++, -1});
    else
      rows.push_back({DiffMark::OnlyRight, -1, j++});
  }
  return rows;
}

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
  constexpr NameTable<DiffMark, 4> kNames = {{"same", "changed", "only left", "only right"}};
  return kNames.of(mark);
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
  const std::vector<int> a = numbered(left), b = numbered(right);
  Rows result, run;
  for (const DiffRow& row : shortestEdit(a, b)) {
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
