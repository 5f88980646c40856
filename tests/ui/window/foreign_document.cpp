/// A document from elsewhere in the window: whatever it says of commands, none is run.

#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/ui/answered.h"
#include "tests/ui/own_settings.h"
#include "ui/document/policy/own_policy.h"
#include "ui/document/settings.h"
#include "ui/kit/text.h"
#include "ui/program/provenance.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/search_form.h"

#include <nlohmann/json.hpp>

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace nestwright::foreign_document_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

constexpr int kEnough = 120'000; // milliseconds

std::vector<std::string> touching(const QString& marker) {
  return {"/bin/sh", "-c",
          QStringLiteral("touch %1; exec %2/nestwright worker")
              .arg(marker, QStringLiteral(NESTWRIGHT_BINARIES))
              .toStdString()};
}

/// Gives the document's session two trials more, and a worker of somebody else's.
void poison(const QString& path, const QString& marker) {
  RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadWrite);
  SessionRow row = store.sessions().all().back();
  nlohmann::json config = nlohmann::json::parse(row.config);
  config["measure"]["worker_command"] = touching(marker);
  config["trials"] = 4;
  row.config = config.dump();
  row.status = SessionStatus::Paused;
  store.sessions().update(row);
}

class ForeignDocument : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void startAndRunAgainObeyNoDocument();
  void thePersonsCommandIsRun();
  void thePersonsPolicyIsOffered();

 private:
  QString path(const char* name) const { return folder_.filePath(QString::fromUtf8(name)); }
  /// A finished session of two trials.
  void make(const QString& document);

  QTemporaryDir folder_;
};

void ForeignDocument::initTestCase() {
  qputenv("NESTWRIGHT_PLUGIN_PATH", NESTWRIGHT_BINARIES "/../plugins");
  keepSettingsIn(folder_);
}

void ForeignDocument::make(const QString& document) {
  SessionConfig config;
  config.subjects = {"matmul:m=16,n=16,k=16"};
  config.trials = 2;
  config.measure.threads = 1;
  config.measure.repeats = 1;
  Document maker;
  maker.create(document, config, true);
  QTRY_COMPARE_WITH_TIMEOUT(maker.session().status(), SessionStatus::Finished, kEnough);
}

void ForeignDocument::startAndRunAgainObeyNoDocument() {
  const QString document = path("foreign.nwdb"), marker = path("marker");
  make(document);
  poison(document, marker);
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(document);
  QTRY_VERIFY_WITH_TIMEOUT(window.actions().start->isEnabled(), kEnough);
  window.actions().start->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(window.document().session().status(), SessionStatus::Finished, kEnough);
  QCOMPARE(window.document().session().progress().trials, std::int64_t(4));
  QVERIFY(!QFile::exists(marker));
  answered(QMessageBox::Yes, [&] { window.actions().runAgain->trigger(); });
  QTRY_COMPARE_WITH_TIMEOUT(window.document().session().contents().sessions.size(), std::size_t(2),
                            kEnough);
  QTRY_COMPARE_WITH_TIMEOUT(window.document().session().status(), SessionStatus::Finished, kEnough);
  QVERIFY(!QFile::exists(marker));
  // A fact about the first session's records, and nothing of the second's.
  const RecordStore store = RecordStore::open(document.toStdString(), OpenMode::ReadOnly);
  const TaskRow task = store.tasks().all().front();
  for (const SessionRow& session : store.sessions().all()) {
    RecordQuery query;
    query.session = session.id;
    bool told = false;
    for (const Provenance& fact : provenanceOf(store, task, store.records().page(query).front(), 0))
      told = told || fact.value.contains(QStringLiteral("(recorded, not used)"));
    QCOMPARE(told, session.id == store.sessions().all().front().id);
  }
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

void ForeignDocument::thePersonsCommandIsRun() {
  const QString marker = path("mine");
  Settings::setWorkerCommand(QStringLiteral("/bin/sh -c '%1'").arg(qs(touching(marker).back())));
  QVERIFY_EXCEPTION_THROWN(Settings::setWorkerCommand(QStringLiteral("ssh 'host")), UsageError);
  make(path("mine.nwdb"));
  QVERIFY(QFile::exists(marker));
  Settings::setWorkerCommand({});
  QVERIFY(Settings::workerCommand().isEmpty());
}

/// A program that is a policy is a setting of the person's, and among the policies then.
void ForeignDocument::thePersonsPolicyIsOffered() {
  const auto names = [] {
    SearchForm form;
    QStringList all;
    for (const QComboBox* box : form.findChildren<QComboBox*>())
      if (box->accessibleName() == QStringLiteral("Search policy"))
        for (int i = 0; i < box->count(); ++i)
          all.append(box->itemText(i));
    return all;
  };
  QVERIFY(!names().isEmpty() && !names().join(' ').contains("exec:"));
  const auto restore = qScopeGuard([] { Settings::setPolicyProgram({}); });
  Settings::setPolicyProgram(QStringLiteral("python3 '/a b/mine.py'"));
  QVERIFY_EXCEPTION_THROWN(Settings::setPolicyProgram(QStringLiteral("python3 'mine")), UsageError);
  QCOMPARE(ownPolicyLaunch().command, (std::vector<std::string>{"python3", "/a b/mine.py"}));
  QVERIFY2(names().contains(QStringLiteral("exec:python3 mine.py")), qPrintable(names().join(' ')));
}

NW_TEST_GUI(ForeignDocument)

} // namespace nestwright::foreign_document_test

#include "foreign_document.moc"
