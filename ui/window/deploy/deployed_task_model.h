#pragma once
/// \file The tasks of a library that is to be made, as a table: which program runs each, and how
/// fast it was.

#include "core/deploy/deployment.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

/// A task of one of the library's variants.
struct VariantTask : DeployedTask {
  std::string processor;
  double share = 0; // of the variant's operations
};

class DeployedTaskModel : public TableModel<VariantTask> {
  Q_OBJECT
 public:
  enum Column { Name, Processor, Weight, Tuned, Record, Time, Speed, Work, ColumnCount };

  explicit DeployedTaskModel(QObject* parent = nullptr);
  /// One variant after the other, the most work first.
  void show(const std::vector<DeployedVariant>& variants);
};

} // namespace nestwright::ui
