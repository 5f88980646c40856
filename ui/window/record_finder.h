#pragma once
/// \file Finding a record by its number, wherever in the file it is.

#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/background.h"

#include <QObject>
#include <QString>

#include <optional>

namespace nestwright::ui {

class RecordFinder : public QObject {
  Q_OBJECT
 public:
  explicit RecordFinder(Document& document, QObject* parent = nullptr);
  /// Selects the record; shows its session first when that is another one of the document. Says so
  /// when there is no such record.
  void open(RowId record);

 private:
  void take(RowId record, RowId session, RowId task);
  void follow();
  void select();

  Document& document_;
  QString path_;                     // of the document that is asked
  std::optional<Selection> waiting_; // for its session to be shown
  Background reading_;
};

} // namespace nestwright::ui
