#include "core/network/partition/fusion.h"

#include "core/network/partition/fusion_rules.h"

#include <set>

namespace nestwright {

bool isElementwise(OpKind kind) {
  return isUnary(kind) || isBroadcasting(kind);
}

bool isAnchor(OpKind kind) {
  return !isElementwise(kind) && !isInjective(kind) && kind != OpKind::BatchNorm;
}

bool readsOnce(OpKind kind) {
  return isReduction(kind) || kind == OpKind::GlobalAveragePool;
}

namespace {

/// What a group may grow to: the operator it starts with and followers of its shape, until more
/// than one tensor leaves. Each step costs what the node that joins reads and is read by.
class Region {
 public:
  Region(const Network& network, const std::vector<std::vector<int>>& readers,
         const std::vector<char>& isOutput, int first)
      : network_(network), readers_(readers), isOutput_(isOutput),
        shape_(network.outputOf(network.nodes[static_cast<std::size_t>(first)]).shape) {
    add(first);
  }

  const std::vector<int>& nodes() const { return nodes_; }
  /// The one tensor that is read outside, or -1 when there are more.
  TensorId onlyLeaving() const { return leaving_.size() == 1 ? *leaving_.begin() : -1; }

  /// Takes the first follower in the order of the network that `isFree`; false when there is none.
  template <class F>
  bool grow(const F& isFree) {
    while (!followers_.empty()) {
      const int next = *followers_.begin();
      followers_.erase(followers_.begin());
      if (!isFree(next)) continue;
      add(next);
      return true;
    }
    return false;
  }

 private:
  void add(int n) {
    const Node& node = network_.nodes[static_cast<std::size_t>(n)];
    nodes_.push_back(n);
    inside_.insert(n);
    const TensorId output = node.output;
    const auto& readers = readers_[static_cast<std::size_t>(output)];
    const bool isOutput = isOutput_[static_cast<std::size_t>(output)];
    const auto outside = std::count_if(readers.begin(), readers.end(),
                                       [this](int reader) { return !inside_.contains(reader); });
    outside_[output] = outside;
    if (isOutput || readers.empty() || outside > 0) leaving_.insert(output);
    for (const TensorId input : std::set<TensorId>(node.inputs.begin(), node.inputs.end()))
      if (const auto found = outside_.find(input); found != outside_.end())
        if (--found->second == 0 && !isOutput_[static_cast<std::size_t>(input)])
          leaving_.erase(input);
    if (isOutput) return;
    for (const int reader : readers) {
      const Node& candidate = network_.nodes[static_cast<std::size_t>(reader)];
      if (!inside_.contains(reader) && isElementwise(candidate.kind) &&
          network_.outputOf(candidate).shape == shape_)
        followers_.insert(reader);
    }
  }

  const Network& network_;
  const std::vector<std::vector<int>>& readers_;
  const std::vector<char>& isOutput_;
  const Shape shape_;
  std::vector<int> nodes_; // in the order in which they joined
  std::set<int> inside_, followers_;
  std::map<TensorId, std::ptrdiff_t>
      outside_; // how many nodes outside read each tensor of the region
  std::set<TensorId> leaving_;
};

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
    joinDequantised();
    joinMoves();
    std::erase_if(groups_, [](const FusedGroup& group) { return group.nodes.empty(); });
    for (FusedGroup& group : groups_)
      std::sort(group.nodes.begin(), group.nodes.end());
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

  /// A group that takes over followers as long as, now and then, a single tensor leaves it.
  void start(int first, int anchor) {
    constexpr std::size_t kLookAhead = 24;
    const int id = static_cast<int>(groups_.size());
    FusedGroup group{{first}, anchor, node(first).output};
    group_[static_cast<std::size_t>(first)] = id;
    Region region(network_, readers_, isOutput_, first);
    std::size_t taken = 1;
    while (region.nodes().size() < std::min(taken + kLookAhead, kMostFused) &&
           region.grow([this](int n) { return group_[static_cast<std::size_t>(n)] < 0; }))
      if (const TensorId leaving = region.onlyLeaving(); leaving >= 0) {
        taken = region.nodes().size();
        group.output = leaving;
      }
    group.nodes.assign(region.nodes().begin(),
                       region.nodes().begin() + static_cast<std::ptrdiff_t>(taken));
    leaveBytes(group);
    for (const int n : group.nodes)
      group_[static_cast<std::size_t>(n)] = id;
    groups_.push_back(std::move(group));
  }

