#include "ui/window/document_commands.h"

#include "core/plugin/plugin.h"
#include "core/session/run/search_method.h"
#include "core/support/error.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/document/steering.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/window/actions.h"
#include "ui/window/new_session/new_session_dialog.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QPointer>
#include <QProgressDialog>

#include <climits>
#include <memory>
#include <utility>

namespace nestwright::ui {
namespace {

/// Not so for a policy of a plugin that is not here.
bool asksModel(const SessionConfig& config) {
  try {
    return searchPolicy(config.policy).learns;
  } catch (const Error&) {
    return false;
  }
}

} // namespace

DocumentCommands::DocumentCommands(Document& document, Catalogue catalogue, Actions& actions,
                                   QWidget* window)
    : QObject(window), document_(document), catalogue_(std::move(catalogue)), window_(window) {
  connect(actions.newSession, &QAction::triggered, this, [this] { newSession(); });
  connect(actions.open, &QAction::triggered, this, &DocumentCommands::askOpen);
  connect(actions.sample, &QAction::triggered, this, &DocumentCommands::openSample);
  connect(actions.saveCopy, &QAction::triggered, this, &DocumentCommands::askSaveCopy);
  connect(actions.close, &QAction::triggered, &document, &Document::close);
  connect(actions.moreTrials, &QAction::triggered, this, &DocumentCommands::askTrialBudget);
  connect(actions.workerCommand, &QAction::triggered, this, &DocumentCommands::askWorkerCommand);
  connect(actions.policyProgram, &QAction::triggered, this, &DocumentCommands::askPolicyProgram);
  connect(actions.runAgain, &QAction::triggered, this, [this] { runAgain(false); });
  connect(actions.runChanged, &QAction::triggered, this, [this] { runAgain(true); });
}

void DocumentCommands::askOpen() {
  const QString file =
      QFileDialog::getOpenFileName(window_, tr("Open Document"), Settings::folder(),
                                   tr("Nestwright documents (*.nwdb);;All files (*)"));
  if (!file.isEmpty()) open(file);
}

void DocumentCommands::open(const QString& path, bool start, RowId session) {
  const OpenWhere where = askWhere(document_, QFileInfo(path).fileName(), window_);
  if (where == OpenWhere::Nowhere) return;
  Settings::setFolder(QFileInfo(path).absolutePath());
  openIn(where, path, start, session);
}

void DocumentCommands::openIn(OpenWhere where, const QString& path, bool start, RowId session) {
  failing_.reset();
  if (where == OpenWhere::Here) return document_.open(path, start, session);
  QStringList arguments{path};
  if (session != 0) arguments << QStringLiteral("--session") << QString::number(session);
  if (start) arguments << QStringLiteral("--start");
  Q_EMIT windowWanted(arguments);
}

void DocumentCommands::openSample() {
  const OpenWhere where = askWhere(document_, tr("the sample"), window_);
  if (where == OpenWhere::Nowhere) return;
  const QString sample = samplePath();
  // A copy, so that looking around and tuning on never changes the original.
  const QString copy = copyOfSample(sample);
  if (copy.isEmpty())
    document_.notices().warn(
        tr("The sample %1 could not be copied to your data folder.").arg(sample));
  else
    openIn(where, copy, false);
}

void DocumentCommands::newSession(const QString& subject) {
  ask([&](NewSessionDialog& dialog) {
    if (!subject.isEmpty()) dialog.setSubject(subject);
  });
}

void DocumentCommands::seedSession(const QString& seeds) {
  if (document_.state() != DocumentState::Ready) return;
  SessionConfig config = document_.session().config();
  config.seeds = seeds.toStdString();
  ask([&](NewSessionDialog& dialog) { dialog.setConfig(config); });
}

void DocumentCommands::pretrainedSession(const QString& model) {
  if (document_.state() != DocumentState::Ready) return;
  SessionConfig config = document_.session().config();
  // A search that asks no model has no use for one, and one over templates for none of programs.
  if (config.space != SearchSpace::Sketches || !asksModel(config))
    config = withMethod(config, "ansor");
  config.pretrained = model.toStdString();
  ask([&](NewSessionDialog& dialog) { dialog.setConfig(config); });
}

void DocumentCommands::ask(const std::function<void(NewSessionDialog&)>& fill) {
  NewSessionDialog dialog(catalogue_, window_);
  fill(dialog);
  dialog.setRunning(runningText(document_));
  if (document_.state() == DocumentState::Ready) dialog.setOpenDocument(document_.file().path());
  const auto made = std::make_shared<RowId>(0);
  dialog.setMaker([&dialog, made, this](const NewSessionDialog::Made& done) {
    const Wish wish{dialog.path(), dialog.config()};
    make(wish, [=, this, asker = QPointer(&dialog)](const QString& problem, RowId session) {
      *made = session;
      if (!asker && problem.isEmpty()) // nobody waited for it
        Q_EMIT told(tr("The session was made in %1 all the same.").arg(wish.path));
      done(problem);
    });
  });
  if (dialog.exec() != QDialog::Accepted) return;
  Settings::setFolder(QFileInfo(dialog.path()).absolutePath());
  openIn(dialog.inOwnWindow() ? OpenWhere::OwnWindow : OpenWhere::Here, dialog.path(),
         dialog.startNow(), *made);
}

void DocumentCommands::make(const Wish& wish,
                            std::function<void(const QString& problem, RowId session)> done) {
  document_.file().make(wish.path, wish.config,
                        [this, done = std::move(done)](const DocumentFile::Outcome& made) {
                          if (!made.notice.isEmpty()) document_.notices().warn(made.notice);
                          done(made.error, made.session);
                        });
}

void DocumentCommands::create(const QString& path, const SessionConfig& config, bool start) {
  failing_ = Wish{path, config, start};
  document_.create(path, config, start);
}

QString DocumentCommands::failureExit() const {
  return failing_ ? tr("Change the Settings …") : tr("Back");
}

void DocumentCommands::leaveFailure() {
  const std::optional<Wish> wish = std::exchange(failing_, std::nullopt);
  const QString problem = document_.errorText();
  document_.close();
  if (!wish) return;
  ask([&](NewSessionDialog& dialog) {
    dialog.setConfig(wish->config);
    dialog.setPath(wish->path);
    dialog.setStart(wish->start);
    dialog.showProblem(problem);
  });
}

void DocumentCommands::runAgain(bool ask) {
  if (document_.state() != DocumentState::Ready) return;
  if (document_.replayMode().isOn()) return; // one slip of the mouse must not end it
  if (!ask) {
    const OpenWhere where = askWhere(document_, tr("the new session"), window_);
    if (where == OpenWhere::Nowhere) return;
    if (runningText(document_).isEmpty() && // else it was asked already
        QMessageBox::question(
            window_, tr("Run Again"),
            tr("Make a new session in %1 with the same settings, and start to measure now?")
                .arg(document_.file().title())) != QMessageBox::Yes)
      return;
    const Wish wish{document_.file().path(), document_.session().config(), true};
    Q_EMIT told(tr("Making a session …"));
    return make(wish, [this, where, wish](const QString& problem, RowId session) {
      if (problem.isEmpty()) return openIn(where, wish.path, wish.start, session);
      document_.notices().warn(tr("The session could not be made. %1").arg(problem));
    });
  }
  this->ask([this](NewSessionDialog& dialog) {
    dialog.setConfig(document_.session().config());
    dialog.setPath(document_.file().path());
  });
}

void DocumentCommands::askTrialBudget() {
  bool ok = false;
  const int made = static_cast<int>(document_.session().progress().trials);
  const int budget =
      QInputDialog::getInt(window_, tr("Trial Budget"),
                           tr("Trials of the whole session (%1 are made):").arg(countText(made)),
                           static_cast<int>(document_.session().progress().budget),
                           std::max(1, made), INT_MAX, 100, &ok);
  // Trials on demand come on top of the budget of the search.
  const std::int64_t more = budget - document_.session().progress().budget;
  if (ok) document_.steering().steer(SetTrialBudget{document_.session().config().trials + more});
}

void DocumentCommands::askWorkerCommand() {
  bool ok = false;
  const QString line = QInputDialog::getText(
      window_, tr("Worker Command"),
      tr("Program and arguments that measure, from the next start of a session on\n"
         "(empty: this machine's own nestwright worker):"),
      QLineEdit::Normal, Settings::workerCommand(), &ok);
  if (!ok) return;
  try {
    Settings::setWorkerCommand(line);
  } catch (const Error& problem) {
    document_.notices().warn(qs(problem.what()));
  }
}

void DocumentCommands::askPolicyProgram() {
  bool ok = false;
  const QString line = QInputDialog::getText(window_, tr("Policy Program"),
                                             tr("Program and arguments that propose programs, from "
                                                "the next time a document is opened on,\n"
                                                "as in python3 my_policy.py (empty: none):"),
                                             QLineEdit::Normal, Settings::policyProgram(), &ok);
  if (!ok) return;
  try {
    Settings::setPolicyProgram(line);
  } catch (const Error& problem) {
    document_.notices().warn(qs(problem.what()));
  }
}

void DocumentCommands::askSaveCopy() {
  QString file = QFileDialog::getSaveFileName(window_, tr("Save a Copy"),
                                              Settings::folder() + QLatin1Char('/') +
                                                  tr("%1 copy").arg(document_.file().title()) +
                                                  QStringLiteral(".nwdb"),
                                              tr("Nestwright documents (*.nwdb)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".nwdb");
  if (document_.state() != DocumentState::Ready) return;
  Q_EMIT copying();
  if (!copy_.begin(document_.file().path(), file))
    return document_.notices().warn(
        tr("A copy is being written. Let it end or cancel it, then save another."));
  auto* progress = new QProgressDialog(tr("Copying to %1 …").arg(QFileInfo(file).fileName()),
                                       tr("Cancel"), 0, 1000, window_);
  progress->setAttribute(Qt::WA_DeleteOnClose);
  progress->setAutoClose(false);
  progress->setMinimumDuration(500);
  progress->setValue(0);
  connect(progress, &QProgressDialog::canceled, &copy_, &FileCopy::cancel);
  connect(&copy_, &FileCopy::progressed, progress,
          [progress](double done) { progress->setValue(int(done * 1000)); });
  connect(&copy_, &FileCopy::ended, progress,
          [this, progress](const QString& path, bool written, const QString& reason) {
            progress->close();
            if (written)
              Q_EMIT told(tr("The copy %1 was written.").arg(path));
            else if (!reason.isEmpty())
              document_.notices().warn(tr("The copy was not written. %1").arg(reason));
          });
}

} // namespace nestwright::ui

#include "moc_document_commands.cpp"
