/// A name that something else has is never taken, whatever the file system can.

#include "core/support/own_file.h"

#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>

namespace nestwright::rename_new_test {

/// As on NFS.
int unknown(const char*, const char*) {
  errno = EINVAL;
  return -1;
}

class RenameNew : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void neverReplaces_data() {
    QTest::addColumn<bool>("inOneStep");
    QTest::newRow("in one step") << true;
    QTest::newRow("where that is not known") << false;
  }
  void neverReplaces() {
    QFETCH(bool, inOneStep);
    const QTemporaryDir folder;
    const auto made = [&](const char* name) {
      QFile file(folder.filePath(name));
      if (!file.open(QIODevice::WriteOnly) || file.write(name) < 0) qFatal("cannot write");
      return folder.filePath(name).toStdString();
    };
    const std::string draft = made("draft"), taken = made("taken"),
                      fresh = folder.filePath("fresh").toStdString();
    const auto once = inOneStep ? nullptr : unknown;
    QCOMPARE(renameNew(draft, taken, once), -1);
    QCOMPARE(errno, EEXIST);
    QCOMPARE(renameNew(draft, fresh, once), 0);
    QVERIFY(!QFile::exists(folder.filePath("draft")));
    QFile file(folder.filePath("fresh"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("draft"));
    QCOMPARE(renameNew(draft, folder.filePath("other").toStdString(), once), -1);
    QCOMPARE(errno, ENOENT);
  }
};

NW_TEST_GUILESS(RenameNew)

} // namespace nestwright::rename_new_test

#include "rename_new.moc"
