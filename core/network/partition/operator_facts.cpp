#include "core/network/partition/operator_facts.h"

#include "core/network/graph/node_work.h"
#include "core/network/partition/fusion_rules.h"
#include "core/support/overloaded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace nestwright {

namespace {

using AttributeList = std::vector<OperatorFacts::Attribute>;

template <class List>
std::string joined(const List& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

bool all(const Shape& values, std::int64_t value) {
  return std::ranges::all_of(values, [value](std::int64_t one) { return one == value; });
}

void add(AttributeList& to, const char* name, std::string value) {
  to.push_back({name, std::move(value)});
}

void addWindow(AttributeList& to, const Window& window) {
  add(to, "kernel", joined(window.kernel));
  add(to, "strides", joined(window.strides));
  add(to, "pads",
      window.padsBefore == window.padsAfter
          ? joined(window.padsBefore)
          : fmt::format("{} before, {} behind", joined(window.padsBefore),
                        joined(window.padsAfter)));
  if (!all(window.dilations, 1)) add(to, "dilations", joined(window.dilations));
}

void addLayout(AttributeList& to, TensorLayout layout) {
  add(to, "layout", layout == TensorLayout::ChannelsLast ? "channels last" : "channels first");
}

std::string mode(PadAttributes::Mode mode) {
  switch (mode) {
  case PadAttributes::Mode::Constant:
    return "constant";
  case PadAttributes::Mode::Edge:
    return "edge";
  case PadAttributes::Mode::Reflect:
    return "reflect";
  }
  return {};
}

TensorFacts tensorFacts(const Network& network, TensorId id) {
  const Tensor& tensor = network.tensor(id);
  return {tensor.name, tensor.shape, tensor.type, static_cast<bool>(tensor.constant),
          tensor.learnable};
}

std::string called(const Node& node) {
  return node.name.empty() || node.name == name(node.kind)
             ? std::string(name(node.kind))
             : fmt::format("{} {}", name(node.kind), node.name);
}

/// The operators of one group, and which does the work.
class Kernel {
 public:
  Kernel(const Network& network, const TaskGroup& group) : network_(network), group_(group) {
    for (const int n : group.nodes)
      if (anchor_ < 0 && isAnchor(node(n).kind)) anchor_ = n;
    if (anchor_ < 0) return;
    // Backwards, producers come before their readers.
    std::set<TensorId> read(node(anchor_).inputs.begin(), node(anchor_).inputs.end());
    for (auto n = group.nodes.rbegin(); n != group.nodes.rend(); ++n)
      if (*n != anchor_ && read.contains(node(*n).output)) {
        before_.insert(*n);
        read.insert(node(*n).inputs.begin(), node(*n).inputs.end());
      }
  }

  std::string reason(int n) const {
    const OpKind kind = node(n).kind;
    const bool alone = group_.nodes.size() == 1;
    if (n == anchor_)
      return alone ? "it does work of its own, and nothing could join it"
                   : "it does the work of this kernel, and the others join it";
    if (kind == OpKind::Reshape) return "it only renames memory between two that move elements";
    if (before_.contains(n))
      return fmt::format("{} reads each of its elements once, so it is computed on the way",
                         called(node(anchor_)));
    if (anchor_ >= 0 && n < anchor_)
      return "it makes numbers of what another operator of this kernel reads, which so lie in "
             "memory as integers";
    if (anchor_ >= 0)
      return fmt::format("it works on each element of the result of {} by itself, before that "
                         "would go to memory",
                         called(node(anchor_)));
    const char* what = isInjective(kind) ? "it only moves elements"
                                         : "it works on each element "
                                           "by itself";
    return alone ? fmt::format("{}, and no other operator could take it", what)
                 : fmt::format("{}, and one operator alone reads it", what);
  }

 private:
  const Node& node(int n) const { return network_.nodes[static_cast<std::size_t>(n)]; }

  const Network& network_;
  const TaskGroup& group_;
  int anchor_ = -1;
  std::set<int> before_; // the anchor
};

} // namespace

double TensorFacts::bytes() const {
  return static_cast<double>(elementCount(shape)) * type.elementBytes();
}

std::vector<OperatorFacts::Attribute> attributesOf(const Node& node) {
  AttributeList to;
  std::visit(
      Overloaded{
          [](const std::monostate&) {},
          [&](const ConvAttributes& a) {
            addWindow(to, a.window);
            if (a.groups != 1) add(to, "groups", fmt::format("{}", a.groups));
            if (a.around != 0) add(to, "padded with", fmt::format("{}", a.around));
            addLayout(to, a.layout);
          },
          [&](const PoolAttributes& a) {
            addWindow(to, a.window);
            if (a.ceiling) add(to, "rounds", "up");
            if (a.countPadding) add(to, "counts padding", "yes");
            addLayout(to, a.layout);
          },
          [&](const BatchNormAttributes& a) { add(to, "epsilon", fmt::format("{:g}", a.epsilon)); },
          [&](const LayoutAttributes& a) { addLayout(to, a.layout); },
          [&](const ReduceAttributes& a) {
            add(to, "axes", joined(a.axes));
            add(to, "keeps dimensions", a.keepDimensions ? "yes" : "no");
          },
          [&](const AxisAttributes& a) { add(to, "axis", fmt::format("{}", a.axis)); },
          [&](const LayerNormAttributes& a) { add(to, "epsilon", fmt::format("{:g}", a.epsilon)); },
          [&](const ClipAttributes& a) {
            add(to, "low", fmt::format("{:g}", a.low));
            add(to, "high", fmt::format("{:g}", a.high));
          },
          [&](const TransposeAttributes& a) { add(to, "permutation", joined(a.permutation)); },
          [&](const SliceAttributes& a) {
            add(to, "starts", joined(a.starts));
            if (!all(a.steps, 1)) add(to, "steps", joined(a.steps));
          },
          [&](const PadAttributes& a) {
            add(to, "before", joined(a.before));
            add(to, "behind", joined(a.after));
            add(to, "mode", mode(a.mode));
            if (a.mode == PadAttributes::Mode::Constant)
              add(to, "value", fmt::format("{:g}", a.value));
          },
          [&](const MatMulAttributes& a) {
            for (const auto& [what, permutation] :
                 {std::pair("left lies as", &a.left), std::pair("right lies as", &a.right),
                  std::pair("result lies as", &a.output)})
              if (!permutation->empty()) add(to, what, joined(*permutation));
          },
      },
      node.attributes);
  return to;
}

std::vector<OperatorFacts> operatorFacts(const Partition& partition, const TaskGroup& group) {
  const Network& network = partition.network;
  const Kernel kernel(network, group);
  std::vector<OperatorFacts> all;
  for (const int n : group.nodes) {
    const Node& node = network.nodes[static_cast<std::size_t>(n)];
    OperatorFacts facts;
    facts.op = name(node.kind);
    facts.name = node.name;
    facts.attributes = attributesOf(node);
    for (const TensorId id : node.inputs)
      facts.inputs.push_back(tensorFacts(network, id));
    facts.output = tensorFacts(network, node.output);
    facts.flops = flops(network, node);
    for (const TensorId id : std::set<TensorId>(node.inputs.begin(), node.inputs.end()))
      facts.bytes += tensorFacts(network, id).bytes();
    facts.bytes += facts.output.bytes();
    facts.reason = kernel.reason(n);
    all.push_back(std::move(facts));
  }
  return all;
}

KernelEnds::KernelEnds(const Partition& partition)
    : network_(partition.network), readers_(consumers(partition.network)),
      storage_(storageTensors(partition.network)) {
  for (const TensorId id : network_.outputs)
    outputs_.insert(storage_[static_cast<std::size_t>(id)]);
}

std::vector<int> KernelEnds::readersOf(TensorId id) const {
  std::vector<int> found;
  for (const int n : readers_[static_cast<std::size_t>(id)]) {
    const Node& node = network_.nodes[static_cast<std::size_t>(n)];
    if (node.kind != OpKind::Reshape) {
      found.push_back(n);
      continue;
    }
    const std::vector<int> behind = readersOf(node.output);
    found.insert(found.end(), behind.begin(), behind.end());
  }
  return found;
}

std::string KernelEnds::reason(const TaskGroup& group) const {
  if (outputs_.contains(storage_[static_cast<std::size_t>(group.output)]))
    return "its result is an output of the network";
  const std::vector<int> readers = readersOf(group.output);
  if (readers.empty()) return {};
  if (readers.size() > 1) return fmt::format("{} operators read its result", readers.size());
  const Node& next = network_.nodes[static_cast<std::size_t>(readers[0])];
  if (isAnchor(next.kind))
    return fmt::format("{}, which reads it, does work of its own", called(next));
  if (isInjective(next.kind))
    return fmt::format("{}, which reads it, moves elements", called(next));
  if (network_.outputOf(next).shape != network_.tensor(group.output).shape)
    return fmt::format("{}, which reads it, has a result of another shape", called(next));
  return fmt::format("{}, which reads it, is part of the kernel of another of its operands",
                     called(next));
}

} // namespace nestwright
