#pragma once
/// \file The options of a training with their meaning, to be changed in place.

#include "core/training/model_wish.h"
#include "ui/kit/table/column_model.h"

namespace nestwright::ui {

class OptionModel : public TableModel<TrainingOption> {
  Q_OBJECT
 public:
  enum Column { Option, Value, Usual, Meaning };
  explicit OptionModel(QObject* parent = nullptr);

  /// Shows the options of the wish; those of a wish that cannot be are left as they were, and why
  /// it cannot is the answer, empty for one that can.
  QString show(const ModelWish& wish);
  /// With the options as they were changed here.
  const ModelWish& wish() const { return wish_; }
  bool isChanged(const std::string& option) const { return wish_.options.contains(option); }
  /// No text: as published.
  void set(int row, const QString& value);

  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  /// By a person's hand.
  void changed();
  void refused(const QString& why);

 private:
  Columns columns() const;
  QVariant rowData(const TrainingOption& option, int role) const override;
  QString usualOf(const TrainingOption& option) const;

  ModelWish wish_;
  std::vector<TrainingOption> usual_; // of the same wish without changes
};

} // namespace nestwright::ui
