#include "core/feature/tree_features.h"

#include "core/feature/loop_marks.h"
#include "core/support/error.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace nestwright {
namespace {

constexpr std::size_t kRootName = 0, kLoopName = 1, kFirstName = 2;

/// The loops around each loop, the outermost first and itself last.
std::vector<std::vector<std::size_t>> pathsOf(const TouchedNest& nest) {
  std::vector<std::vector<std::size_t>> paths;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    open.resize(static_cast<std::size_t>(nest.loops[i].level - 1));
    open.push_back(i);
    paths.push_back(open);
  }
  return paths;
}

class TreeBuilder {
 public:
  explicit TreeBuilder(const TouchedNest& nest) : nest_(nest), paths_(pathsOf(nest)) {
    findAccesses();
    numberNames();
  }

  std::vector<float> build(std::span<const float> options) {
    const std::size_t root = addNode(-1, kRootName);
    const std::size_t count = std::min(options.size(), TreeColumns::kFactCount);
    for (std::size_t i = 0; i < count; ++i)
      rows_[(root + 1) * TreeColumns::kCount - count + i] = factOf(options[i]);
    std::vector<std::size_t> nodes; // of the loops
    for (std::size_t i = 0; i < nest_.loops.size(); ++i) {
      const std::vector<std::size_t>& path = paths_[i];
      const std::size_t around = path.size() > 1 ? nodes[path[path.size() - 2]] : root;
      nodes.push_back(addLoop(i, around));
    }
    return inOrder();
  }

 private:
  static float factOf(double x) { return x > 0 ? logOf(x) : static_cast<float>(x); }

  /// Each access belongs to the innermost loop that touches it, and names those that move it.
  void findAccesses() {
    std::vector<std::size_t> innermost(nest_.accesses.size(), nest_.loops.size());
    for (std::size_t i = 0; i < nest_.loops.size(); ++i)
      for (const LoopTouch& touch : nest_.loops[i].touches)
        innermost[static_cast<std::size_t>(touch.access)] = i; // inner loops begin later
    ofLoop_.resize(nest_.loops.size());
    for (std::size_t access = 0; access < innermost.size(); ++access)
      if (innermost[access] < nest_.loops.size()) ofLoop_[innermost[access]].push_back(access);
  }

  void numberNames() {
    std::set<std::string> names;
    for (const TouchedLoop& loop : nest_.loops)
      names.insert(loop.name);
    for (const TouchedAccess& access : nest_.accesses)
      names.insert(access.buffer);
    std::size_t number = kFirstName;
    for (const std::string& name : names)
      numbers_[name] = std::min(number++, kTreeNames - 1);
  }

  std::size_t addNode(int parent, std::size_t name) {
    const std::size_t node = rows_.size() / TreeColumns::kCount;
    rows_.resize(rows_.size() + TreeColumns::kCount, 0);
    float* row = rows_.data() + node * TreeColumns::kCount;
    row[TreeColumns::kParent] = static_cast<float>(parent);
    row[TreeColumns::kName] = static_cast<float>(name);
    children_.emplace_back();
    if (parent >= 0) children_[static_cast<std::size_t>(parent)].push_back(node);
    return node;
  }

  std::size_t addLoop(std::size_t index, std::size_t around) {
    const TouchedLoop& loop = nest_.loops[index];
    const std::size_t node = addNode(static_cast<int>(around), kLoopName);
    float* facts = rows_.data() + node * TreeColumns::kCount + TreeColumns::kFacts;
    facts[0] = factOf(loop.length);
    facts[1 + annotationPlace(loop.annotation)] = factOf(1);
    addNode(static_cast<int>(node), numbers_.at(loop.name));
    for (const std::size_t access : ofLoop_[index]) {
      const std::size_t own =
          addNode(static_cast<int>(node), numbers_.at(nest_.accesses[access].buffer));
      for (const std::size_t mover : paths_[index])
        for (const LoopTouch& touch : nest_.loops[mover].touches)
          if (static_cast<std::size_t>(touch.access) == access && touch.stride != 0)
            addNode(static_cast<int>(own), numbers_.at(nest_.loops[mover].name));
    }
    return node;
  }

  /// A subtree's nodes one after another, without the children that are too many.
  std::vector<float> inOrder() const {
    std::vector<float> ordered;
    place(0, -1, ordered);
    return ordered;
  }
  void place(std::size_t node, int parent, std::vector<float>& ordered) const {
    const auto own = static_cast<int>(ordered.size() / TreeColumns::kCount);
    const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(node * TreeColumns::kCount);
    ordered.insert(ordered.end(), row, row + TreeColumns::kCount);
    ordered[static_cast<std::size_t>(own) * TreeColumns::kCount + TreeColumns::kParent] =
        static_cast<float>(parent);
    const std::size_t count = std::min(children_[node].size(), kMostChildren);
    for (std::size_t i = 0; i < count; ++i)
      place(children_[node][i], own, ordered);
  }

  const TouchedNest& nest_;
  std::vector<std::vector<std::size_t>> paths_;
  std::vector<std::vector<std::size_t>> ofLoop_; // accesses right in each loop
  std::map<std::string, std::size_t> numbers_;
  std::vector<float> rows_;
  std::vector<std::vector<std::size_t>> children_;
};

} // namespace

std::vector<float> treeFeatures(const TouchedNest& nest, std::span<const float> options) {
  return TreeBuilder(nest).build(options);
}

} // namespace nestwright
