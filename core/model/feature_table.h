#pragma once
/// \file The numbers that a cost model reads: for each program a block of feature rows (one a
/// statement), all of one width, one block after another in memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nestwright {

/// Feature rows of many programs. A value: copying it copies the numbers.
class FeatureTable {
 public:
  FeatureTable() = default;
  explicit FeatureTable(std::size_t columns) : columns_(columns) {}

  /// Appends one program's rows, row after row. Throws InputError when `values` is no whole number
  /// of rows. A program without rows is allowed: nothing is known of it.
  void add(std::span<const float> values);
  void reserve(std::size_t programs, std::size_t rows);

  std::size_t columns() const { return columns_; }
  std::size_t programs() const { return firstRow_.size() - 1; }
  std::size_t rows() const { return firstRow_.back(); }
  bool empty() const { return programs() == 0; }

  /// Rows [firstRow(p), firstRow(p + 1)) belong to program p; firstRow(programs()) is rows().
  std::size_t firstRow(std::size_t program) const { return firstRow_[program]; }
  std::size_t rowCount(std::size_t program) const {
    return firstRow_[program + 1] - firstRow_[program];
  }
  std::span<const float> row(std::size_t row) const {
    return {values_.data() + row * columns_, columns_};
  }
  std::span<const float> program(std::size_t program) const {
    return {values_.data() + firstRow_[program] * columns_, rowCount(program) * columns_};
  }
  std::span<const float> values() const { return values_; }

  /// True when no feature of the program is other than 0: its lowering failed, or it has no rows.
  bool blank(std::size_t program) const;
  /// Hash of the program's numbers: tells whether a block of rows is still the one it was.
  std::uint64_t contentHash(std::size_t program) const;

 private:
  std::size_t columns_ = 0;
  std::vector<std::size_t> firstRow_ = {0};
  std::vector<float> values_;
};

/// The blocks of the given programs, in the given order.
FeatureTable select(const FeatureTable& table, std::span<const std::size_t> programs);

} // namespace nestwright
