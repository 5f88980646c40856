/// What views give away: tables, pictures, and nothing where there is nothing.

#include "tests/support/test_program.h"
#include "tests/ui/opened_sample.h"
#include "tests/ui/own_settings.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/exporter.h"
#include "ui/kit/theme.h"
#include "ui/window/panel.h"
#include "ui/window/panel_export.h"
#include "ui/window/panel_host.h"

#include <QFile>
#include <QImage>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

namespace nestwright::exports_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

QByteArray contents(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Whether there is something in the picture, as what it says it is.
bool drawnIn(const QByteArray& file, const QString& ending) {
  if (ending == QLatin1String("png")) {
    QImage image;
    return image.loadFromData(file, "PNG") && image.width() > 200;
  }
  if (ending == QLatin1String("pdf")) return file.startsWith("%PDF-") && file.size() > 2000;
  // Lines or text, not only the ground.
  return file.contains("<svg") && file.contains("</svg>") &&
         file.count("<path") + file.count("<polyline") + file.count("<text") +
                 file.count("<image") >
             3;
}

/// Waits for the end; the reason why it failed.
QString write(const QString& path, const Exports& exports) {
  QObject context;
  std::optional<QString> problem;
  exportTo(path, exports, QStringLiteral("a.nwdb"), &context,
           [&](const QString& text) { problem = text; });
  [&] { QTRY_VERIFY(problem); }();
  return problem.value_or(QStringLiteral("not ended"));
}

class ExportsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void tablesAreWrittenWhole();
  void noCellIsAFormula();
  void nothingIsNoFile();
  void everyPanelExports_data();
  void everyPanelExports();

 private:
  QTemporaryDir settings_;
};

void ExportsTest::initTestCase() {
  keepSettingsIn(settings_);
}

void ExportsTest::tablesAreWrittenWhole() {
  QStandardItemModel model(2, 2);
  model.setHorizontalHeaderLabels({QStringLiteral("name"), QStringLiteral("time, ms")});
  model.setItem(0, 0, new QStandardItem(QStringLiteral("a, \"b\"")));
  model.setItem(0, 1, new QStandardItem(QStringLiteral("1.5 ms")));
  model.item(0, 1)->setData(1.25, ExportRole);
  model.setItem(1, 0, new QStandardItem(QStringLiteral("line\nbreak|bar")));
  model.setItem(1, 1, new QStandardItem(QStringLiteral("2")));
  QTableView view;
  view.setModel(&model);
  const Exports exports = exportsOf(&view, QStringLiteral("t"), QStringLiteral("A table"));
  QVERIFY(kindsOf(exports).contains(ExportKind::Csv));
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("t.csv"));
  QCOMPARE(write(path, exports), QString());
  const QString text = QString::fromUtf8(contents(path));
  QVERIFY(text.startsWith(QStringLiteral("# A table\n# a.nwdb\n# Nestwright ")));
  QVERIFY2(text.endsWith(QStringLiteral("name,\"time, ms\"\n\"a, \"\"b\"\"\",1.25\n"
                                        "\"line\nbreak|bar\",2\n")),
           qPrintable(text));
  QCOMPARE(tsvOf(*exports.table),
           QStringLiteral("name\ttime, ms\na, \"b\"\t1.25\nline break|bar\t2"));
  QCOMPARE(markdownOf(*exports.table),
           QStringLiteral("| name | time, ms |\n| --- | --- |\n| a, \"b\" | 1.25 |\n"
                          "| line break\\|bar | 2 |"));
}

/// In a file and on the clipboard, which goes to spreadsheets as well.
void ExportsTest::noCellIsAFormula() {
  QStandardItemModel model(1, 2);
  model.setHorizontalHeaderLabels({QStringLiteral("name"), QStringLiteral("change")});
  model.setItem(0, 0, new QStandardItem(QStringLiteral("=cmd|'/C calc'!A0")));
  model.setItem(0, 1, new QStandardItem(QStringLiteral("-2.5")));
  QTableView view;
  view.setModel(&model);
  const Exports exports =
      exportsOf(&view, QStringLiteral("t"), QStringLiteral("x,=HYPERLINK(\"a\")"));
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("t.csv"));
  QCOMPARE(write(path, exports), QString());
  const QString text = QString::fromUtf8(contents(path));
  QVERIFY2(text.startsWith(QStringLiteral("# x,'=HYPERLINK")), qPrintable(text));
  QVERIFY2(text.endsWith(QStringLiteral("\n'=cmd|'/C calc'!A0,-2.5\n")), qPrintable(text));
  QCOMPARE(tsvOf(*exports.table), QStringLiteral("name\tchange\n'=cmd|'/C calc'!A0\t-2.5"));
}

