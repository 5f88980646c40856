#include "plugins/torch/learner/step_programs.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace nestwright::learner {

StepPrograms stepPrograms(const MappedTable& table, std::size_t begin, std::size_t end,
                          std::size_t length) {
  StepPrograms result;
  result.padding.assign(table.columns(), 0);
  result.first = {0};
  std::unordered_map<std::string_view, std::uint32_t> known;
  const auto idOf = [&](const float* step) {
    const std::string_view bytes(reinterpret_cast<const char*>(step),
                                 table.columns() * sizeof(float));
    const auto [found, isNew] =
        known.emplace(bytes, static_cast<std::uint32_t>(result.steps.size()));
    if (isNew) result.steps.push_back(step);
    return found->second;
  };
  const auto add = [&](const float* step, float count) {
    const std::uint32_t id = idOf(step);
    const auto own = result.ids.begin() + static_cast<std::ptrdiff_t>(result.first.back());
    const auto before = std::find(own, result.ids.end(), id);
    if (before != result.ids.end()) {
      result.counts[static_cast<std::size_t>(before - result.ids.begin())] += count;
      return;
    }
    result.ids.push_back(id);
    result.counts.push_back(count);
  };
  for (std::size_t program = begin; program < end; ++program) {
    const std::size_t rows = std::min(table.rowCount(program), length);
    for (std::size_t row = 0; row < rows; ++row)
      add(table.row(table.firstRow(program) + row), 1);
    if (rows < length) add(result.padding.data(), static_cast<float>(length - rows));
    result.first.push_back(result.ids.size());
  }
  return result;
}

} // namespace nestwright::learner
