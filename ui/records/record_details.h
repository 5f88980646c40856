#pragma once
/// \file All that is known of one record: every repeat, the full error, how the program came to be.

#include "core/record/rows/record.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace nestwright::ui {

class Document;
class MicroBatchView;

class RecordDetails : public QWidget {
  Q_OBJECT
 public:
  explicit RecordDetails(Document& document, QWidget* parent = nullptr);
  QString text() const;
  MicroBatchView* microBatches() const { return microBatches_; }

 private:
  void follow();

  Document& document_;
  bool later_ = false; // the selected record has not been measured yet
  QLabel* title_;
  MicroBatchView* microBatches_;
  QPlainTextEdit* text_;
};

/// The panel's text; a pure function of the record.
QString detailsText(const Record& record);

} // namespace nestwright::ui
