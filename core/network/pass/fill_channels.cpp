#include "core/network/graph/narrow_integers.h"
#include "core/network/graph/network_builder.h"
#include "core/network/pass/passes.h"

#include <map>

namespace nestwright {

namespace {

/// Products that processors add at once (core/target/dot_products.h), of the types that the
/// convolution has or is going to have; 1 where there is no instruction for them.
std::int64_t productsAtOnce(const Network& network, const Node& conv) {
  const DataType data = network.tensor(conv.inputs[0]).type,
                 kernel = network.tensor(conv.inputs[1]).type;
  if (isByte(data) && isByte(kernel)) return data == kernel ? 1 : 4;
  return data == kFloat32 && hasNarrowProducts(network) ? 2 : 1;
}

/// How many channels a convolution in one group lacks of whole steps.
std::int64_t missingChannels(const Network& network, const Node& node) {
  if (node.kind != OpKind::Conv) return 0;
  const auto& conv = node.as<ConvAttributes>();
  if (conv.groups != 1 || conv.layout != TensorLayout::ChannelsLast) return 0;
  const std::int64_t step = productsAtOnce(network, node);
  return (step - network.tensor(node.inputs[0]).shape.back() % step) % step;
}

/// With so many zeros behind, along one axis.
TensorId filled(NetworkBuilder& to, TensorId x, std::size_t axis, std::int64_t missing) {
  PadAttributes pad;
  pad.before.assign(to.tensor(x).shape.size(), 0);
  pad.after = pad.before;
  pad.after[axis] = missing;
  return to.node(OpKind::Pad, {x}, std::move(pad));
}

} // namespace

Network fillChannels(const Network& network) {
  NetworkBuilder to(network);
  std::map<TensorId, TensorId> known; // data, filled
  for (const Node& node : network.nodes) {
    const std::int64_t missing = missingChannels(network, node);
    if (missing == 0) {
      to.copy(node);
      continue;
    }
    const TensorId data = to.mapped(node.inputs[0]), kernel = to.mapped(node.inputs[1]);
    const std::size_t last = to.tensor(data).shape.size() - 1;
    const auto [place, isNew] = known.try_emplace(data, -1);
    if (isNew) place->second = filled(to, data, last, missing);
    to.map(node.output,
           to.node(OpKind::Conv, {place->second, filled(to, kernel, last - 1, missing)},
                   node.attributes, node.name));
  }
  return foldConstants(to.finish());
}

} // namespace nestwright
