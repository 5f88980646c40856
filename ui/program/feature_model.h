#pragma once
/// \file What cost models read of a program, feature by feature, of one program or of two.

#include "core/feature/program_features.h"
#include "ui/kit/table/column_model.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace nestwright::ui {

/// A row for each feature: its number. The DiffersRole says whether the two programs differ in it.
class FeatureModel : public TableModel<int> {
  Q_OBJECT
 public:
  using TableModel::TableModel;
  void setProgram(const ProgramFeatures& features);
  /// Columns of both programs side by side, statement by statement; these are matched by name.
  void setPrograms(const ProgramFeatures& a, const ProgramFeatures& b);
  void clear();
  /// Features in which two programs differ.
  int differing() const;
  bool differs(int row) const;

 private:
  /// One stage of one of the programs, whose values are a column.
  struct Stage {
    QString title;
    int side = 0;             // 0: a, 1: b
    int stage = 0;            // of that program
    std::optional<int> other; // the same stage on the other side
  };
  std::vector<Stage> stagesOf(const std::vector<ProgramFeatures>& programs) const;
  std::optional<float> value(int feature, const Stage& stage) const;
  bool isDifferent(int feature, const Stage& stage) const;
  void reset(std::vector<ProgramFeatures> programs);
  void listFeatures();
  Columns columns() const;
  TableColumn<int> valuesOf(const Stage& stage) const;
  QVariant rowData(const int& feature, int role) const override;

  std::vector<ProgramFeatures> programs_;
  std::vector<Stage> stages_; // between the names and the meanings
  std::vector<std::string> names_, meanings_;
  std::vector<std::unordered_map<std::string, std::size_t>> columns_; // of each program, by name
};

} // namespace nestwright::ui
