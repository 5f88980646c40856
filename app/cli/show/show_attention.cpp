#include "app/cli/show/show_attention.h"

#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace nestwright::cli {

namespace {

/// Steps that are named for each.
constexpr std::size_t kMostLookedAt = 3;

const Attention& attentionOf(const ExplainedScore& explained) {
  if (!explained.attention)
    throw InputError("the session's cost model has no attention between steps; tlp and mtl-tlp "
                     "have, which read schedule steps");
  return *explained.attention;
}

std::string mostLookedAt(const Attention& attention, std::size_t row) {
  std::vector<std::size_t> order(attention.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t of) { return attention.share(row, of); });
  order.resize(std::min(order.size(), kMostLookedAt));
  std::vector<std::string> texts;
  for (const std::size_t of : order)
    texts.push_back(fmt::format("{:4.1f} % {:>2}", 100 * attention.share(row, of), of));
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace

std::string attentionText(const ExplainedScore& explained) {
  const Attention& attention = attentionOf(explained);
  const std::vector<std::string>& steps = explained.shown.statements;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < attention.rows; ++i)
    widest = std::max(widest, steps[i].size());
  std::string text = "the steps that each step looks at most, and the padding behind the program, "
                     "by shares of its attention\n";
  for (std::size_t i = 0; i < attention.rows; ++i)
    text += fmt::format("{:>3}  {:<{}}  {}; padding {:.0f} %\n", i, steps[i], widest,
                        mostLookedAt(attention, i), 100 * attention.ofPadding(i));
  if (attention.rows < steps.size())
    text += fmt::format("the network reads {} steps: it does not see the last {}\n", attention.rows,
                        steps.size() - attention.rows);
  return text;
}

nlohmann::json attentionJson(const ExplainedScore& explained) {
  const Attention& attention = attentionOf(explained);
  auto steps = nlohmann::json::array(), shares = steps, padding = steps;
  for (std::size_t row = 0; row < attention.rows; ++row) {
    steps.push_back(explained.shown.statements[row]);
    auto own = nlohmann::json::array();
    for (std::size_t of = 0; of < attention.rows; ++of)
      own.push_back(attention.share(row, of));
    shares.push_back(std::move(own));
    padding.push_back(attention.ofPadding(row));
  }
  return {
      {"steps", std::move(steps)}, {"shares", std::move(shares)}, {"padding", std::move(padding)}};
}

} // namespace nestwright::cli
