#pragma once
/// \file How the steps of a program look at one another, as a table of coloured cells with numbers.

#include "ui/cost_model/score_story.h"
#include "ui/kit/exportable.h"

#include <QAbstractTableModel>

namespace nestwright::ui {

/// A row for each step that the network reads; a column for each, and one for the padding.
class AttentionModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  /// No rows without attention.
  void show(const ScoreStory& story);

  ExportTable exportTable() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  double share(const QModelIndex& cell) const;
  QString words(const QModelIndex& cell) const;

  Attention attention_;
  std::vector<QString> steps_; // with their numbers
  double largest_ = 0;         // share of a step: padding, which may have most, hides no difference
};

} // namespace nestwright::ui
