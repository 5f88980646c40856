#pragma once
/// \file The tasks of a library that is to be made, as a table: which program runs each, and how
/// fast it was.

#include "core/deploy/deployment.h"
#include "ui/kit/column_model.h"

namespace nestwright::ui {

class DeployedTaskModel : public TableModel<DeployedTask> {
  Q_OBJECT
 public:
  enum Column { Name, Weight, Tuned, Record, Time, Speed, Work, ColumnCount };

  explicit DeployedTaskModel(QObject* parent = nullptr);
  /// The most work first.
  void show(std::vector<DeployedTask> tasks);

 private:
  double all_ = 0; // work of all tasks, with their weights
};

} // namespace nestwright::ui
