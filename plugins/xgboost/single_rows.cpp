#include "plugins/xgboost/single_rows.h"

#include "core/support/error.h"

#include <algorithm>

namespace nestwright::xgboost {

std::vector<float> singleRows(const FeatureTable& table, std::size_t columns) {
  std::vector<float> rows(table.programs() * columns, 0);
  const auto copied = static_cast<std::ptrdiff_t>(std::min(columns, table.columns()));
  for (std::size_t program = 0; program < table.programs(); ++program) {
    if (table.rowCount(program) > 1)
      throw InputError(fmt::format("models of templates read one row of features a program, and "
                                   "program {} has {}; for programs of sketches take the cost "
                                   "model xgboost",
                                   program, table.rowCount(program)));
    if (table.rowCount(program) == 0) continue;
    const std::span<const float> row = table.program(program);
    std::copy(row.begin(), row.begin() + copied,
              rows.begin() + static_cast<std::ptrdiff_t>(program * columns));
  }
  return rows;
}

std::vector<std::size_t> learnable(const DataSet& set, std::size_t most) {
  std::vector<std::size_t> programs;
  for (std::size_t i = set.size(); i-- > 0 && programs.size() < most;)
    if (!set.features.blank(i)) programs.push_back(i);
  std::ranges::reverse(programs);
  return programs;
}

} // namespace nestwright::xgboost
