/// The program that the window shows is saved for a compiler or a linker.

#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/window/deploy/saved_files.h"
#include "ui/document/notices.h"
#include "ui/document/settings.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/window/deploy/emit_command.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

namespace nestwright::saving_a_program_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class SavingAProgram : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { files_.make(); }

  /// By the button beside the program: each kind of file by its ending, and what fails is told.
  void theShownProgramIsSaved() {
    MainWindow window(coreCatalogue(), madeUpSessions());
    window.show();
    window.openFile(database());
    QTRY_COMPARE(window.document().state(), DocumentState::Ready);
    auto* command = window.findChild<EmitCommand*>();
    QVERIFY(command);
    QTRY_VERIFY2(command->action()->isEnabled(), qPrintable(whyNot(command->action())));
    QSignalSpy told(command, &EmitCommand::told);
    QSignalSpy warned(&window.document().notices(), &Notices::warned);
    const QString path = out() + QStringLiteral("/mine.c");
    QTimer typing; // the file dialog is Qt's own here
    connect(&typing, &QTimer::timeout, this, [&] {
      if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
        typing.stop();
        dialog->selectFile(path);
        dialog->findChild<QLineEdit*>()->setText(path);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
      }
    });
    typing.start(10);
    command->action()->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(told.size(), 1, 30'000);
    QVERIFY(told.front().front().toString().contains(QStringLiteral("mine.c has the program")));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray source = file.readAll();
    QVERIFY(source.startsWith("/* matmul:") && source.contains("#include <stdint.h>"));
    QTRY_VERIFY(command->action()->isEnabled());
    command->save(1, out() + QStringLiteral("/mine.o"));
    QVERIFY(!command->action()->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(told.size(), 2, 30'000);
    command->save(1, out() + QStringLiteral("/mine.cu")); // of a GPU's alone
    QTRY_COMPARE_WITH_TIMEOUT(warned.size(), 1, 30'000);
    QVERIFY(warned.front().front().toString().contains(QStringLiteral("was not saved")));
    QVERIFY(!QFile::exists(out() + QStringLiteral("/mine.cu")));
    command->save(1, QStringLiteral("/nowhere/mine.c"));
    QTRY_COMPARE_WITH_TIMEOUT(warned.size(), 2, 30'000);
    window.close();
  }

 private:
  QString out() const { return files_.out(); }
  QString database() const { return files_.database(); }

  deploying_test::SavedFiles files_;
};

NW_TEST_GUI(SavingAProgram)

} // namespace nestwright::saving_a_program_test

#include "saving_a_program.moc"
