#include "plugins/torch/learner/attention.h"

#include <algorithm>

namespace nestwright::learner {

std::vector<float> attentionOf(const KeptNetwork& network, const MappedTable& table) {
  const torch::NoGradGuard guard;
  const Layers& layers = *network.layers;
  const LoneSteps lone = loneSteps(network, table);
  const torch::Tensor shares = attentionBetween(layers, encodeSteps(layers, lone.rows), lone.ids,
                                                lone.counts, lone.ids.size())[0]
                                   .mean(0)
                                   .contiguous();
  // A program without padding gives nothing to it.
  std::vector<float> result(lone.steps * (lone.steps + 1), 0);
  const std::size_t places = lone.ids.size();
  for (std::size_t row = 0; row < lone.steps; ++row)
    std::copy_n(shares.data_ptr<float>() + row * places, places,
                result.data() + row * (lone.steps + 1));
  return result;
}

} // namespace nestwright::learner
