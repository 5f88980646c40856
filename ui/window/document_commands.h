#pragma once
/// \file The window's commands about documents and sessions, as far as they have to ask first:
/// what to open, what to tune, where a copy goes, how many trials.

#include "ui/document/file_copy.h"
#include "ui/window/new_session/catalogue.h"

#include <QObject>
#include <QString>

#include <functional>

class QWidget;

namespace nestwright::ui {

class Actions;
class Document;
class NewSessionDialog;

class DocumentCommands : public QObject {
  Q_OBJECT
 public:
  /// Dialogs belong to `window`.
  DocumentCommands(Document& document, Catalogue catalogue, Actions& actions, QWidget* window);

  /// `start`: go on tuning as soon as it is open.
  void open(const QString& path, bool start = false);
  void openSample();
  /// Asks what to tune, beginning with this choice if one is given.
  void newSession(const QString& subject = {});
  /// Asks for a session as the present one that begins with the programs of this file, in another
  /// document.
  void seedSession(const QString& seeds);
  /// Asks for a session as the present one whose search begins with this trained model, in another
  /// document.
  void pretrainedSession(const QString& model);

 Q_SIGNALS:
  /// A copy of the document is about to be written.
  void copying();
  /// That something was done.
  void told(const QString& text);

 private:
  /// Asks for a new session in a dialog that is filled like this, and makes it.
  void ask(const std::function<void(NewSessionDialog&)>& fill);
  void askOpen();
  void askSaveCopy();
  void runAgain(bool ask);
  void askTrialBudget();
  void askWorkerCommand();

  Document& document_;
  Catalogue catalogue_;
  FileCopy copy_;
  QWidget* window_;
};

} // namespace nestwright::ui
