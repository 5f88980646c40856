#pragma once
/// \file The window's commands about documents and sessions, as far as they have to ask first:
/// what to open, what to tune, where a copy goes, how many trials.

#include "core/session/run/session.h"
#include "ui/document/file_copy.h"
#include "ui/window/new_session/catalogue.h"
#include "ui/window/running_session.h"

#include <QObject>
#include <QString>

#include <functional>
#include <optional>

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

  /// `start`: go on tuning as soon as it is open. Without a session of it, the one seen last.
  void open(const QString& path, bool start = false, RowId session = 0);
  void openSample();
  /// Asks what to tune, beginning with this choice if one is given.
  void newSession(const QString& subject = {});
  /// Asks for a session as the present one that begins with the programs of this file, in another
  /// document.
  void seedSession(const QString& seeds);
  /// Asks for a session as the present one whose search begins with this trained model, in another
  /// document.
  void pretrainedSession(const QString& model);
  /// Makes a session in the file and opens it, in place of what is open.
  void create(const QString& path, const SessionConfig& config, bool start);
  /// What leaveFailure() does, for a button.
  QString failureExit() const;
  /// Leaves the document that could not be opened, or the session that could not be made: for that
  /// one the dialog comes back, filled with what was wanted.
  void leaveFailure();

 Q_SIGNALS:
  /// A window of its own is to be opened, with these arguments of the command line.
  void windowWanted(const QStringList& arguments);
  /// A copy of the document is about to be written.
  void copying();
  /// That something was done.
  void told(const QString& text);

 private:
  /// A session that is wanted.
  struct Wish {
    QString path;
    SessionConfig config;
    bool start = false;
  };

  /// Asks for a new session in a dialog that is filled like this, and makes it. The dialog stays
  /// until it is made, so that what is wrong can be mended there.
  void ask(const std::function<void(NewSessionDialog&)>& fill);
  /// Makes it while the document stays as it is; `done` gets why not, or an empty text, and the
  /// session.
  void make(const Wish& wish, std::function<void(const QString& problem, RowId session)> done);
  /// Opens the file where it is to be opened.
  void openIn(OpenWhere where, const QString& path, bool start, RowId session = 0);
  void askOpen();
  void askSaveCopy();
  void runAgain(bool ask);
  void askTrialBudget();
  void askWorkerCommand();
  void askPolicyProgram();

  Document& document_;
  Catalogue catalogue_;
  FileCopy copy_;
  std::optional<Wish> failing_; // what the present document was to be made for
  QWidget* window_;
};

} // namespace nestwright::ui
