#include "core/template/reorder_knob.h"

#include "core/support/error.h"

#include <algorithm>
#include <numeric>

namespace nestwright {

namespace {

std::vector<int> counted(int loops) {
  std::vector<int> order(static_cast<std::size_t>(loops));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Of all chains one, by what is left of each.
std::vector<int> merged(const Chains& chains) {
  std::vector<std::size_t> taken(chains.size());
  std::vector<int> order;
  for (;;) {
    std::size_t longest = 0, left = 0;
    for (std::size_t i = 0; i < chains.size(); ++i)
      if (chains[i].size() - taken[i] > left) {
        longest = i;
        left = chains[i].size() - taken[i];
      }
    if (left == 0) return order;
    order.push_back(chains[longest][taken[longest]++]);
  }
}

Chains withoutInnermost(Chains chains) {
  for (std::vector<int>& chain : chains)
    chain.pop_back();
  return chains;
}

std::vector<int> innermost(const Chains& chains) {
  std::vector<int> loops;
  for (const std::vector<int>& chain : chains)
    loops.push_back(chain.back());
  return loops;
}

void requireLoops(const std::string& name, const Chains& chains) {
  if (std::ranges::any_of(chains, [](const auto& chain) { return chain.empty(); }))
    throw InputError(fmt::format("the knob {} orders an axis without loops", name));
}

Knob oneOrder(std::string name, std::vector<int> order, const std::vector<int>& rest) {
  order.insert(order.end(), rest.begin(), rest.end());
  return {std::move(name), {ReorderEntity{std::move(order)}}};
}

} // namespace

Knob identityOrder(std::string name, int loops) {
  return {std::move(name), {ReorderEntity{counted(loops)}}};
}

Knob allOrders(std::string name, int loops) {
  return allOrders(std::move(name), loops, 0, loops);
}

Knob allOrders(std::string name, int loops, int begin, int end) {
  if (begin < 0 || begin > end || end > loops)
    throw InputError(
        fmt::format("the knob {} orders the loops from {} to {} of {}", name, begin, end, loops));
  Knob knob{std::move(name), {}};
  std::vector<int> order = counted(loops);
  do
    knob.values.emplace_back(ReorderEntity{order});
  while (std::next_permutation(order.begin() + begin, order.begin() + end));
  return knob;
}

Knob interleavedOrder(std::string name, const Chains& spatial, const Chains& reduction) {
  requireLoops(name, spatial);
  Chains inner;
  for (const int loop : innermost(spatial))
    inner.push_back({loop});
  inner.insert(inner.end(), reduction.begin(), reduction.end());
  return oneOrder(std::move(name), merged(withoutInnermost(spatial)), merged(inner));
}

Knob interleavedOrderForGpu(std::string name, const Chains& spatial, const Chains& reduction) {
  requireLoops(name, spatial);
  std::vector<int> rest = merged(reduction);
  const std::vector<int> inner = innermost(spatial);
  rest.insert(rest.end(), inner.begin(), inner.end());
  return oneOrder(std::move(name), merged(withoutInnermost(spatial)), rest);
}

} // namespace nestwright
