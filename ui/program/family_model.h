#pragma once
/// \file A program's ancestors as a tree: below each program its parents, back to random ones.

#include "core/session/crossing/ancestry.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

struct FamilyRow {
  int ancestor = 0;
  bool again = false; // its parents are shown where it stands first
};

/// The ItemRole is the index into family().
class FamilyModel : public TreeModel<FamilyRow> {
  Q_OBJECT
 public:
  enum Column { Program, Origin, Predicted, Measured, ColumnCount };

  explicit FamilyModel(QObject* parent = nullptr);
  /// The program itself first.
  void show(std::vector<Ancestor> family);
  const std::vector<Ancestor>& family() const { return family_; }

 private:
  using Row = FamilyRow;
  void build();
  const Ancestor& at(const Row& row) const {
    return family_[static_cast<std::size_t>(row.ancestor)];
  }
  Columns columns() const;
  QVariant rowData(const Row& row, int role) const override;

  std::vector<Ancestor> family_;
};

} // namespace nestwright::ui
