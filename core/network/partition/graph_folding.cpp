#include "core/network/partition/graph_folding.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace nestwright {

namespace {

/// Folding less than this hides more than it clears up.
constexpr int kLeastSaving = 2;

class RepeatFinder {
 public:
  explicit RepeatFinder(const TaskGraph& graph)
      : nodes_(graph.nodes), lastReader_(nodes_.size(), -1), crossing_(nodes_.size() + 1, 0) {
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      for (const int input : nodes_[n].inputs)
        lastReader_[static_cast<std::size_t>(input)] = static_cast<int>(n);
    for (int n = 0; n < size(); ++n)
      for (int cut = n + 1; cut <= lastReader(n); ++cut)
        ++crossing_[static_cast<std::size_t>(cut)];
  }

  std::vector<Repeat> run() {
    search(0, size());
    std::sort(found_.begin(), found_.end(),
              [](const Repeat& a, const Repeat& b) { return a.first < b.first; });
    return found_;
  }

 private:
  int size() const { return static_cast<int>(nodes_.size()); }
  int lastReader(int n) const { return lastReader_[static_cast<std::size_t>(n)]; }
  const TaskGraphNode& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }

  void search(int low, int high) {
    std::optional<Repeat> best;
    for (int period = 1; 2 * period <= high - low; ++period)
      forRuns(low, high, period, [&](int begin, int end) { consider(begin, end, period, best); });
    if (!best) return;
    found_.push_back(*best);
    search(low, best->first);
    search(best->end(), high);
  }

  /// Calls `f` for the longest stretches of nodes which all equal the node a period later.
  template <class F>
  void forRuns(int low, int high, int period, F f) const {
    int begin = low;
    for (int n = low; n <= high - period; ++n) {
      if (n < high - period && equal(n, n + period)) continue;
      if (n - begin >= period) f(begin, n + period);
      begin = n + 1;
    }
  }

  /// The same task with inputs from the same relative places, or from the very same node.
  bool equal(int a, int b) const {
    const TaskGraphNode &x = node(a), &y = node(b);
    if (x.kind != y.kind || x.task != y.task || x.task < 0) return false;
    if (x.inputs.size() != y.inputs.size()) return false;
    for (std::size_t i = 0; i < x.inputs.size(); ++i)
      if (y.inputs[i] != x.inputs[i] + (b - a) && y.inputs[i] != x.inputs[i]) return false;
    return true;
  }

  /// The best of the runs within nodes [begin, end), which repeat with this period.
  void consider(int begin, int end, int period, std::optional<Repeat>& best) const {
    if (best && end - begin - period <= saving(*best)) return; // it cannot fold more
    std::optional<Repeat> here;
    const auto rank = [&](const Repeat& r) {
      return std::tuple(crossing_[static_cast<std::size_t>(r.first + period)], -r.copies, r.first);
    };
    for (int phase = begin; phase < begin + period; ++phase)
      forPieces(phase, end, period, [&](const Repeat& run) {
        if (isSound(run) && (!here || rank(run) < rank(*here))) here = run;
      });
    if (!here || saving(*here) < kLeastSaving) return;
    const auto better = [](const Repeat& r) { return std::tuple(-saving(r), r.period, r.first); };
    if (!best || better(*here) < better(*best)) best = here;
  }

  /// Calls `f` for the blocks from `first` on, parted behind each block that is read from behind
  /// `end`: such a block has to be the last of its run.
  template <class F>
  void forPieces(int first, int end, int period, F f) const {
    Repeat piece{first, period, 0};
    for (int block = first; block + period <= end; block += period) {
      ++piece.copies;
      const bool readBehind =
          std::any_of(lastReader_.begin() + block, lastReader_.begin() + block + period,
                      [&](int reader) { return reader >= end; });
      if (!readBehind && block + 2 * period <= end) continue;
      if (piece.copies >= 2) f(piece);
      piece = {block + period, period, 0};
    }
  }

  static int saving(const Repeat& run) { return run.period * (run.copies - 1); }

