#include "core/network/graph/network_builder.h"
#include "core/network/pass/passes.h"

#include <limits>
#include <optional>

namespace nestwright {

namespace {

/// The padding that a window over `rank` - 2 spatial axes may take over, or null.
const PadAttributes* spatialPad(const Node* node, const Node& reader) {
  if (!node || node->kind != OpKind::Pad) return nullptr;
  const auto& pad = node->as<PadAttributes>();
  if (pad.mode != PadAttributes::Mode::Constant || pad.before.size() < 3) return nullptr;
  for (std::size_t d = 0; d < 2; ++d)
    if (pad.before[d] != 0 || pad.after[d] != 0) return nullptr;
  // A maximum ignores what is lower than everything; sums ignore zeros.
  const bool fits = reader.kind == OpKind::MaxPool
                        ? pad.value <= std::numeric_limits<float>::lowest()
                    : reader.kind == OpKind::Conv
                        ? pad.value == static_cast<double>(reader.as<ConvAttributes>().around)
                        : pad.value == 0;
  return fits ? &pad : nullptr;
}

void addPads(Window& window, const PadAttributes& pad) {
  for (std::size_t a = 0; a < window.kernel.size(); ++a) {
    window.padsBefore[a] += pad.before[a + 2];
    window.padsAfter[a] += pad.after[a + 2];
  }
}

/// The attributes that read the data in front of the padding, or nothing.
std::optional<Attributes> withPads(const Node& node, const PadAttributes& pad) {
  if (node.kind == OpKind::Conv) {
    ConvAttributes conv = node.as<ConvAttributes>();
    addPads(conv.window, pad);
    return conv;
  }
  PoolAttributes pool = node.as<PoolAttributes>();
  // Which windows count depends on what is padding once the number of windows is rounded up.
  if (pool.ceiling) return std::nullopt;
  if (node.kind == OpKind::AveragePool) {
    const Shape none(pool.window.kernel.size(), 0);
    const bool own = pool.window.padsBefore != none || pool.window.padsAfter != none;
    if (own && !pool.countPadding) return std::nullopt;
    pool.countPadding = true; // what was data counted
  }
  addPads(pool.window, pad);
  return pool;
}

} // namespace

Network absorbPads(const Network& network) {
  NetworkBuilder to(network);
  const std::vector<int> makers = producers(network);
  for (const Node& node : network.nodes) {
    const bool isWindow = node.kind == OpKind::Conv || node.kind == OpKind::MaxPool ||
                          node.kind == OpKind::AveragePool;
    const int maker = makers[static_cast<std::size_t>(node.inputs[0])];
    const Node* before = maker < 0 ? nullptr : &network.nodes[static_cast<std::size_t>(maker)];
    const PadAttributes* pad = isWindow ? spatialPad(before, node) : nullptr;
    const std::optional<Attributes> attributes =
        pad ? withPads(node, *pad) : std::optional<Attributes>();
    if (!attributes) {
      to.copy(node);
      continue;
    }
    std::vector<TensorId> inputs{to.mapped(before->inputs[0])};
    for (std::size_t i = 1; i < node.inputs.size(); ++i)
      inputs.push_back(to.mapped(node.inputs[i]));
    to.map(node.output, to.node(node.kind, inputs, *attributes, node.name));
  }
  return to.finish();
}

} // namespace nestwright
