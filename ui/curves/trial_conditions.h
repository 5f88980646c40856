#pragma once
/// \file How fast and how warm the machine was as a trial was measured: read for the one that is
/// pointed at, since the history of a session does not keep it.

#include "core/support/row_id.h"

#include <QObject>
#include <QString>

#include <map>

namespace nestwright::ui {

class Document;

class TrialConditions : public QObject {
  Q_OBJECT
 public:
  TrialConditions(Document& document, QObject* parent);
  /// "at 1.98 GHz, 54 °C"; empty when the record does not say, and until it is read, which this
  /// begins.
  QString of(RowId record);

 Q_SIGNALS:
  /// What is known of the record that was asked about last.
  void arrived();

 private:
  Document& document_;
  std::map<RowId, QString> known_; // of the open document
  RowId asked_ = 0;
};

} // namespace nestwright::ui