  bool isShared(int n, std::size_t input, int period) const {
    return node(n).inputs[input] == node(n + period).inputs[input];
  }

  bool isSound(const Repeat& run) const {
    const int lastBlock = run.end() - run.period;
    for (int n = run.first; n < lastBlock; ++n) {
      if (lastReader(n) >= run.end()) return false;
      const auto& inputs = node(n).inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        // What two blocks read from one node has to come from in front of all, for all of them.
        const bool shared = isShared(n, i, run.period);
        if (shared && inputs[i] >= run.first) return false;
        if (shared != isShared(run.first + (n - run.first) % run.period, i, run.period))
          return false;
      }
    }
    return true;
  }

  const std::vector<TaskGraphNode>& nodes_;
  std::vector<int> lastReader_;
  std::vector<int> crossing_; // nodes in front of each position that are read behind it
  std::vector<Repeat> found_;
};

/// Moves the edges that follow from others to `implied`.
void partImplied(DrawnGraph& drawn) {
  const std::size_t count = drawn.nodes.size();
  std::vector<std::vector<int>> inputs(count);
  for (const DrawnGraph::Edge& edge : drawn.edges)
    inputs[static_cast<std::size_t>(edge.to)].push_back(edge.from);
  // Nodes from which each node is reached; producers come first.
  std::vector<std::vector<bool>> reached(count, std::vector<bool>(count, false));
  for (std::size_t n = 0; n < count; ++n)
    for (const int input : inputs[n]) {
      const std::vector<bool>& before = reached[static_cast<std::size_t>(input)];
      for (std::size_t m = 0; m < n; ++m)
        if (before[m]) reached[n][m] = true;
      reached[n][static_cast<std::size_t>(input)] = true;
    }
  const auto isImplied = [&](const DrawnGraph::Edge& edge) {
    const std::vector<int>& all = inputs[static_cast<std::size_t>(edge.to)];
    return all.size() > kManyInputs && std::any_of(all.begin(), all.end(), [&](int other) {
             return reached[static_cast<std::size_t>(other)][static_cast<std::size_t>(edge.from)];
           });
  };
  std::copy_if(drawn.edges.begin(), drawn.edges.end(), std::back_inserter(drawn.implied),
               isImplied);
  std::erase_if(drawn.edges, isImplied);
}

} // namespace

std::vector<Repeat> findRepeats(const TaskGraph& graph) {
  return RepeatFinder(graph).run();
}

DrawnGraph drawnGraph(const TaskGraph& graph, const std::vector<Repeat>& repeats,
                      const std::vector<bool>& expanded) {
  DrawnGraph drawn;
  std::size_t r = 0;
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n) {
    while (r < repeats.size() && n >= repeats[r].end())
      ++r;
    const bool inside = r < repeats.size() && n >= repeats[r].first;
    const bool folded = inside && !expanded[r];
    if (folded && n >= repeats[r].first + repeats[r].period) {
      drawn.drawnAs.push_back(drawn.drawnAs[static_cast<std::size_t>(n - repeats[r].period)]);
      continue;
    }
    const int at = static_cast<int>(drawn.nodes.size());
    drawn.nodes.push_back(n);
    drawn.drawnAs.push_back(at);
    drawn.copies.push_back(folded ? repeats[r].copies : 1);
    if (!inside) continue;
    if (n == repeats[r].first) drawn.frames.push_back({static_cast<int>(r), folded, {}});
    drawn.frames.back().nodes.push_back(at);
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const int to = drawn.drawnAs[n];
    // Of a folded run the first block is drawn, with what it reads itself.
    if (drawn.nodes[static_cast<std::size_t>(to)] != static_cast<int>(n)) continue;
    for (const int input : graph.nodes[n].inputs)
      drawn.edges.push_back({drawn.drawnAs[static_cast<std::size_t>(input)], to});
  }
  std::sort(drawn.edges.begin(), drawn.edges.end());
  drawn.edges.erase(std::unique(drawn.edges.begin(), drawn.edges.end()), drawn.edges.end());
  partImplied(drawn);
  return drawn;
}

} // namespace nestwright
