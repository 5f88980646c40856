#pragma once
/// \file What cost models read of a program, feature by feature, of one program or of two.

#include "core/feature/program_features.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <optional>
#include <vector>

namespace nestwright::ui {

class FeatureModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role {
    DiffersRole = Qt::UserRole, // the two programs differ in this feature
    SortRole
  };

  using QAbstractTableModel::QAbstractTableModel;
  void setProgram(const ProgramFeatures& features);
  /// Columns of both programs side by side, stage by stage; stages are matched by name.
  void setPrograms(const ProgramFeatures& a, const ProgramFeatures& b);
  void clear();
  /// Features in which two programs differ.
  int differing() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  bool differs(int row) const;

 private:
  /// One stage of one of the programs.
  struct ValueColumn {
    QString title;
    int side = 0;             // 0: a, 1: b
    int stage = 0;            // of that program
    std::optional<int> other; // the column of the same stage on the other side
  };
  std::optional<float> value(int row, const ValueColumn& column) const;
  bool isDifferent(int row, const ValueColumn& column) const;
  void reset(std::vector<ProgramFeatures> programs);

  std::vector<ProgramFeatures> programs_;
  std::vector<ValueColumn> columns_; // between the names and the meanings
  std::vector<std::string> names_, meanings_;
};

} // namespace nestwright::ui
