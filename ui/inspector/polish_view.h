#pragma once
/// \file Which decisions of the selected task matter, by what polishes measured: a star of rays,
/// and the same as a table.

#include "core/story/decisions/polish_star.h"
#include "ui/document/reading/file_asking.h"
#include "ui/kit/exportable.h"

#include <QTimer>
#include <QWidget>

#include <string>

class QComboBox;
class QLabel;
class QTableView;

namespace nestwright::ui {

class Document;
class StarModel;
class StarPlot;

/// What a star with rays says in words: how much was measured, and which decision matters most.
QString polishSentence(const PolishStar& star);

class PolishView : public QWidget, public ExportableView {
  Q_OBJECT
 public:
  explicit PolishView(Document& document, QWidget* parent = nullptr);

  StarPlot* plot() const { return plot_; }
  QTableView* table() const { return table_; }
  /// Which program is in the middle: all of them, or one.
  QComboBox* around() const { return around_; }
  /// What is said above the star.
  QString note() const;
  Exports exports() override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void followDocument();
  void followSelection();
  void read();
  void take(PolishStar star);
  void showStar(const QString& message = {});

  Document& document_;
  RowId task_ = 0;
  std::string centre_, decision_; // that were chosen; empty: all, none
  PolishStar star_;
  QLabel* note_;
  QComboBox* around_;
  StarPlot* plot_;
  StarModel* model_;
  QTableView* table_;
  QTimer again_;        // new records arrived
  StoreAsking reading_; // last: its answers use the others
};

} // namespace nestwright::ui
