#include "core/network/fusion.h"

#include <set>

namespace nestwright {

namespace {

bool isElementwise(OpKind kind) {
  return isUnary(kind) || isBroadcasting(kind);
}

bool isAnchor(OpKind kind) {
  return !isElementwise(kind) && !isInjective(kind) && kind != OpKind::BatchNorm;
}

/// Reads each element of its data once, so that computing it on the fly costs nothing.
bool readsOnce(OpKind kind) {
  return isReduction(kind) || kind == OpKind::GlobalAveragePool;
}

class Fuser {
 public:
  explicit Fuser(const Network& network)
      : network_(network), readers_(consumers(network)), group_(network.nodes.size(), -1),
        isOutput_(network.tensors.size(), 0) {
    for (const TensorId id : network.outputs)
      isOutput_[static_cast<std::size_t>(id)] = 1;
  }

  std::vector<FusedGroup> run() {
    for (const int node : anchorsByDepth())
      start(node, node);
    // What no anchor took: chains that begin with a moving node first, then the rest.
    for (const bool moving : {true, false})
      for (std::size_t n = 0; n < network_.nodes.size(); ++n)
        if (group_[n] < 0 && network_.nodes[n].kind != OpKind::Reshape &&
            isInjective(network_.nodes[n].kind) == moving)
          start(static_cast<int>(n), -1);
    joinProducers();
    joinMoves();
    std::erase_if(groups_, [](const FusedGroup& group) { return group.nodes.empty(); });
    std::sort(groups_.begin(), groups_.end(), [](const FusedGroup& a, const FusedGroup& b) {
      return a.nodes.back() < b.nodes.back();
    });
    return std::move(groups_);
  }

 private:
  const Node& node(int n) const { return network_.nodes[static_cast<std::size_t>(n)]; }

  /// Anchors, those at the end of the longest paths from the inputs first.
  std::vector<int> anchorsByDepth() const {
    std::vector<int> depthOf(network_.tensors.size(), 0), anchors;
    for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
      const Node& node = network_.nodes[n];
      int depth = 0;
      for (const TensorId input : node.inputs)
        depth = std::max(depth, depthOf[static_cast<std::size_t>(input)]);
      depthOf[static_cast<std::size_t>(node.output)] = depth + (isAnchor(node.kind) ? 1 : 0);
      if (isAnchor(node.kind)) anchors.push_back(static_cast<int>(n));
    }
    std::stable_sort(anchors.begin(), anchors.end(), [&](int a, int b) {
      return depthOf[static_cast<std::size_t>(node(a).output)] >
             depthOf[static_cast<std::size_t>(node(b).output)];
    });
    return anchors;
  }

  void start(int first, int anchor) {
    const int id = static_cast<int>(groups_.size());
    groups_.push_back({{first}, anchor, node(first).output});
    group_[static_cast<std::size_t>(first)] = id;
    extend(id);
  }

  /// Takes over followers as long as, now and then, a single tensor leaves the group.
  void extend(int id) {
    constexpr std::size_t kLookAhead = 24;
    const Shape shape = network_.tensor(groups_[static_cast<std::size_t>(id)].output).shape;
    std::vector<int> region = groups_[static_cast<std::size_t>(id)].nodes;
    std::set<TensorId> inside{groups_[static_cast<std::size_t>(id)].output};
    while (region.size() < groups_[static_cast<std::size_t>(id)].nodes.size() + kLookAhead) {
      const int next = nextFollower(region, inside, shape);
      if (next < 0) return;
      region.push_back(next);
      inside.insert(node(next).output);
      if (const TensorId leaving = onlyLeaving(region, inside); leaving >= 0) {
        FusedGroup& group = groups_[static_cast<std::size_t>(id)];
        for (const int taken : region)
          group_[static_cast<std::size_t>(taken)] = id;
        group.nodes = region;
        std::sort(group.nodes.begin(), group.nodes.end());
        group.output = leaving;
      }
    }
  }

  /// The first node outside the region that reads from it, may join and is still free.
  int nextFollower(const std::vector<int>& region, const std::set<TensorId>& inside,
                   const Shape& shape) const {
    int best = -1;
    for (const TensorId tensor : inside) {
      if (isOutput_[static_cast<std::size_t>(tensor)]) continue;
      for (const int reader : readers_[static_cast<std::size_t>(tensor)]) {
        const Node& candidate = node(reader);
        if (group_[static_cast<std::size_t>(reader)] < 0 && isElementwise(candidate.kind) &&
            network_.outputOf(candidate).shape == shape &&
            std::find(region.begin(), region.end(), reader) == region.end() &&
            (best < 0 || reader < best))
          best = reader;
      }
    }
    return best;
  }

