#pragma once
/// \file Programs as the network of trees sees them. A node's state is a function of what is below
/// it, so equal subtrees, which the programs of a task share many of, are kept once: what is read
/// of a table is worked out a single time for all epochs (handbook/cost-models.md 5.8).

#include "core/learn/network.h"
#include "core/learn/table_file.h"

#include <cstdint>
#include <vector>

namespace nestwright::learner {

struct TreePrograms {
  // Of each different subtree, children before their parents:
  std::vector<const float*> rows;     // its top node's, of the table's columns
  std::vector<std::uint32_t> heights; // 0: a leaf
  std::vector<std::size_t> firstChild = {
      0}; // children of subtree s: [firstChild[s], firstChild[s + 1])
  std::vector<std::uint32_t> children;

  // Of each program: its subtrees [first[p], first[p + 1]), each once, with how often it is there;
  // the last one is the whole.
  std::vector<std::size_t> first = {0};
  std::vector<std::uint32_t> ids;
  std::vector<float> counts;

  std::size_t programs() const { return first.size() - 1; }
  std::size_t childCount(std::uint32_t subtree) const {
    return firstChild[subtree + 1] - firstChild[subtree];
  }
};

/// Of the programs [begin, end) of the table; one without rows has one leaf of zeros. Points into
/// the table. `once` is how it is meant; else each row has a subtree of its own, a program's last
/// row the first. Throws InputError for rows that are no trees of such a network.
TreePrograms treePrograms(const MappedTable& table, const NetworkShape& shape, std::size_t begin,
                          std::size_t end, bool once = true);

/// What of them one part of a batch needs, by height, the lowest first.
struct TreeBatch {
  std::vector<std::uint32_t> subtrees;
  std::vector<std::size_t> levels = {0}; // of a height: [levels[h], levels[h + 1]) of subtrees
  /// Of all subtrees that have any, one after another: the places of their children in subtrees.
  std::vector<std::int64_t> children;
  std::vector<std::int64_t> firstChild = {0};
  std::vector<std::int64_t> roots; // of each program, the place of the whole
  // Of each program its inner nodes, the ones with children: places and how often.
  std::vector<std::int64_t> firstInner = {0}, inner;
  std::vector<float> innerCounts;
};
TreeBatch treeBatch(const TreePrograms& programs, const std::vector<std::size_t>& chosen);

} // namespace nestwright::learner
