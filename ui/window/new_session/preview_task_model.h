#pragma once
/// \file The tasks that a new session would have, as a table.

#include "core/session/insight/subject_preview.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

class PreviewTaskModel : public TableModel<PreviewedTask> {
  Q_OBJECT
 public:
  enum Column { Name, Weight, Work, Known, Trials, ColumnCount };

  explicit PreviewTaskModel(QObject* parent = nullptr);
  /// The most work first, as the preview has them.
  void show(std::vector<PreviewedTask> tasks);

 private:
  double most_ = 0; // work of a task times its weight
};

} // namespace nestwright::ui