  /// The one tensor of the region that is read outside, or -1 when there are more.
  TensorId onlyLeaving(const std::vector<int>& region, const std::set<TensorId>& inside) const {
    TensorId leaving = -1;
    for (const TensorId tensor : inside) {
      const auto& readers = readers_[static_cast<std::size_t>(tensor)];
      const bool leaves = readers.empty() || isOutput_[static_cast<std::size_t>(tensor)] ||
                          std::any_of(readers.begin(), readers.end(), [&](int reader) {
                            return std::find(region.begin(), region.end(), reader) == region.end();
                          });
      if (leaves && leaving >= 0) return -1;
      if (leaves) leaving = tensor;
    }
    return leaving;
  }

  void joinProducers() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      FusedGroup& producer = groups_[g];
      if (producer.anchor >= 0 || isOutput_[static_cast<std::size_t>(producer.output)] ||
          !std::all_of(producer.nodes.begin(), producer.nodes.end(),
                       [&](int n) { return isElementwise(node(n).kind); }))
        continue;
      const auto& readers = readers_[static_cast<std::size_t>(producer.output)];
      if (readers.size() != 1 || !readsOnce(node(readers[0]).kind)) continue;
      FusedGroup& consumer =
          groups_[static_cast<std::size_t>(group_[static_cast<std::size_t>(readers[0])])];
      for (const int n : producer.nodes)
        group_[static_cast<std::size_t>(n)] = group_[static_cast<std::size_t>(readers[0])];
      consumer.nodes.insert(consumer.nodes.begin(), producer.nodes.begin(), producer.nodes.end());
      std::sort(consumer.nodes.begin(), consumer.nodes.end());
      producer.nodes.clear();
    }
  }

  /// Chains of nodes that only move elements or work on one at a time, also of different shapes and
  /// across reshapes, run as one where each has a single reader (a channel shuffle).
  void joinMoves() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      FusedGroup& producer = groups_[g];
      if (producer.nodes.empty() || !isChain(producer)) continue;
      std::vector<int> reshapes;
      const int reader = onlyReader(producer.output, reshapes);
      if (reader < 0) continue;
      const int into = group_[static_cast<std::size_t>(reader)];
      FusedGroup& consumer = groups_[static_cast<std::size_t>(into)];
      if (!isChain(consumer)) continue;
      for (const auto* nodes : {&producer.nodes, &reshapes})
        for (const int n : *nodes) {
          group_[static_cast<std::size_t>(n)] = into;
          consumer.nodes.push_back(n);
        }
      std::sort(consumer.nodes.begin(), consumer.nodes.end());
      producer.nodes.clear();
    }
  }

  bool isChain(const FusedGroup& group) const {
    return std::all_of(group.nodes.begin(), group.nodes.end(), [this](int n) {
      return isElementwise(node(n).kind) || isInjective(node(n).kind);
    });
  }

  /// The only node that reads a tensor, seen through reshapes, which are listed; -1 when there are
  /// more or it is an output.
  int onlyReader(TensorId id, std::vector<int>& reshapes) const {
    while (true) {
      const auto& readers = readers_[static_cast<std::size_t>(id)];
      if (readers.size() != 1 || isOutput_[static_cast<std::size_t>(id)]) return -1;
      if (node(readers[0]).kind != OpKind::Reshape) return readers[0];
      reshapes.push_back(readers[0]);
      id = node(readers[0]).output;
    }
  }

  const Network& network_;
  std::vector<std::vector<int>> readers_;
  std::vector<int> group_;
  std::vector<char> isOutput_;
  std::vector<FusedGroup> groups_;
};

} // namespace

std::vector<FusedGroup> fuse(const Network& network) {
  return Fuser(network).run();
}

std::vector<FusedGroup> withoutFusion(const Network& network) {
  std::vector<FusedGroup> groups;
  for (std::size_t n = 0; n < network.nodes.size(); ++n) {
    const Node& node = network.nodes[n];
    if (node.kind != OpKind::Reshape)
      groups.push_back(
          {{static_cast<int>(n)}, isAnchor(node.kind) ? static_cast<int>(n) : -1, node.output});
  }
  return groups;
}

} // namespace nestwright