void ExportsTest::nothingIsNoFile() {
  QTemporaryDir folder;
  Exports blank;
  blank.title = QStringLiteral("Blank");
  blank.size = QSize(100, 100);
  blank.draw = [](QPainter&) {};
  for (const char* ending : {"png", "svg", "pdf"}) {
    const QString path = folder.filePath(QStringLiteral("blank.") + QLatin1String(ending));
    QVERIFY(write(path, blank).contains(QStringLiteral("nothing")));
    QVERIFY(!QFile::exists(path));
  }
  Exports empty;
  empty.title = QStringLiteral("Empty");
  empty.table = ExportTable{{QStringLiteral("a")}, [](const auto&) {}};
  const QString path = folder.filePath(QStringLiteral("empty.csv"));
  QVERIFY(write(path, empty).contains(QStringLiteral("no rows")));
  QVERIFY(!QFile::exists(path));
  QVERIFY(
      write(folder.filePath(QStringLiteral("empty.png")), empty).contains(QStringLiteral("csv")));
  QVERIFY(!write(folder.filePath(QStringLiteral("empty.doc")), empty).isEmpty());
}

/// All that --export takes: those of the panels, and the one in a dialog.
std::vector<PanelView> viewsOf(MainWindow& window) {
  std::vector<PanelView> views = window.panels().views();
  views.push_back({QStringLiteral("import"), {}, nullptr});
  return views;
}

void ExportsTest::everyPanelExports_data() {
  QTest::addColumn<bool>("dark");
  QTest::newRow("light") << false;
  QTest::newRow("dark, on white") << true;
}

void ExportsTest::everyPanelExports() {
  QFETCH(bool, dark);
  OpenedSample opened(60);
  Theme::instance().choose(dark ? ThemeChoice::Dark : ThemeChoice::Light);
  Settings::setPrintColours(true);
  MainWindow& window = opened.window;
  QTRY_VERIFY(!window.document().session().historyLoading());
  QTemporaryDir folder;
  for (const PanelView& view : viewsOf(window)) {
    window.showView(view.name);
    QTest::qWait(50);
    // Every view is drawn by the same code; of the other forms a chart, a table and both will do.
    QStringList endings{QStringLiteral("png")};
    if (!dark && QStringList{"curves", "tasks", "scheduler"}.contains(view.name))
      endings << QStringLiteral("svg") << QStringLiteral("pdf");
    for (const QString& ending : endings) {
      const QString path = folder.filePath(view.name + QLatin1Char('.') + ending);
      std::optional<QString> problem;
      window.panelExport().write(view.name, path, [&](const QString& text) { problem = text; });
      QTRY_VERIFY(problem);
      QVERIFY2(problem->isEmpty() || problem->contains(QStringLiteral("nothing")),
               qPrintable(*problem));
      QCOMPARE(QFile::exists(path), problem->isEmpty());
      for (const char* always : {"tasks", "records", "budget", "scheduler", "curves"})
        if (view.name == QLatin1String(always)) QCOMPARE(*problem, QString());
      if (!problem->isEmpty()) continue;
      QVERIFY2(drawnIn(contents(path), ending), qPrintable(view.name + QLatin1Char(' ') + ending));
    }
  }
  QCOMPARE(colours().dark, dark); // as before
  Theme::instance().choose(ThemeChoice::System);
  std::optional<QString> problem;
  window.panelExport().write(QStringLiteral("nonsense"), folder.filePath(QStringLiteral("a.png")),
                             [&](const QString& text) { problem = text; });
  QVERIFY(problem && problem->contains(QStringLiteral("curves")));
}

NW_TEST_GUI(ExportsTest)

} // namespace nestwright::exports_test

#include "exports.moc"
