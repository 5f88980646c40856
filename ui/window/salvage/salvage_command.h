#pragma once
/// \file Saving what can be read of a damaged document into a new one, offered on the page that
/// says that it could not be opened.

#include "core/record/care/salvage_file.h"
#include "ui/kit/background.h"

#include <QObject>
#include <QString>

class QWidget;

namespace nestwright::ui {

class Document;
class DocumentCommands;
class MessagePage;

class SalvageCommand : public QObject {
  Q_OBJECT
 public:
  /// Offers it on `page` while that tells of a damaged document, and opens the new one by
  /// `commands`. Dialogs belong to `window`.
  SalvageCommand(Document& document, MessagePage& page, DocumentCommands& commands,
                 QWidget* window);

 private:
  void offer();
  void ask();
  void begin(const QString& damaged, const QString& into);
  bool isShown(const QString& damaged) const;
  void finish(const QString& damaged, const QString& into, const SalvageReport& report);
  void tellOnceOpen();

  Document& document_;
  MessagePage& page_;
  DocumentCommands& commands_;
  QWidget* window_;
  QString written_, told_; // the new document that is to be opened, and what to know of it
  Background work_;
};

/// "1,204 records were read, and 20 are lost.", and the first few things that could not be had.
QString salvageText(const SalvageReport& report);

} // namespace nestwright::ui
