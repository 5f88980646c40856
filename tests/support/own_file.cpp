/// Files that we make beside a person's: nothing is written through what lies in their place.

#include "core/support/own_file.h"

#include "core/support/draft_file.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <thread>

namespace nestwright::own_file_test {

/// Puts something else in the place of the file.
void obstruct(const QString& kind, const std::string& path, const std::string& victim) {
  if (kind == QStringLiteral("link")) QVERIFY(symlink(victim.c_str(), path.c_str()) == 0);
  if (kind == QStringLiteral("dangling link"))
    QVERIFY(symlink((victim + ".new").c_str(), path.c_str()) == 0);
  if (kind == QStringLiteral("second name")) QVERIFY(link(victim.c_str(), path.c_str()) == 0);
  if (kind == QStringLiteral("pipe")) QVERIFY(mkfifo(path.c_str(), 0600) == 0);
  if (kind == QStringLiteral("folder")) QVERIFY(mkdir(path.c_str(), 0700) == 0);
}

QByteArray contents(const std::string& path) {
  QFile file(QString::fromStdString(path));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const std::string& path, const QByteArray& text) {
  QFile file(QString::fromStdString(path));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(text);
}

class OwnFile : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    target_ = folder_->filePath(QStringLiteral("out.json")).toStdString();
    victim_ = folder_->filePath(QStringLiteral("victim.txt")).toStdString();
    write(victim_, "precious");
  }

  void whatIsInTheWayIsNamed_data() {
    QTest::addColumn<QString>("word");
    QTest::newRow("link") << "a symbolic link";
    QTest::newRow("dangling link") << "a symbolic link";
    QTest::newRow("second name") << "second name";
    QTest::newRow("pipe") << "a pipe";
    QTest::newRow("folder") << "a folder";
  }
  void whatIsInTheWayIsNamed() {
    QFETCH(QString, word);
    const std::string part = target_ + ".part";
    obstruct(QString::fromUtf8(QTest::currentDataTag()), part, victim_);
    const auto refusal = [&](const auto& open) {
      try {
        open();
      } catch (const SystemError& error) {
        return QString::fromUtf8(error.what());
      }
      return QString();
    };
    const QString told = refusal([&] { close(openOwnFile(part)); });
    QVERIFY2(told.contains(QString::fromStdString(part)), qPrintable(told));
    QVERIFY2(told.contains(word), qPrintable(told));
    // A draft has a name of its own, and is not made where something has it.
    const std::string draft = part + fmt::format("-{}", gettid());
    obstruct(QString::fromUtf8(QTest::currentDataTag()), draft, victim_);
    const QString refused = refusal([&] { DraftFile file(target_, "part"); });
    QVERIFY2(refused.contains(QString::fromStdString(draft)), qPrintable(refused));
    QCOMPARE(contents(victim_), QByteArray("precious"));
    QVERIFY(!QFile::exists(QString::fromStdString(victim_ + ".new")));
  }

  void openingChangesNothing() {
    const int descriptor = openOwnFile(victim_);
    QVERIFY(isFileAt(descriptor, victim_));
    QCOMPARE(contents(victim_), QByteArray("precious"));
    QVERIFY(rename(victim_.c_str(), target_.c_str()) == 0);
    QVERIFY(!isFileAt(descriptor, victim_));
    close(descriptor);
    QVERIFY_EXCEPTION_THROWN(makeOwnFile(target_), SystemError);
  }

  void appearsWhenComplete() {
    {
      DraftFile draft(target_, "part");
      draft.write("new");
      QVERIFY(!QFile::exists(QString::fromStdString(target_)));
      draft.takePlace(true);
      QCOMPARE(contents(target_), QByteArray("new"));
    }
    { const DraftFile givenUp(target_, "part"); }
    QCOMPARE(contents(target_), QByteArray("new"));
    DraftFile refused(target_, "part");
    QVERIFY_EXCEPTION_THROWN(refused.takePlace(false), SystemError);
    QCOMPARE(contents(target_), QByteArray("new"));
  }

  void whatAKilledRunLeftDoesNotBlock() {
    for (const char* companion : {"", "-wal", "-shm", "-journal"})
      write(target_ + ".part-4194305" + companion, "half"); // no process has this number
    {
      const DraftFile draft(target_, "part");
      QCOMPARE(contents(draft.path()), QByteArray());
    }
    QCOMPARE(QDir(folder_->path()).entryList(QDir::Files), QStringList{"victim.txt"});
  }

  /// Where flock() stands for a lock of the whole file, as on NFS, it would keep SQLite out of it.
  void leavesSqliteItsLocks() {
    const DraftFile draft(target_, "part");
    const int other = open(draft.path().c_str(), O_RDWR | O_CLOEXEC);
    QVERIFY(other >= 0);
    QVERIFY(flock(other, LOCK_EX | LOCK_NB) == 0);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    QVERIFY(fcntl(other, F_OFD_GETLK, &whole) == 0);
    QCOMPARE(int(whole.l_type), F_WRLCK); // what tells others that it is being written
    constexpr off_t kFirstOfSqlite = 0x40000000;
    QCOMPARE(whole.l_len, off_t(1));
    QVERIFY(whole.l_start < kFirstOfSqlite);
    close(other);
  }

  void twoAtOnceDoNotMix() {
    DraftFile first(target_, "part");
    std::thread([&] {
      DraftFile second(target_, "part");
      second.write("second");
    }).join();
    first.write("first");
    first.takePlace(true);
    QCOMPARE(contents(target_), QByteArray("first"));
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::string target_, victim_;
};

NW_TEST_GUILESS(OwnFile)

} // namespace nestwright::own_file_test

#include "own_file.moc"