  /// What dequantises last, for one reader that can do it on the way, is left to that: bytes go
  /// through memory and not the numbers that they stand for.
  void leaveBytes(FusedGroup& group) const {
    const Node& last = node(group.nodes.back());
    if (group.nodes.size() < 2 || last.kind != OpKind::DequantizeLinear ||
        last.output != group.output || isOutput_[static_cast<std::size_t>(last.output)])
      return;
    const auto& readers = readers_[static_cast<std::size_t>(last.output)];
    if (readers.size() != 1) return;
    const Node& reader = node(readers[0]);
    const bool onTheWay = readsOnce(reader.kind) ||
                          (isElementwise(reader.kind) &&
                           network_.outputOf(reader).shape == network_.tensor(last.output).shape);
    if (!onTheWay || readers_[static_cast<std::size_t>(last.inputs[0])].size() != 1) return;
    group.nodes.pop_back();
    group.output = last.inputs[0];
  }

  void joinProducers() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const FusedGroup& producer = groups_[g];
      if (producer.anchor >= 0 || isOutput_[static_cast<std::size_t>(producer.output)] ||
          !std::all_of(producer.nodes.begin(), producer.nodes.end(),
                       [&](int n) { return isElementwise(node(n).kind); }))
        continue;
      const auto& readers = readers_[static_cast<std::size_t>(producer.output)];
      if (readers.size() == 1 && readsOnce(node(readers[0]).kind))
        join(static_cast<int>(g), group_[static_cast<std::size_t>(readers[0])], {});
    }
  }

  /// What turns bytes into numbers joins the only reader of these where that has an anchor: a
  /// residual stays in bytes until it is added.
  void joinDequantised() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const FusedGroup& alone = groups_[g];
      if (alone.nodes.size() != 1 || node(alone.nodes[0]).kind != OpKind::DequantizeLinear ||
          isOutput_[static_cast<std::size_t>(alone.output)])
        continue;
      const auto& readers = readers_[static_cast<std::size_t>(alone.output)];
      if (readers.size() != 1 || !isElementwise(node(readers[0]).kind)) continue;
      const int into = group_[static_cast<std::size_t>(readers[0])];
      if (groups_[static_cast<std::size_t>(into)].anchor >= 0 &&
          network_.tensor(alone.output).shape == network_.outputOf(node(readers[0])).shape)
        join(static_cast<int>(g), into, {});
    }
  }

  /// Chains of nodes that only move elements or work on one at a time, also of different shapes and
  /// across reshapes, run as one where each has a single reader (a channel shuffle).
  void joinMoves() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].nodes.empty() || !isChain(groups_[g])) continue;
      std::vector<int> reshapes;
      const int reader = onlyReader(groups_[g].output, reshapes);
      if (reader < 0) continue;
      const int into = group_[static_cast<std::size_t>(reader)];
      if (isChain(groups_[static_cast<std::size_t>(into)]))
        join(static_cast<int>(g), into, reshapes);
    }
  }

  /// Puts a group and the nodes behind it in front of another, unless that becomes too large.
  void join(int producer, int consumer, const std::vector<int>& between) {
    std::vector<int>& from = groups_[static_cast<std::size_t>(producer)].nodes;
    std::vector<int>& to = groups_[static_cast<std::size_t>(consumer)].nodes;
    if (from.size() + between.size() + to.size() > kMostFused) return;
    from.insert(from.end(), between.begin(), between.end());
    for (const int n : from)
      group_[static_cast<std::size_t>(n)] = consumer;
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
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
