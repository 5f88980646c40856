/// A document is deployed from the window: what will be inside is seen before, mistakes are said
/// beside their fields, and what is written is a library; who cancels leaves nothing.

#include "core/record/store/network_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/target/instruction_set.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/window/deploy/dialog_fields.h"
#include "tests/ui/window/deploy/saved_files.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/sample.h"
#include "ui/document/settings.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/window/actions.h"
#include "ui/window/deploy/deploy_dialog.h"
#include "ui/window/deploy/deployed_task_model.h"
#include "ui/window/main_window.h"

#include <nlohmann/json.hpp>

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTimer>

#include <atomic>
#include <thread>

namespace nestwright::deploying_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// For what opens the folder.
class Desktop : public QObject {
  Q_OBJECT
 public:
  QUrl shown;
 public Q_SLOTS:
  void show(const QUrl& url) { shown = url; }
};

class Deploying : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { files_.make(); }

  void cleanup() {
    QCOMPARE(QDir(out()).entryList({"*draft*", "*before*"}, QDir::AllEntries), QStringList());
    Settings::setFolder(out());
  }

  /// By the File menu: from the document to a library whose example builds by the command shown.
  void anOperatorIsDeployed() {
    MainWindow window(coreCatalogue(), madeUpSessions());
    window.show();
    window.openFile(database());
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    bool done = false;
    QTimer::singleShot(0, this, [&] {
      auto* dialog = qobject_cast<DeployDialog*>(QApplication::activeModalWidget());
      QVERIFY(dialog);
      deployOperator(*dialog);
      if (dialog->isMaking()) QTRY_VERIFY(!dialog->isMaking());
      done = !QTest::currentTestFailed();
      dialog->reject();
    });
    entry(window)->trigger();
    QVERIFY(done);
    const ProcessEnd example = shell(QApplication::clipboard()->text());
    QVERIFY2(example.code == 0 && example.output.contains("median"), example.output);
    window.close();
  }

  void networksOfTheSampleAreShownAsTheyAre() {
    const QString copy = files_.path(QStringLiteral("sample.nwdb"));
    QVERIFY(QFile::copy(samplePath(), copy));
    DeployDialog dialog(copy.toStdString(), {});
    dialog.show();
    auto& subject = field<QComboBox>(dialog, "Library of");
    QTRY_COMPARE(subject.count(), 1);
    QCOMPARE(subject.currentText(), QStringLiteral("resnet18:batch=1,image=224"));
    QCOMPARE(field<QLineEdit>(dialog, "Name").text(), QStringLiteral("resnet18"));
    QCOMPARE(field<QSpinBox>(dialog, "Cores").value(), 1); // as it was tuned
    const QAbstractItemModel& table = *dialog.findChild<QTableView*>()->model();
    QTRY_VERIFY(table.rowCount() > 18);
    int searched = 0;
    double all = 0;
    for (int row = 0; row < table.rowCount(); ++row) {
      searched += table.index(row, DeployedTaskModel::Tuned).data().toString() !=
                  QStringLiteral("never searched");
      all += table.index(row, DeployedTaskModel::Work).data(ExportRole).toDouble();
    }
    QCOMPARE(searched, 18);
    QVERIFY(std::abs(all - 1) < 1e-9);
    QVERIFY(says(dialog, "of 18 searched tasks tuned"));
  }

  void mistakesAreSaidBesideTheirFields() {
    DeployDialog dialog(database().toStdString(), {});
    dialog.show();
    QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    auto& name = field<QLineEdit>(dialog, "Name");
    type(name, QStringLiteral("a-b"));
    QVERIFY(says(dialog, "cannot name a C library") && says(dialog, "a_b would do"));
    QVERIFY(!deploy.isEnabled() &&
            whyNot(&deploy).contains(QStringLiteral("cannot name a C library")));
    type(name, QStringLiteral("kernel"));
    QVERIFY(says(dialog, "cannot be called kernel"));
    type(name, QStringLiteral("good"));
    QVERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    auto& folder = field<QLineEdit>(dialog, "Folder");
    QCOMPARE(folder.text(), out() + QStringLiteral("/good")); // follows the name
    type(folder, files_.path({}));
    QVERIFY(says(dialog, "it is never replaced"));
    QVERIFY(!deploy.isEnabled());
    type(folder, QStringLiteral("/nowhere/at/all"));
    QVERIFY(says(dialog, "There is no folder /nowhere/at."));
    type(folder, QStringLiteral(" "));
    QVERIFY(says(dialog, "Name the folder to write."));
    // A library that deploy wrote can be replaced.
    DeployWish there = dialog.wish();
    there.options.name = "good";
    there.folder = out().toStdString() + "/there";
    deployLibrary(there);
    type(folder, out() + QStringLiteral("/there"));
    QVERIFY(says(dialog, "A library is there already."));
    QVERIFY(!deploy.isEnabled() && !dialog.wish().force);
    auto& replace = button<QCheckBox>(dialog, "Replace");
    QVERIFY(replace.isVisible());
    replace.click();
    QVERIFY2(deploy.isEnabled() && dialog.wish().force, qPrintable(whyNot(&deploy)));
  }

  void whatIsNotTunedIsNamedAndCanBeAllowed() {
    DeployDialog dialog(database().toStdString(), {});
    dialog.show();
    QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    button<QCheckBox>(dialog, "x86-64-v2").click();
    QVERIFY(!deploy.isEnabled());
    QTRY_VERIFY(says(dialog, "One task has no verified record for this target."));
    QVERIFY(says(dialog, "The document has records of llvm") &&
            says(dialog, "allow untuned programs."));
    const QAbstractItemModel& table = *dialog.findChild<QTableView*>()->model();
    QCOMPARE(table.index(0, DeployedTaskModel::Tuned).data().toString(),
             QStringLiteral("only elsewhere"));
    auto& least = field<QSpinBox>(dialog, "Least tuned");
    QVERIFY(!least.isEnabled() && !whyNot(&least).isEmpty());
    button<QCheckBox>(dialog, "Untuned").click();
    QVERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    QVERIFY(!says(dialog, "no verified record"));
    least.setValue(50);
    QVERIFY(!deploy.isEnabled() && says(dialog, "50.0 % are asked for"));
  }

  /// Code for several: each is ticked, has its own rows and its own share, and none stands beside
  /// this machine's.
  void severalProcessorsAreChosen() {
    DeployDialog dialog(database().toStdString(), {});
    dialog.show();
    QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    QTableView& view = *dialog.findChild<QTableView*>();
    QVERIFY(view.isColumnHidden(DeployedTaskModel::Processor));
    auto& native = button<QCheckBox>(dialog, "this one");
    auto& second = button<QCheckBox>(dialog, "x86-64-v2");
    auto& third = button<QCheckBox>(dialog, "x86-64-v3");
    QVERIFY(native.isChecked());
    QTest::mouseClick(&native, Qt::LeftButton);
    QVERIFY(says(dialog, "Choose at least one processor.") && !deploy.isEnabled());
    QTest::mouseClick(&second, Qt::LeftButton);
    QTest::mouseClick(&third, Qt::LeftButton);
    QVERIFY(!says(dialog, "Choose at least one processor."));
    QVERIFY(dialog.wish().options.instructionSets ==
            (std::vector{InstructionSet::Avx2, InstructionSet::Sse42}));
    if (!canRun(hostTarget(), InstructionSet::Avx2))
      QSKIP("this processor is older than x86-64-v3");
    QTRY_VERIFY(says(dialog, "One task has no verified record for x86-64-v3."));
    QVERIFY(says(dialog, "One task has no verified record for x86-64-v2."));
    QVERIFY(says(dialog, "x86-64-v3: 0 of 1 searched task tuned"));
    QVERIFY(!view.isColumnHidden(DeployedTaskModel::Processor));
    QCOMPARE(view.model()->rowCount(), 2);
    for (const auto& [row, name] : {std::pair(0, "x86-64-v3"), std::pair(1, "x86-64-v2")}) {
      QCOMPARE(view.model()->index(row, DeployedTaskModel::Processor).data().toString(),
               QLatin1String(name));
      QCOMPARE(view.model()->index(row, DeployedTaskModel::Work).data(ExportRole).toDouble(), 1.0);
    }
    button<QCheckBox>(dialog, "Untuned").click();
    QVERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    QTest::mouseClick(&native, Qt::LeftButton);
    QVERIFY(!second.isChecked() && !third.isChecked());
    QTest::mouseClick(&third, Qt::LeftButton);
    QVERIFY(!native.isChecked() && third.isChecked());
    QTest::mouseClick(&second, Qt::LeftButton);
    type(field<QLineEdit>(dialog, "Folder"), out() + QStringLiteral("/several"));
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    QTest::mouseClick(&deploy, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog.isMaking(), 30'000);
    QVERIFY2(says(dialog, "several was written") && says(dialog, "x86-64-v2: 0 of 1"),
             qPrintable(saidIn(dialog)));
  }

  void optionsReachCore() {
    DeployWish asked;
    DeployDialog dialog(database().toStdString(), {}, nullptr,
                        [&](const DeployWish& wish, const DeployWatch&) -> DeployedLibrary {
                          asked = wish;
                          throw SystemError("no space is left on the device");
                        });
    dialog.show();
    QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    auto& subject = field<QComboBox>(dialog, "Library of");
    subject.setCurrentIndex(subject.findText(QStringLiteral("k=64"), Qt::MatchContains));
    type(field<QLineEdit>(dialog, "Name"), QStringLiteral("mine"));
    type(field<QLineEdit>(dialog, "Folder"), out() + QStringLiteral("/mine"));
    button<QCheckBox>(dialog, "x86-64-v2").click();
    field<QSpinBox>(dialog, "Cores").setValue(1);
    auto& threads = field<QComboBox>(dialog, "Loops run by");
    threads.setCurrentIndex(threads.findText(QStringLiteral("callback"), Qt::MatchContains));
    button<QCheckBox>(dialog, "Constants").click();
    button<QCheckBox>(dialog, "Untuned").click();
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    QTest::mouseClick(&deploy, Qt::LeftButton);
    QTRY_VERIFY(!dialog.isMaking());
    QCOMPARE(asked.subject.substr(0, 7), std::string("matmul:"));
    QVERIFY(asked.subject.find("k=64") != std::string::npos);
    QCOMPARE(asked.database, database().toStdString());
    QCOMPARE(asked.folder, out().toStdString() + "/mine");
    QCOMPARE(asked.options.name, std::string("mine"));
    QVERIFY(asked.options.instructionSets == std::vector{InstructionSet::Sse42});
    QCOMPARE(asked.options.threading, Threading::Callback);
    QVERIFY(asked.options.embed && asked.options.allowNaive && !asked.options.requireTuned);
    QCOMPARE(asked.cores, 1);
    QVERIFY(!asked.force);
    // What failed is said, and can be mended.
    QVERIFY(says(dialog, "Nothing was written. No space is left on the device."));
    QVERIFY(dialog.isVisible() && deploy.isEnabled());
    field<QSpinBox>(dialog, "Least tuned").setValue(0);
    button<QCheckBox>(dialog, "Constants").click();
    QVERIFY(!says(dialog, "No space is left"));
  }

  /// What only processors have is not asked for, and the wish names the architecture.
  void aGpusProgramsAreDeployedForIt() {
    const QString path = files_.path(QStringLiteral("gpu.nwdb"));
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
      SessionConfig config = madeUpConfig("random");
      config.subjects = {"matmul:m=16,n=16,k=16"};
      createSession(store, config, hostTarget());
      config.target = "cuda";
      GpuFacts gpu;
      gpu.name = "H100";
      gpu.architecture = {9, 0};
      createSession(store, config, cudaTarget(gpu));
    }
    DeployDialog dialog(path.toStdString(), {});
    dialog.show();
    auto& subject = field<QComboBox>(dialog, "Library of");
    QTRY_COMPARE(subject.count(), 2);
    const int onGpu = subject.findText(QStringLiteral("for a GPU (cuda:sm_90)"), Qt::MatchContains);
    QVERIFY(onGpu >= 0);
    subject.setCurrentIndex(1 - onGpu);
    auto& threads = field<QComboBox>(dialog, "Loops run by");
    QVERIFY(threads.isEnabled());
    QCOMPARE(dialog.wish().target, std::string("llvm"));
    subject.setCurrentIndex(onGpu);
    QVERIFY(!threads.isEnabled() && whyNot(&threads).contains(QStringLiteral("for a GPU")));
    QVERIFY(!field<QSpinBox>(dialog, "Cores").isEnabled());
    QVERIFY(whyNot(&button<QCheckBox>(dialog, "An operator of ONNX Runtime"))
                .contains(QStringLiteral("code for processors")));
    QCOMPARE(dialog.wish().target, std::string("cuda:sm_90"));
    QVERIFY(dialog.wish().subject.starts_with("matmul:m=16,n=16,k=16"));
    // What is inside is looked up for that GPU, without one.
    const QAbstractItemModel& table = *dialog.findChild<QTableView*>()->model();
    QTRY_COMPARE(table.rowCount(), 1);
  }

  /// Offered of ONNX files alone, and to be seen among the files.
  void onnxFilesCanCallTheLibrary() {
    {
      DeployDialog dialog(database().toStdString(), {});
      dialog.show();
      QTRY_VERIFY(field<QComboBox>(dialog, "Library of").count() > 0);
      const auto& option = button<QCheckBox>(dialog, "An operator of ONNX Runtime");
      QVERIFY(!option.isEnabled() && whyNot(&option).contains(QStringLiteral("whole ONNX file")));
    }
    const std::string model = NESTWRIGHT_TEST_DATA "/onnx/torch_resnet.onnx";
    const QString path = files_.path(QStringLiteral("onnx.nwdb"));
    {
      RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
      store.networks().add({0, "torch_resnet", model});
      SessionRow row;
      SessionConfig config = madeUpConfig("random");
      config.subjects = {model};
      row.config = toJson(config).dump();
      store.sessions().add(row);
    }
    DeployDialog dialog(path.toStdString(), {});
    dialog.show();
    QTRY_COMPARE(field<QComboBox>(dialog, "Library of").count(), 1);
    auto& option = button<QCheckBox>(dialog, "An operator of ONNX Runtime");
    QVERIFY2(option.isEnabled(), qPrintable(whyNot(&option)));
    QVERIFY(!dialog.wish().options.onnxRuntime);
    option.click();
    QVERIFY(dialog.wish().options.onnxRuntime);
    button<QCheckBox>(dialog, "Untuned").click();
    QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    QTest::mouseClick(&deploy, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog.isMaking(), 60'000);
    QVERIFY2(says(dialog, "libtorch_resnet_onnxruntime.so") && says(dialog, "model.onnx") &&
                 says(dialog, "the ONNX file, which calls that operator"),
             qPrintable(saidIn(dialog)));
  }

  void cancellingLeavesNothing_data() {
    QTest::addColumn<int>("stage");
    QTest::addRow("before a kernel") << int(DeployStage::Compile);
    QTest::addRow("half-written") << int(DeployStage::Link);
  }

  void cancellingLeavesNothing() {
    QFETCH(int, stage);
    std::atomic<bool> goOn = false, isThere = false;
    DeployDialog dialog(database().toStdString(), {}, nullptr,
                        [&](const DeployWish& wish, const DeployWatch& watch) {
                          return deployLibrary(wish, [&](const DeployProgress& progress) {
                            if (int(progress.stage) == stage) {
                              isThere = true;
                              while (!goOn)
                                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                            }
                            watch(progress);
                          });
                        });
    dialog.show();
    QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    const QString folder = field<QLineEdit>(dialog, "Folder").text();
    QTest::mouseClick(&deploy, Qt::LeftButton);
    QVERIFY(dialog.isMaking() && !deploy.isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(isThere, 20'000);
    QVERIFY(!QDir(out()).entryList({"*draft*"}, QDir::AllEntries).isEmpty());
    QTest::mouseClick(&button<QPushButton>(dialog, "Cancel"), Qt::LeftButton);
    dialog.close(); // which has to wait
    QVERIFY(dialog.isMaking() && dialog.isVisible() && says(dialog, "Clearing away"));
    goOn = true;
    QTRY_VERIFY(!dialog.isMaking());
    QVERIFY(dialog.isVisible() && says(dialog, "Cancelled; nothing was written."));
    QVERIFY(!QFile::exists(folder));
    QVERIFY(QDir(out()).entryList({"*draft*"}, QDir::AllEntries).isEmpty());
    QTest::mouseClick(&button<QPushButton>(dialog, "Cancel"), Qt::LeftButton);
    QVERIFY(!dialog.isVisible());
  }

  void whereThereIsNothingToDeployItIsSaid() {
    const QString path = files_.path(QStringLiteral("empty.nwdb"));
    RecordStore store = RecordStore::open(path.toStdString(), OpenMode::Create);
    {
      DeployDialog dialog(path.toStdString(), {});
      dialog.show();
      QTRY_VERIFY(says(dialog, "No session of this document tuned a network or an operator."));
      const QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
      QVERIFY(!deploy.isEnabled() && !whyNot(&deploy).isEmpty());
    }
    // What was tuned has gone since.
    SessionRow row;
    SessionConfig config = madeUpConfig("random");
    config.subjects = {files_.path(QStringLiteral("gone.dag")).toStdString()};
    row.config = toJson(config).dump();
    store.sessions().add(row);
    DeployDialog dialog(path.toStdString(), {});
    dialog.show();
    QTRY_VERIFY2(says(dialog, "gone.dag: cannot be read"), qPrintable(saidIn(dialog)));
    const QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
    QVERIFY(!deploy.isEnabled() && whyNot(&deploy).contains(QStringLiteral("cannot be read")));
  }

  void theCommandSaysWhyNot() {
    const auto sample = makeSample(40);
    SessionScript script;
    MainWindow window(coreCatalogue(), scripted(script));
    window.show();
    QAction* action = entry(window);
    QCOMPARE(whyNot(action), QStringLiteral("No document is open."));
    window.openFile(sample->path);
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    QTRY_VERIFY(!window.document().session().historyLoading());
    QVERIFY2(action->isEnabled(), qPrintable(whyNot(action)));
    window.document().replayMode().start();
    QTRY_VERIFY(window.document().replayMode().isOn());
    QVERIFY(!action->isEnabled() && whyNot(action).contains(QStringLiteral("replay")));
    window.document().replayMode().end();
    QTRY_VERIFY2(action->isEnabled(), qPrintable(whyNot(action)));
    window.actions().start->trigger();
    QTRY_VERIFY(window.document().session().isRunning());
    QVERIFY(!action->isEnabled() && whyNot(action).contains(QStringLiteral("Pause it first")));
    QVERIFY(std::ranges::find(window.actions().all(), action) != window.actions().all().end());
  }

 private:
  struct ProcessEnd {
    int code = -1;
    QByteArray output;
  };
  static ProcessEnd shell(const QString& command) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral("sh"), {QStringLiteral("-c"), command});
    process.waitForFinished(60'000);
    return {process.exitCode(), process.readAll()};
  }

  /// In the File menu.
  static QAction* entry(MainWindow& window) {
    for (QAction* action : window.menuBar()->actions().front()->menu()->actions())
      if (action->objectName() == QStringLiteral("deploy")) return action;
    qFatal("no Deploy in the File menu");
  }

  void deployOperator(DeployDialog& dialog) {
    QPushButton& deploy = button<QPushButton>(dialog, "Deploy");
    QTRY_VERIFY2(deploy.isEnabled(), qPrintable(whyNot(&deploy)));
    QCOMPARE(field<QComboBox>(dialog, "Library of").count(), 2);
    QCOMPARE(field<QSpinBox>(dialog, "Cores").value(), 2);
    const QAbstractItemModel& table = *dialog.findChild<QTableView*>()->model();
    QCOMPARE(table.rowCount(), 1);
    QCOMPARE(table.index(0, DeployedTaskModel::Tuned).data().toString(),
             QStringLiteral("for this target"));
    QVERIFY(table.index(0, DeployedTaskModel::Record).data(ExportRole).toLongLong() > 0);
    QVERIFY(says(dialog, "1 of 1 searched task tuned (100.0 %): 100.0 % of the operations, 100.0 "
                         "% of the time."));
    type(field<QLineEdit>(dialog, "Name"), QStringLiteral("product"));
    const QString folder = files_.path(QStringLiteral("product"));
    QCOMPARE(field<QLineEdit>(dialog, "Folder").text(), folder); // beside the document
    auto& threads = field<QComboBox>(dialog, "Loops run by");
    threads.setCurrentIndex(threads.findText(QStringLiteral("serial"), Qt::MatchContains));
    QTest::mouseClick(&deploy, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog.isMaking(), 30'000);
    QVERIFY2(says(dialog, qPrintable(folder + QStringLiteral(" was written"))),
             qPrintable(saidIn(dialog)));
    for (const char* file : {"product.h", "libproduct.so", "main.c", "MANIFEST.json"})
      QVERIFY2(QFile::exists(folder + QLatin1Char('/') + QLatin1String(file)), file);
    QTest::mouseClick(&button<QPushButton>(dialog, "Copy"), Qt::LeftButton);
    Desktop desktop;
    QDesktopServices::setUrlHandler(QStringLiteral("file"), &desktop, "show");
    QTest::mouseClick(&button<QPushButton>(dialog, "Open Folder"), Qt::LeftButton);
    QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
    QCOMPARE(desktop.shown.toLocalFile(), folder);
    // Back to the choice, where that folder is taken now.
    QTest::mouseClick(&button<QPushButton>(dialog, "Deploy Another"), Qt::LeftButton);
    QVERIFY(deploy.isVisible() && says(dialog, "A library is there already."));
  }

  QString out() const { return files_.out(); }
  QString database() const { return files_.database(); }

  SavedFiles files_;
};

NW_TEST_GUI(Deploying)

} // namespace nestwright::deploying_test

#include "deploying.moc"
