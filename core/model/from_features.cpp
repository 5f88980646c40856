#include "core/model/from_features.h"

#include <algorithm>

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

FeatureTable primitiveTable(std::span<const Steps> programs, const PrimitiveEncoder& encoder,
                            PrimitiveCounts& counts) {
  FeatureTable table(encoder.shape().columns);
  std::size_t rows = 0;
  for (const Steps& steps : programs)
    rows += std::min(steps.size(), encoder.shape().steps);
  table.reserve(programs.size(), rows);
  std::vector<float> values;
  for (const Steps& steps : programs) {
    values.clear();
    encoder.append(steps, values, counts);
    table.add(values);
  }
  return table;
}

} // namespace nestwright
