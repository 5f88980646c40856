/// Where a damaged document could not be opened, what can be read of it is saved into a new one.

#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/session/insight/salvage_document.h"
#include "tests/record/file_bytes.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/own_settings.h"
#include "ui/document/document_file.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/document/steering.h"
#include "ui/kit/message_page.h"
#include "ui/window/main_window.h"
#include "ui/window/salvage/salvage_command.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QProgressDialog>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

namespace nestwright::salvaging_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

constexpr int kPageBytes = 4096;
constexpr int kThoroughBytes = 4 << 20; // larger files are not read through when they are opened

QByteArray damagedFrom(double begin, double end) {
  QByteArray bytes = contents(samplePath().toStdString());
  const int pages = int(bytes.size()) / kPageBytes;
  for (int page = int(pages * begin); page < int(pages * end); ++page)
    bytes.replace(page * kPageBytes, kPageBytes, QByteArray(kPageBytes, '\xa5'));
  return bytes;
}

QPushButton* offerOn(MainWindow& window) {
  for (auto* button : window.messagePage()->findChildren<QPushButton*>())
    if (button->isVisible() && button->text() == QStringLiteral("Salvage What Can Be Read …"))
      return button;
  return nullptr;
}

/// Presses the button and names the new file, or none.
void salvageInto(MainWindow& window, const QString& path) {
  bool asked = false;
  QTimer::singleShot(0, &window, [&asked, path] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    QVERIFY(dialog);
    asked = true;
    if (path.isEmpty()) return dialog->reject();
    dialog->selectFile(path);
    QMetaObject::invokeMethod(dialog, "accept");
  });
  QPushButton* offer = offerOn(window);
  QVERIFY(offer);
  offer->click();
  QVERIFY(asked);
}

void goBack(MainWindow& window) {
  const auto buttons = window.messagePage()->findChildren<QPushButton*>();
  for (QPushButton* button : buttons)
    if (button->text().startsWith(QStringLiteral("Back to"))) button->click();
}

class Salvaging : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { keepSettingsIn(settings_); }
  void init();
  void cleanup() { folder_.reset(); }

  void theRestOfADamagedDocumentIsOpened();
  void damageThatShowsWhileReadingIsSalvagedToo();
  void whatIsNoDocumentOffersNothing_data();
  void whatIsNoDocumentOffersNothing();
  void cancelledItLeavesWhatIsOpen();
  void whoWentOnStaysThere();
  void whatIsNotOpenedIsNotToldLater();
  void aFailureSaysWhy();
  void whatIsLostIsTold();

 private:
  QString file(const QString& name) const { return folder_->filePath(name); }
  QString put(const QString& name, const QByteArray& bytes) const {
    overwrite(file(name).toStdString(), bytes);
    return file(name);
  }

  QTemporaryDir settings_;
  std::unique_ptr<QTemporaryDir> folder_;
};

void Salvaging::init() {
  QSettings().clear();
  folder_ = std::make_unique<QTemporaryDir>();
  Settings::setFolder(folder_->path());
}

void Salvaging::theRestOfADamagedDocumentIsOpened() {
  const QByteArray bytes = damagedFrom(0.4, 0.6);
  const QString damaged = put(QStringLiteral("broken.nwdb"), bytes);
  MainWindow window(coreCatalogue());
  window.resize(1280, 800);
  window.show();
  window.openFile(damaged);
  QTRY_COMPARE(window.document().state(), DocumentState::Failed);
  QTRY_VERIFY(offerOn(window));
  const QString into = file(QStringLiteral("saved.nwdb"));
  salvageInto(window, into);
  QTRY_COMPARE_WITH_TIMEOUT(window.document().file().path(), into, 60'000);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QVERIFY(RecordStore::open(into.toStdString(), OpenMode::ReadOnly).records().count({}) > 0);
  for (const char* told : {"saved.nwdb was salvaged", "records were read", "lost"})
    QVERIFY2(window.banner()->isVisible() && window.banner()->text().contains(QLatin1String(told)),
             qPrintable(window.banner()->text()));
  QCOMPARE(contents(damaged.toStdString()), bytes);
}

void Salvaging::damageThatShowsWhileReadingIsSalvagedToo() {
  QByteArray bytes = damagedFrom(0.1, 0.9);
  bytes.append(QByteArray(kThoroughBytes, '\0'));
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(put(QStringLiteral("large.nwdb"), bytes));
  QTRY_COMPARE(window.document().state(), DocumentState::Failed);
  QVERIFY(offerOn(window));
}

void Salvaging::whatIsNoDocumentOffersNothing_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::newRow("text") << QByteArray(9000, 'x');
  QTest::newRow("empty") << QByteArray();
  QByteArray foreign = contents(samplePath().toStdString());
  foreign.replace(68, 4, "abcd"); // where SQLite has whose file it is
  QTest::newRow("of another program") << foreign;
}

