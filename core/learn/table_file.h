#pragma once
/// \file Feature rows and labels on their way to the learner: a file that both map, since a pipe
/// would copy gigabytes twice. It has no name and is gone with the one who made it.
///
/// In it, in the machine's own byte order: for each program and behind the last one the number of
/// its first row (8 bytes), the rows' features, then the labels of each program, one a head (4
/// bytes each; not a number where there is none).

#include "core/model/feature_table.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// Where the file is and what is in it.
struct TableLayout {
  std::string path;
  std::size_t programs = 0, rows = 0, columns = 0;
  std::size_t heads = 0; // labels a program

  std::size_t bytes() const;
};

template <class Io>
void fields(Io& io, TableLayout& layout) {
  io("path", layout.path);
  io("programs", layout.programs);
  io("rows", layout.rows);
  io("columns", layout.columns);
  io("heads", layout.heads);
}

/// The writer's side.
class TableFile {
 public:
  /// The given programs in the given order; `labels` are `heads` a program. Throws SystemError when
  /// the folder for temporary files has no room for it.
  TableFile(const FeatureTable& table, std::span<const std::size_t> programs,
            std::span<const float> labels = {}, std::size_t heads = 0);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  /// Its path is good as long as this lives, for processes of the same person.
  const TableLayout& layout() const { return layout_; }

 private:
  TableLayout layout_;
  int descriptor_ = -1;
};

/// The reader's side.
class MappedTable {
 public:
  MappedTable() = default;
  /// Throws InputError when the file is not what the layout says.
  explicit MappedTable(const TableLayout& layout);
  ~MappedTable();
  MappedTable(MappedTable&& other) noexcept { *this = std::move(other); }
  MappedTable& operator=(MappedTable&& other) noexcept;

  std::size_t programs() const { return layout_.programs; }
  std::size_t columns() const { return layout_.columns; }
  std::size_t heads() const { return layout_.heads; }
  std::size_t firstRow(std::size_t program) const { return firstRows_[program]; }
  std::size_t rowCount(std::size_t program) const {
    return firstRows_[program + 1] - firstRows_[program];
  }
  const float* row(std::size_t row) const { return values_ + row * layout_.columns; }
  std::span<const float> labels(std::size_t program) const {
    return {labels_ + program * layout_.heads, layout_.heads};
  }

 private:
  TableLayout layout_;
  void* mapping_ = nullptr;
  std::size_t bytes_ = 0;
  const std::uint64_t* firstRows_ = nullptr;
  const float* values_ = nullptr;
  const float* labels_ = nullptr;
};

} // namespace nestwright
