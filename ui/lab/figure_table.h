#pragma once
/// \file What searches get from each model, network by network, and the other figures below that.

#include "ui/lab/judged.h"

#include <QTableView>

namespace nestwright::ui {

class FigureModel;

class FigureTable : public QTableView {
  Q_OBJECT
 public:
  explicit FigureTable(QWidget* parent = nullptr);
  void showLook(const JudgedLook& look);
  FigureModel* rows() const { return rows_; }

 private:
  void restyle();

  JudgedLook look_;
  FigureModel* rows_;
};

} // namespace nestwright::ui
