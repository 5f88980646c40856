#include "core/model/from_features.h"

namespace nestwright {

FeatureTable featureTable(const FeatureMatrix& matrix) {
  static_assert(sizeof(std::array<float, kFeatureCount>) == kFeatureCount * sizeof(float),
                "rows lie one after another");
  FeatureTable table(kFeatureCount);
  table.reserve(matrix.programs(), matrix.rows.size());
  for (std::size_t program = 0; program < matrix.programs(); ++program) {
    const auto rows = matrix.rowsOf(program);
    table.add(rows.empty()
                  ? std::span<const float>()
                  : std::span<const float>(rows.front().data(), rows.size() * kFeatureCount));
  }
  return table;
}

} // namespace nestwright
