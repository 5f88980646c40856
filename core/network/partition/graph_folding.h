#pragma once
/// \file Equal blocks of a network that follow one another, and the drawing with each run of them
/// shown as one block "× n".

#include "core/network/partition/task_graph.h"

namespace nestwright {

/// `copies` blocks of `period` consecutive nodes, from node `first` on. Each block does the same
/// tasks as the one before it and is wired in the same way: an input of a node comes from the same
/// place of the same or an earlier block, or from one node in front of all of them. Nothing outside
/// reads any block but the last.
struct Repeat {
  int first = 0, period = 0, copies = 0;
  int end() const { return first + period * copies; }
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

/// Runs of equal blocks, ascending and apart from one another, each folding away two nodes or more.
/// Of the runs that overlap the one that folds most is taken, and of its possible first nodes the
/// one where the fewest tensors go from block to block: that is where people cut a network.
std::vector<Repeat> findRepeats(const TaskGraph& graph);

/// A node with more inputs than this shows only those that do not follow from one another.
inline constexpr std::size_t kManyInputs = 6;

/// What is drawn of a graph.
struct DrawnGraph {
  /// Around a run of equal blocks: all of them, or (folded) the first for all.
  struct Frame {
    int repeat = 0; // index into the repeats
    bool folded = false;
    std::vector<int> nodes; // drawn
  };
  struct Edge {
    int from = 0, to = 0; // drawn nodes
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null in a default
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  std::vector<int> nodes;   // graph node of each drawn one, ascending
  std::vector<int> drawnAs; // drawn node of each graph node
  std::vector<int> copies;  // per drawn node, how many graph nodes it stands for
  std::vector<Edge> edges;  // ascending
  /// Edges that are not drawn, ascending: where a node reads many others (a DenseNet's layer reads
  /// all before it), those that it reaches through another of its makers as well.
  std::vector<Edge> implied;
  std::vector<Frame> frames;
};

/// `expanded` has an entry a repeat: true shows all of its blocks.
DrawnGraph drawnGraph(const TaskGraph& graph, const std::vector<Repeat>& repeats,
                      const std::vector<bool>& expanded);

} // namespace nestwright
