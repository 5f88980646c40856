#pragma once
/// \file The listed records put together: by task, operator, network and so on, with best, median
/// and errors. Bests and counts come at once, medians when they were read.

#include "ui/kit/exportable.h"
#include "ui/records/pages/group_model.h"
#include "ui/records/record_asking.h"
#include "ui/records/record_listing.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QTableView;

namespace nestwright::ui {

class Document;

class RecordGroupsPage : public QWidget {
  Q_OBJECT
 public:
  explicit RecordGroupsPage(Document& document, QWidget* parent = nullptr);
  QTableView* table() const { return table_; }
  GroupModel* model() const { return model_; }
  QComboBox* chooser() const { return chooser_; }
  AskingNote* note() const { return note_; }
  GroupBy by() const;
  void setBy(GroupBy by);
  void setListing(const RecordListing& listing);
  /// The group of a row as it is shown.
  const RecordGroup& groupAt(const QModelIndex& shown) const;
  Exports exports() const;

 Q_SIGNALS:
  void filterEdited(const nestwright::RecordFilter& filter);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void read();
  void readMedians();
  void take(std::vector<RecordGroup> groups, bool medians);
  void fitColumns();
  void fitName();
  void describe(bool medians);
  void showMenu(const QPoint& at);

  Document& document_;
  QComboBox* chooser_;
  QTableView* table_;
  GroupModel* model_;
  AskingNote* note_;
  RecordListing listing_;
  bool stale_ = true;
  QTimer grown_;
  RecordAsking asking_, medians_; // last: their work is waited for first
};

} // namespace nestwright::ui
