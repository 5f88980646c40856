#pragma once
/// \file What can be done with the records whose rows are selected: the table's context menu.

#include "ui/kit/background.h"

#include <QObject>
#include <QString>

class QMenu;

namespace nestwright::ui {

class Document;
class RecordScope;
class RecordTable;
class RecordTags;

class RecordActions : public QObject {
  Q_OBJECT
 public:
  /// Puts them into the table's menu.
  RecordActions(Document& document, RecordTable* table, RecordScope* scope, RecordTags* tags,
                QObject* parent);

  /// As they are shown, to the clipboard; rows that nobody looked at are read first.
  void copySelected(bool markdown = false);
  /// Puts the tag on the selected records, or takes it away.
  void tagSelected(const QString& tag, bool on);
  void askGoTo();

 private:
  void addSaver();
  void fillSuchMenu();
  void fillTagMenu();
  void askTag();

  Document& document_;
  RecordTable* table_;
  RecordScope* scope_;
  RecordTags* tags_;
  QMenu *suchMenu_, *tagMenu_;
  Background copying_; // last: its work is waited for first
};

} // namespace nestwright::ui