void Salvaging::whatIsNoDocumentOffersNothing() {
  QFETCH(QByteArray, bytes);
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(put(QStringLiteral("broken.nwdb"), damagedFrom(0.4, 0.6)));
  QTRY_VERIFY(offerOn(window)); // which is to go
  window.openFile(put(QStringLiteral("other.nwdb"), bytes));
  QTRY_VERIFY(window.messagePage()->text().contains(QStringLiteral("other.nwdb could not")));
  QVERIFY(!offerOn(window));
}

void Salvaging::cancelledItLeavesWhatIsOpen() {
  const auto sample = makeSample(30);
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QWidget* panels = window.page();
  window.openFile(put(QStringLiteral("broken.nwdb"), damagedFrom(0.4, 0.6)));
  QTRY_VERIFY(offerOn(window));
  salvageInto(window, {}); // no file is named
  QVERIFY(!window.findChild<QProgressDialog*>());
  const QString into = file(QStringLiteral("saved.nwdb"));
  salvageInto(window, into);
  auto* progress = window.findChild<QProgressDialog*>();
  QVERIFY(progress);
  Q_EMIT progress->canceled();
  QTRY_VERIFY(!window.findChild<QProgressDialog*>());
  QVERIFY(!QFile::exists(into));
  QCOMPARE(window.document().state(), DocumentState::Ready);
  QCOMPARE(window.document().file().path(), sample->path);
  goBack(window);
  QCOMPARE(window.page(), panels);
}

void Salvaging::whoWentOnStaysThere() {
  const auto sample = makeSample(30);
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QWidget* panels = window.page();
  window.openFile(put(QStringLiteral("broken.nwdb"), damagedFrom(0.4, 0.6)));
  QTRY_VERIFY(offerOn(window));
  const QString into = file(QStringLiteral("saved.nwdb"));
  salvageInto(window, into);
  goBack(window);
  QTRY_VERIFY_WITH_TIMEOUT(
      window.banner()->text().contains(QStringLiteral("saved.nwdb was salvaged")), 60'000);
  QTest::qWait(300); // a document is opened beside everything else
  QCOMPARE(window.document().file().path(), sample->path);
  QCOMPARE(window.page(), panels);
  window.openFile(into);
  QTRY_COMPARE(window.document().file().path(), into);
}

/// It went to a window of its own; here it may be opened some day.
void Salvaging::whatIsNotOpenedIsNotToldLater() {
  const auto sample = makeSample(30), other = makeSample(30);
  SessionScript script;
  MainWindow window(coreCatalogue(), scripted(script));
  window.show();
  window.openFile(sample->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  window.openFile(put(QStringLiteral("broken.nwdb"), damagedFrom(0.4, 0.6)));
  QTRY_VERIFY(offerOn(window));
  window.document().steering().start();
  QTRY_VERIFY(window.document().session().isRunning());
  const QString into = file(QStringLiteral("saved.nwdb"));
  bool asked = false;
  QTimer timer;
  connect(&timer, &QTimer::timeout, this, [&asked] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    if (!box) return;
    asked = true;
    box->reject();
  });
  timer.start(20);
  salvageInto(window, into);
  QTRY_VERIFY_WITH_TIMEOUT(asked, 60'000);
  timer.stop();
  window.document().steering().pause();
  QTRY_VERIFY(!window.document().session().isRunning());
  window.openFile(other->path);
  QTRY_COMPARE(window.document().file().path(), other->path);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  window.openFile(into);
  QTRY_COMPARE(window.document().file().path(), into);
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  QVERIFY2(!window.banner()->text().contains(QStringLiteral("was salvaged")),
           qPrintable(window.banner()->text()));
}

void Salvaging::aFailureSaysWhy() {
  const QString there = put(QStringLiteral("there.nwdb"), "mine");
  MainWindow window(coreCatalogue());
  window.show();
  window.openFile(put(QStringLiteral("broken.nwdb"), damagedFrom(0.4, 0.6)));
  QTRY_VERIFY(offerOn(window));
  salvageInto(window, there);
  QTRY_VERIFY(window.banner()->text().contains(QStringLiteral("Nothing was salvaged.")));
  QVERIFY2(window.banner()->text().contains(QStringLiteral("there.nwdb")),
           qPrintable(window.banner()->text()));
  QCOMPARE(contents(there.toStdString()), QByteArray("mine"));
  QVERIFY(offerOn(window)); // another name may do
}

void Salvaging::whatIsLostIsTold() {
  SalvageReport report;
  report.records = 1204, report.lost = 0;
  QCOMPARE(salvageText(report), QStringLiteral("1,204 records were read, and none is lost."));
  report.records = 1, report.lost = 20;
  report.losses = {"a", "b", "c", "d"};
  QCOMPARE(salvageText(report),
           QStringLiteral("One record was read, and 20 are lost. Lost: a. Lost: b. Lost: c. "
                          "`nestwright db salvage` lists all 4 losses."));
  report.lost.reset(), report.losses.clear();
  QCOMPARE(salvageText(report),
           QStringLiteral("One record was read; how many there were is not known."));
}

NW_TEST_GUI(Salvaging)

} // namespace nestwright::salvaging_test

#include "salvaging.moc"
