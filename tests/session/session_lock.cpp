/// The lock of a session or an import is a small file of ours: whatever else has its name is left
/// alone.

#include "core/session/run/session_lock.h"

#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::session_lock_test {

class SessionLockTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    document_ = file(QStringLiteral("a.nwdb"));
    victim_ = file(QStringLiteral("victim.txt"));
    for (const QString& path : {document_, victim_}) {
      QFile made(path);
      QVERIFY(made.open(QIODevice::WriteOnly));
      made.write("precious");
    }
  }

  void whatHasItsNameIsLeftAlone_data() {
    QTest::addColumn<QString>("lock");
    QTest::addColumn<QString>("kind");
    for (const char* lock : {"-session1.lock", "-recombination1.lock", "-import.lock"})
      for (const char* kind : {"symbolic link", "second name", "pipe", "folder"})
        QTest::addRow("%s %s", lock, kind) << lock << kind;
  }
  void whatHasItsNameIsLeftAlone() {
    QFETCH(QString, lock);
    QFETCH(QString, kind);
    const std::string path = (document_ + lock).toStdString(), victim = victim_.toStdString();
    if (kind == QStringLiteral("symbolic link"))
      QVERIFY(symlink(victim.c_str(), path.c_str()) == 0);
    else if (kind == QStringLiteral("second name"))
      QVERIFY(link(victim.c_str(), path.c_str()) == 0);
    else if (kind == QStringLiteral("pipe"))
      QVERIFY(mkfifo(path.c_str(), 0600) == 0);
    else
      QVERIFY(mkdir(path.c_str(), 0700) == 0);
    QString told;
    try {
      take(lock);
    } catch (const SystemError& error) {
      told = QString::fromUtf8(error.what());
    }
    QVERIFY2(told.contains(document_ + lock) && told.contains(kind), qPrintable(told));
    QFile still(victim_);
    QVERIFY(still.open(QIODevice::ReadOnly));
    QCOMPARE(still.readAll(), QByteArray("precious"));
    QVERIFY(!sessionHolder(document_.toStdString(), 1));
    QVERIFY(!importHolder(document_.toStdString()));
  }

  /// Of a process that was killed: the lock went with it, the file did not.
  void aFileThatWasLeftIsTaken() {
    const QString path = document_ + QStringLiteral("-session1.lock");
    {
      QFile left(path);
      QVERIFY(left.open(QIODevice::WriteOnly));
      left.write(QByteArray(300, 'x'));
    }
    {
      const SessionLock lock(document_.toStdString(), 1);
      const std::optional<LockHolder> holder = sessionHolder(document_.toStdString(), 1);
      QVERIFY(holder && holder->isThisProcess);
      QCOMPARE(holder->text, "this program");
      QVERIFY_EXCEPTION_THROWN(SessionLock(document_.toStdString(), 1), SessionInUse);
    }
    QVERIFY(!QFile::exists(path));
  }

 private:
  QString file(const QString& name) const { return folder_->filePath(name); }
  void take(const QString& lock) {
    using What = SessionLock::What;
    if (lock.startsWith(QStringLiteral("-session")))
      SessionLock(document_.toStdString(), 1);
    else if (lock.startsWith(QStringLiteral("-import")))
      SessionLock(document_.toStdString(), 0, What::Import);
    else
      SessionLock(document_.toStdString(), 1, What::Recombination);
  }

  std::unique_ptr<QTemporaryDir> folder_;
  QString document_, victim_;
};

NW_TEST_GUILESS(SessionLockTest)

} // namespace nestwright::session_lock_test

#include "session_lock.moc"
