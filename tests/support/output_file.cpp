/// What commands write follows what is at the path: a file appears whole and behind its links,
/// devices and pipes are written to and stay what they are.

#include "core/support/output_file.h"

#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <thread>

namespace nestwright::output_file_test {

namespace fs = std::filesystem;

std::string readAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t filesIn(const QTemporaryDir& folder) {
  const fs::directory_iterator all(folder.path().toStdString());
  return std::size_t(std::distance(begin(all), end(all)));
}

class OutputFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFileAppearsWholeOrNotAtAll() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("a").toStdString();
    {
      OutputFile file(path, "part");
      file.write("half");
      QVERIFY(!fs::exists(path));
    }
    QCOMPARE(filesIn(folder), std::size_t(0));
    writeWhole(path, "part", "first");
    {
      OutputFile file(path, "part");
      file.write("half");
    }
    QCOMPARE(readAll(path), std::string("first"));
    writeWhole(path, "part", "second");
    QCOMPARE(readAll(path), std::string("second"));
    QCOMPARE(filesIn(folder), std::size_t(1));
    QVERIFY_THROWS_EXCEPTION(SystemError, writeWhole(path, "part", "third", false));
  }

  void linksAreFollowed() {
    const QTemporaryDir folder, other;
    const fs::path place = other.filePath("file").toStdString(),
                   link = folder.filePath("link").toStdString(),
                   second = folder.filePath("second").toStdString();
    fs::create_symlink(place, link);
    fs::create_symlink("link", second);
    for (const char* text : {"new", "replaced"}) { // at first the link leads to nothing
      writeWhole(second, "part", text);
      QVERIFY(fs::is_symlink(link) && fs::is_symlink(second));
      QVERIFY(!fs::is_symlink(place));
      QCOMPARE(readAll(place), std::string(text));
    }
  }

  void pipesAreWrittenTo() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("pipe").toStdString();
    QCOMPARE(mkfifo(path.c_str(), 0600), 0);
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    QVERIFY(reader >= 0);
    writeWhole(path, "part", "through it");
    QVERIFY(fs::is_fifo(path));
    char text[100];
    const ssize_t size = read(reader, text, sizeof text);
    close(reader);
    QCOMPARE(std::string(text, std::size_t(std::max<ssize_t>(0, size))), std::string("through it"));
  }

  /// Of the test's own, since what is tested is that it is not replaced.
  void devicesAreWrittenTo() {
    const QTemporaryDir folder;
    const std::string full = folder.filePath("full").toStdString(),
                      null = folder.filePath("null").toStdString();
    if (mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0 ||
        mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 || access(null.c_str(), W_OK) != 0)
      QSKIP("devices can only be made as root");
    if (std::ofstream probe(null); !probe) QSKIP("devices cannot be used in this folder");
    writeWhole(null, "part", "away with it");
    QVERIFY_THROWS_EXCEPTION(SystemError, writeWhole(full, "part", "does not fit"));
    QVERIFY(fs::is_character_file(null) && fs::is_character_file(full));
    QCOMPARE(filesIn(folder), std::size_t(2));
  }

  void standardOutputHasSeveralNames() {
    QVERIFY(isStandardOutput("-"));
    QVERIFY(isStandardOutput("/dev/stdout"));
    QVERIFY(!isStandardOutput("/dev/full"));
    QVERIFY(!isStandardOutput("nowhere"));
  }
};

NW_TEST_APPLESS(OutputFileTest)

} // namespace nestwright::output_file_test

#include "output_file.moc"
