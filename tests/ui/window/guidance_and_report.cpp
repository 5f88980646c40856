/// The line that says where to look next, the light that says whether times can be trusted, and the
/// report of what came of a session.

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/format.h"
#include "ui/kit/message_page.h"
#include "ui/kit/text.h"
#include "ui/records/record_view.h"
#include "ui/window/actions.h"
#include "ui/window/guidance/guidance_line.h"
#include "ui/window/guidance/health_light.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/report/report_command.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QFile>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

namespace nestwright::guidance_and_report_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class GuidanceAndReportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void init();
  void oneLineWithOneButton();
  void theLineCanBeSentAway();
  void contestedProgramsAreListed();
  void errorsOfAFailingTaskAreListed();
  void theLightTellsOfTheMeasurements();
  void aReportIsOneFile();
  void aReportThatCannotBeWritten();

 private:
  QTemporaryDir settings_, folder_;
  std::unique_ptr<MainWindow> window_;
};

void GuidanceAndReportTest::initTestCase() {
  keepSettingsIn(settings_);
}

void GuidanceAndReportTest::init() {
  window_.reset();
  const QString copy =
      folder_.filePath(QStringLiteral("%1.nwdb").arg(QTest::currentTestFunction()));
  QVERIFY(QFile::copy(samplePath(), copy));
  QVERIFY(QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner));
  window_ = std::make_unique<MainWindow>(coreCatalogue());
  window_->resize(1280, 800);
  window_->show();
  window_->openFile(copy);
  QTRY_COMPARE(window_->document().state(), DocumentState::Ready);
  QTRY_VERIFY(!window_->document().session().historyLoading());
  QTRY_COMPARE(window_->statusLine()->health()->health().grade() != HealthGrade::Unknown, true);
}

/// Says the next things until one of this kind is said.
bool walkTo(GuidanceLine& line, GuidanceKind kind) {
  for (int i = 0; i < kGuidanceKinds; ++i) {
    if (line.shown() && line.shown()->kind == kind) return true;
    line.nextButton()->click();
  }
  return false;
}

void GuidanceAndReportTest::oneLineWithOneButton() {
  GuidanceLine& line = *window_->guidance();
  QTRY_VERIFY(line.isVisible());
  QVERIFY(walkTo(line, GuidanceKind::BelowRoof));
  const Guidance told = *line.shown();
  const TaskEntry* task = window_->document().session().task(told.task);
  QVERIFY(task != nullptr);
  QVERIFY2(line.text().contains(taskTitle(task->row.name)) &&
               line.text().contains(percentText(told.gain)),
           qPrintable(line.text()));
  line.button()->click();
  QCOMPARE(window_->document().selection().current().task, told.task);
  QVERIFY(window_->panels().panel(QStringLiteral("roofline"))->isVisible());
  QVERIFY(line.height() < 50);
}

void GuidanceAndReportTest::theLineCanBeSentAway() {
  GuidanceLine& line = *window_->guidance();
  QTRY_VERIFY(line.isVisible());
  line.closeButton()->click();
  QVERIFY(!line.isVisible());
  QVERIFY(!window_->actions().guidance->isChecked());
  QVERIFY(!Settings::guidance()); // in the next window, too
  window_->actions().guidance->trigger();
  QVERIFY(line.isVisible());
  QVERIFY(Settings::guidance());
}

void GuidanceAndReportTest::contestedProgramsAreListed() {
  GuidanceLine& line = *window_->guidance();
  QTRY_VERIFY(walkTo(line, GuidanceKind::Contested));
  QCOMPARE(line.shown()->trials, window_->statusLine()->health()->health().contested);
  line.button()->click();
  RecordView& records = *window_->panels().view<RecordView>();
  QVERIFY(records.isVisible());
  QTRY_VERIFY(records.model()->rowCount() >= int(line.shown()->trials));
  // The cell says why a faster time is not the best.
  const QModelIndex cell = records.model()->index(0, RecordModel::Notes);
  QTRY_VERIFY2(cell.data().toString().contains(QStringLiteral("contested")),
               qPrintable(cell.data().toString()));
  QVERIFY2(cell.data(Qt::ToolTipRole).toString().contains(QStringLiteral("in turns")),
           qPrintable(cell.data(Qt::ToolTipRole).toString()));
}

