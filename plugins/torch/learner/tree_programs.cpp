#include "plugins/torch/learner/tree_programs.h"

#include "core/support/error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_map>

namespace nestwright::learner {
namespace {

/// A leaf without facts, for programs of which nothing is known. No network has as many columns.
const std::vector<float>& blankNode() {
  static const std::vector<float> node(1 << 16, 0.0F);
  return node;
}

class Collector {
 public:
  Collector(const MappedTable& table, const NetworkShape& shape, bool once)
      : table_(table), shape_(shape), once_(once) {}

  void add(std::size_t program) {
    const std::size_t count = table_.rowCount(program), from = table_.firstRow(program);
    childrenOf_.assign(count, {});
    for (std::size_t i = 1; i < count; ++i)
      childrenOf_[parentOf(table_.row(from + i), i, program)].push_back(
          static_cast<std::uint32_t>(i));
    if (count > 0 && table_.row(from)[0] >= 0) refuse(program, "its first row is no root");
    idOf_.assign(std::max<std::size_t>(count, 1), 0);
    if (count == 0) idOf_[0] = subtree(blankNode().data(), {});
    for (std::size_t i = count; i-- > 0;) { // children stand behind their parents
      requireName(table_.row(from + i), program);
      std::vector<std::uint32_t> below;
      for (const std::uint32_t child : childrenOf_[i])
        below.push_back(idOf_[child]);
      idOf_[i] = subtree(table_.row(from + i), below);
    }
    std::vector<std::uint32_t> all(idOf_.begin(), idOf_.end());
    std::ranges::sort(all); // a parent has a larger number than its children
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0 && all[i] == all[i - 1]) {
        result_.counts.back() += 1;
        continue;
      }
      result_.ids.push_back(all[i]);
      result_.counts.push_back(1);
    }
    moveWholeLast(idOf_[0]);
    result_.first.push_back(result_.ids.size());
  }
  TreePrograms take() { return std::move(result_); }

 private:
  [[noreturn]] static void refuse(std::size_t program, const char* why) {
    throw InputError(fmt::format("the rows of program {} are no tree: {}", program, why));
  }

  static std::size_t parentOf(const float* row, std::size_t index, std::size_t program) {
    const float parent = row[0];
    if (!(parent >= 0) || parent >= static_cast<float>(index) || parent != std::floor(parent))
      refuse(program, "a row's parent does not stand before it");
    return static_cast<std::size_t>(parent);
  }
  void requireName(const float* row, std::size_t program) const {
    if (!(row[1] >= 0) || row[1] >= static_cast<float>(shape_.names) ||
        row[1] != std::floor(row[1]))
      refuse(program, "a node's name is no number of one");
  }

  /// The number of the subtree of this node with these children.
  std::uint32_t subtree(const float* row, const std::vector<std::uint32_t>& below) {
    std::string key(reinterpret_cast<const char*>(row + 1),
                    (table_.columns() - 1) * sizeof(float)); // without its parent's place
    key.append(reinterpret_cast<const char*>(below.data()), below.size() * sizeof(std::uint32_t));
    if (!once_) key += fmt::format("#{}", result_.rows.size());
    const auto [found, isNew] =
        known_.emplace(std::move(key), static_cast<std::uint32_t>(result_.rows.size()));
    if (!isNew) return found->second;
    std::uint32_t height = 0;
    for (const std::uint32_t child : below)
      height = std::max(height, result_.heights[child] + 1);
    result_.rows.push_back(row);
    result_.heights.push_back(height);
    result_.children.insert(result_.children.end(), below.begin(), below.end());
    result_.firstChild.push_back(result_.children.size());
    return found->second;
  }

  /// Of the program that was just added; a whole tree that was there before may have the lower
  /// number.
  void moveWholeLast(std::uint32_t whole) {
    const auto begin = result_.ids.begin() + static_cast<std::ptrdiff_t>(result_.first.back());
    const auto place = std::find(begin, result_.ids.end(), whole);
    const auto count = result_.counts.begin() + std::distance(result_.ids.begin(), place);
    std::rotate(place, place + 1, result_.ids.end());
    std::rotate(count, count + 1, result_.counts.end());
  }

  const MappedTable& table_;
  const NetworkShape& shape_;
  bool once_;
  TreePrograms result_;
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<std::vector<std::uint32_t>> childrenOf_;
  std::vector<std::uint32_t> idOf_; // of the program's rows
};

} // namespace

TreePrograms treePrograms(const MappedTable& table, const NetworkShape& shape, std::size_t begin,
                          std::size_t end, bool once) {
  Collector collector(table, shape, once);
  for (std::size_t program = begin; program < end; ++program)
    collector.add(program);
  return collector.take();
}

TreeBatch treeBatch(const TreePrograms& programs, const std::vector<std::size_t>& chosen) {
  TreeBatch batch;
  for (const std::size_t program : chosen)
    batch.subtrees.insert(
        batch.subtrees.end(),
        programs.ids.begin() + static_cast<std::ptrdiff_t>(programs.first[program]),
        programs.ids.begin() + static_cast<std::ptrdiff_t>(programs.first[program + 1]));
  std::ranges::sort(batch.subtrees, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(programs.heights[a], a) < std::pair(programs.heights[b], b);
  });
  batch.subtrees.erase(std::unique(batch.subtrees.begin(), batch.subtrees.end()),
                       batch.subtrees.end());

  std::unordered_map<std::uint32_t, std::int64_t> places;
  for (std::size_t i = 0; i < batch.subtrees.size(); ++i) {
    const std::uint32_t id = batch.subtrees[i];
    places.emplace(id, static_cast<std::int64_t>(i));
    if (i > 0 && programs.heights[id] != programs.heights[batch.subtrees[i - 1]])
      batch.levels.push_back(i);
    if (programs.childCount(id) == 0) continue;
    for (std::size_t c = programs.firstChild[id]; c < programs.firstChild[id + 1]; ++c)
      batch.children.push_back(places.at(programs.children[c]));
    batch.firstChild.push_back(static_cast<std::int64_t>(batch.children.size()));
  }
  batch.levels.push_back(batch.subtrees.size());

  for (const std::size_t program : chosen) {
    batch.roots.push_back(places.at(programs.ids[programs.first[program + 1] - 1]));
    for (std::size_t i = programs.first[program]; i < programs.first[program + 1]; ++i) {
      if (programs.childCount(programs.ids[i]) == 0) continue;
      batch.inner.push_back(places.at(programs.ids[i]));
      batch.innerCounts.push_back(programs.counts[i]);
    }
    batch.firstInner.push_back(static_cast<std::int64_t>(batch.inner.size()));
  }
  return batch;
}

} // namespace nestwright::learner
