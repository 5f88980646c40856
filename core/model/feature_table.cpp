#include "core/model/feature_table.h"

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/quantity.h"

#include <algorithm>
#include <string_view>

namespace nestwright {

void FeatureTable::add(std::span<const float> values) {
  if (columns_ == 0 || values.size() % columns_ != 0)
    throw InputError(fmt::format("program {} has {}, which is no whole number of "
                                 "rows of {} columns",
                                 programs(), quantity(std::ssize(values), "feature value"),
                                 columns_));
  values_.insert(values_.end(), values.begin(), values.end());
  firstRow_.push_back(values_.size() / columns_);
}

void FeatureTable::reserve(std::size_t programs, std::size_t rows) {
  firstRow_.reserve(programs + 1);
  values_.reserve(rows * columns_);
}

bool FeatureTable::blank(std::size_t index) const {
  return std::ranges::all_of(program(index), [](float value) { return value == 0; });
}

std::uint64_t FeatureTable::contentHash(std::size_t index) const {
  const std::span<const float> block = program(index);
  return hash64({reinterpret_cast<const char*>(block.data()), block.size_bytes()});
}

FeatureTable select(const FeatureTable& table, std::span<const std::size_t> programs) {
  FeatureTable selected(table.columns());
  std::size_t rows = 0;
  for (const std::size_t program : programs)
    rows += table.rowCount(program);
  selected.reserve(programs.size(), rows);
  for (const std::size_t program : programs)
    selected.add(table.program(program));
  return selected;
}

} // namespace nestwright