/// So many of the first task's trials, and one of another's.
void storeFailures(const Sample& sample, int count) {
  RecordStore store = RecordStore::open(sample.path.toStdString());
  store.transaction([&] {
    for (int trial = 1; trial <= count + 1; ++trial) {
      Record record;
      record.session = sample.session;
      record.task = sample.tasks[trial <= count ? 0 : 1];
      record.trial = trial;
      record.program = fmt::format("{:032x}", trial);
      record.result.verdict = Verdict::RunError;
      record.result.error = "The kernel crashed.";
      store.records().add(record);
    }
  });
}

void GuidanceAndReportTest::errorsOfAFailingTaskAreListed() {
  constexpr int kFailures = 20;
  const auto sample = makeSample(0);
  storeFailures(*sample, kFailures);
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  GuidanceLine& line = *window.guidance();
  QTRY_VERIFY(walkTo(line, GuidanceKind::NoProgram));
  line.button()->click();
  RecordView& records = *window.panels().view<RecordView>();
  QVERIFY(records.isVisible());
  QTRY_COMPARE(records.model()->rowCount(), kFailures); // without the other task's
}

void GuidanceAndReportTest::theLightTellsOfTheMeasurements() {
  const HealthLight& light = *window_->statusLine()->health();
  QVERIFY(light.isVisible());
  QVERIFY2(light.toolTip().contains(percentText(light.health().spread)),
           qPrintable(light.toolTip()));
  QVERIFY(light.toolTip().contains(QStringLiteral("contested")));
  window_->document().close();
  QTRY_VERIFY(!light.isVisible());
}

void GuidanceAndReportTest::aReportIsOneFile() {
  const QString file = folder_.filePath(QStringLiteral("report.html"));
  window_->reports().write(file);
  QFile written(file);
  QVERIFY(written.open(QIODevice::ReadOnly));
  const QString html = QString::fromUtf8(written.readAll());
  const LiveSession& session = window_->document().session();
  QVERIFY(html.contains(timeText(bestTotal(session.tasks()))));
  QVERIFY(html.contains(qs(session.contents().target).toHtmlEscaped()));
  for (const TaskEntry& task : session.tasks())
    QVERIFY2(html.contains(taskTitle(task.row.name).toHtmlEscaped()), task.row.name.c_str());
  QCOMPARE(html.count(QStringLiteral("<img ")), 1);
  QVERIFY(html.contains(QStringLiteral("data:image/svg+xml;base64,")));
  QVERIFY(!html.contains(QStringLiteral("http://")) && !html.contains(QStringLiteral("https://")));
  QCOMPARE(html.count(QStringLiteral("<table>")), html.count(QStringLiteral("</table>")));
  // What people wrote is text.
  Report made;
  made.title = QStringLiteral("<b>&\"");
  made.facts = {{QStringLiteral("a<b"), QStringLiteral("</td>")}};
  Exports part;
  part.title = QStringLiteral("rows");
  part.table =
      tableOfRows({QStringLiteral("x")}, {{QStringLiteral("<script>")}, {QString()}, {QString()}});
  made.parts.push_back(part);
  const QString small = QString::fromUtf8(reportHtml(made, 2));
  QVERIFY(small.contains(QStringLiteral("&lt;script&gt;")) &&
          !small.contains(QStringLiteral("<script>")));
  QVERIFY(small.contains(QStringLiteral("<td>a&lt;b</td><td>&lt;/td&gt;</td>")));
  QVERIFY(small.contains(QStringLiteral("The first 2 rows")));
}

void GuidanceAndReportTest::aReportThatCannotBeWritten() {
  const QString before = window_->banner()->text();
  window_->reports().write(QStringLiteral("/proc/no/report.html"));
  QTRY_VERIFY(window_->banner()->text().contains(QStringLiteral("/proc/no/report.html")));
  QVERIFY(window_->banner()->text() != before);
}

NW_TEST_GUI(GuidanceAndReportTest)

} // namespace nestwright::guidance_and_report_test

#include "guidance_and_report.moc"
