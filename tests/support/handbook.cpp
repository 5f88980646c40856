/// The handbook and the code do not lose one another: pages, sections and promises that comments
/// cite are there, and so are the files and names that the pages speak of. The picture of the rooms
/// shows what CMake builds.

#include "tests/support/test_program.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace nestwright::handbook_test {

const QString kSources = QStringLiteral(NESTWRIGHT_TEST_DATA "/../..");
const QString kHandbook = QStringLiteral("resources/handbook/");

QString read(const QString& path) {
  QFile file(kSources + '/' + path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

bool exists(const QString& path) {
  return QFileInfo::exists(kSources + '/' + path);
}

QRegularExpression pattern(const char* text) {
  return QRegularExpression(QString::fromLatin1(text), QRegularExpression::MultilineOption);
}

QList<QRegularExpressionMatch> matches(const char* text, const QString& in) {
  QList<QRegularExpressionMatch> all;
  const QRegularExpression wanted = pattern(text);
  for (auto found = wanted.globalMatch(in); found.hasNext();)
    all.append(found.next());
  return all;
}

/// Paths of the files below these folders, seen from the root; recorded data is left out.
QStringList filesBelow(const QStringList& folders) {
  QStringList paths;
  for (const QString& folder : folders) {
    QDirIterator files(kSources + '/' + folder,
                       {"*.h", "*.cpp", "*.c", "*.py", "*.sh", "*.txt", "dev"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString path = QDir(kSources).relativeFilePath(files.next());
      if (!path.startsWith("tests/data/")) paths.append(path);
    }
  }
  paths.sort();
  return paths;
}

/// The handbook's pages and the README, seen from the root.
QStringList pages() {
  QStringList paths{"README.md"};
  for (const QString& name : QDir(kSources + '/' + kHandbook).entryList({"*.md"}))
    paths.append(kHandbook + name);
  return paths;
}

/// What the comments of a file say, line below line.
QString commentsOf(const QString& path) {
  const bool isCpp = path.endsWith(".h") || path.endsWith(".cpp") || path.endsWith(".c");
  QStringList lines;
  for (const QRegularExpressionMatch& match :
       matches(isCpp ? R"((?<!:)//+(.*)$)" : R"(#(.*)$)", read(path)))
    lines.append(match.captured(1).trimmed());
  return lines.join('\n');
}

/// What can be cited.
class Handbook {
 public:
  Handbook() {
    for (const QString& path : pages())
      for (const QRegularExpressionMatch& match : matches(R"(^#+ (\d+(?:\.\d+)*)\.? )", read(path)))
        sections_.insert(path + ' ' + match.captured(1));
    for (const QRegularExpressionMatch& match :
         matches(R"(^- \*\*(C\d+)\*\* )", read(kHandbook + "promises.md")))
      promises_.insert(match.captured(1));
  }

  /// What a text cites and nobody finds. Pages are cited from the root or from resources, or as
  /// files beside `from`.
  QStringList lostIn(const QString& text, const QString& from = {}) const {
    QStringList lost;
    // A page, or a link to one, with the sections behind it: "3", "3, 4.1", "1.2 to 1.4".
    for (const QRegularExpressionMatch& match :
         matches(R"((?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.md)\b\)?)"
                 R"((?:\s+(\d+(?:\.\d+)*(?:(?:,|\s+to|\s+and)\s+\d+(?:\.\d+)*)*))?)",
                 text)) {
      const QString cited = match.captured(1);
      if (cited.contains("NAME")) continue;
      const QString page = placeOf(cited, from);
      if (page.isEmpty()) lost.append(cited);
      if (page.isEmpty() || !page.startsWith(kHandbook)) continue;
      for (const QRegularExpressionMatch& number : matches(R"(\d+(?:\.\d+)*)", match.captured(2)))
        if (!sections_.contains(page + ' ' + number.captured()))
          lost.append(cited + ' ' + number.captured());
    }
    for (const QRegularExpressionMatch& match : matches(R"(\bC\d+\b)", text))
      if (!promises_.contains(match.captured())) lost.append("promise " + match.captured());
    return lost;
  }

 private:
  static QString placeOf(const QString& cited, const QString& from) {
    for (const QString& folder : {QString(), QStringLiteral("resources/"), from})
      if (exists(folder + cited)) return QDir::cleanPath(folder + cited);
    return {};
  }

  QSet<QString> sections_; // "resources/handbook/ansor.md 3.5"
  QSet<QString> promises_; // "C25"
};

/// All words of the sources, and which of them stand together in a file.
class Words {
 public:
  Words() {
    for (const QString& path : filesBelow({"core", "app", "plugins", "ui"})) {
      QSet<QString> words;
      for (const QRegularExpressionMatch& match : matches(R"([A-Za-z_]\w*)", read(path)))
        words.insert(match.captured());
      files_.append(std::move(words));
    }
  }
  bool together(const QStringList& words) const {
    return std::any_of(files_.begin(), files_.end(), [&](const QSet<QString>& file) {
      return std::all_of(words.begin(), words.end(),
                         [&](const QString& word) { return file.contains(word); });
    });
  }

 private:
  QList<QSet<QString>> files_;
};

/// "tensor" of nw_tensor, "llvm" of nestwright_llvm, the face of an executable.
QString roomOf(const QString& target) {
  if (target == "nestwright") return QStringLiteral("cli");
  if (target == "nestwright-workbench") return QStringLiteral("workbench");
  return target.section('_', 1);
}

QString arrow(const QString& from, const QString& to) {
  return from + " --> " + to;
}

/// The words that follow this one of CMake's, until the next of its kind.
QStringList wordsBehind(const char* keyword, const QString& arguments) {
  const QString behind = arguments.section(QString::fromLatin1(keyword), 1);
  QStringList words;
  for (const QString& word : behind.split(pattern(R"(\s+)"), Qt::SkipEmptyParts)) {
    if (word == word.toUpper()) break;
    words.append(word);
  }
  return words;
}

/// The arrows between rooms that CMake knows.
QSet<QString> arrowsOfCmake() {
  QSet<QString> arrows;
  for (const QString& path : filesBelow({"core", "plugins", "ui", "app"})) {
    if (!path.endsWith("CMakeLists.txt")) continue;
    const QString text = read(path);
    for (const QRegularExpressionMatch& room : matches(R"(\bnw_room\((\w+)([^)]*)\))", text))
      for (const QString& to : wordsBehind("DEPENDS", room.captured(2)))
        arrows.insert(arrow(room.captured(1), to));
    for (const QRegularExpressionMatch& plugin : matches(R"(^nw_plugin\((\w+) ([\w ]+)\))", text)) {
      // Its description is the interface of plugins.
      arrows.insert(arrow(plugin.captured(1), QStringLiteral("plugin")));
      for (const QString& to : plugin.captured(2).split(' '))
        arrows.insert(arrow(plugin.captured(1), to));
    }
    for (const QRegularExpressionMatch& target :
         matches(R"(\btarget_link_libraries\((nestwright[\w-]*)\s([^)]*)\))", text))
      for (const QRegularExpressionMatch& to : matches(R"(\bnw_(\w+))", target.captured(2)))
        arrows.insert(arrow(roomOf(target.captured(1)), to.captured(1)));
  }
  return arrows;
}

/// Those of the picture in handbook/architecture.md.
QSet<QString> arrowsOfPicture() {
  QSet<QString> arrows;
  for (const QRegularExpressionMatch& line :
       matches(R"(^ +(\w+) --> ([\w &]+)$)", read(kHandbook + "architecture.md")))
    for (const QString& to : line.captured(2).split(" & "))
      arrows.insert(arrow(line.captured(1), to));
  return arrows;
}

QString listed(QSet<QString> set) {
  QStringList list = set.values();
  list.sort();
  return list.join(", ");
}

class HandbookTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatCommentsCiteIsThere() {
    const Handbook handbook;
    QStringList lost;
    int files = 0;
    for (const QString& path : filesBelow({"core", "app", "plugins", "ui", "tests", "packaging"})) {
      ++files;
      for (const QString& citation : handbook.lostIn(commentsOf(path)))
        lost.append(path + ": " + citation);
    }
    QVERIFY2(lost.isEmpty(), qPrintable(lost.join('\n')));
    QVERIFY(files > 500);
  }

  void whatPagesCiteIsThere() {
    const Handbook handbook;
    QStringList lost;
    for (const QString& path : pages()) {
      const QString folder = path.left(path.lastIndexOf('/') + 1), text = read(path);
      for (const QString& citation : handbook.lostIn(text, folder))
        lost.append(path + ": " + citation);
      for (const QRegularExpressionMatch& link : matches(R"(\]\(([^):#]+)(?:#[^)]*)?\))", text))
        if (!exists(folder + link.captured(1))) lost.append(path + ": " + link.captured(1));
    }
    QVERIFY2(lost.isEmpty(), qPrintable(lost.join('\n')));
  }

  /// Files and folders in backticks, as seen from the root.
  void filesThatPagesNameAreThere() {
    QStringList lost;
    int named = 0;
    for (const QString& path : pages())
      for (const QRegularExpressionMatch& match : matches(
               R"(`((?:core|app|ui|plugins|tests|resources|packaging)/[\w./-]+)`)", read(path))) {
        const QString file = match.captured(1);
        if (file.contains("NAME") || file.contains("FILE") || file.contains("ROOM")) continue;
        ++named;
        if (!exists(file)) lost.append(path + ": " + file);
      }
    QVERIFY2(lost.isEmpty(), qPrintable(lost.join('\n')));
    QVERIFY(named > 150);
  }

  /// `Class::member` and names such as `createSession`, so that a walk through the code ends.
  void namesOfTheCodeAreThere() {
    const Words words;
    QStringList lost;
    int named = 0;
    for (const char* page : {"architecture.md", "contributing.md", "ansor.md"}) {
      const QString text = read(kHandbook + page);
      for (const QRegularExpressionMatch& match :
           matches(R"(`([A-Za-z]\w*::\w+(?:::\w+)*|[A-Za-z]+[a-z0-9][A-Z]\w*)(?:\(\))?`)", text)) {
        ++named;
        if (!words.together(match.captured(1).split("::")))
          lost.append(QString(page) + ": " + match.captured(1));
      }
    }
    QVERIFY2(lost.isEmpty(), qPrintable(lost.join('\n')));
    QVERIFY(named > 150);
  }

  /// One concept a file makes many files; a folder of more than this says nothing any more.
  void noFolderIsCrowded() {
    constexpr int kMost = 60;
    QMap<QString, int> counts;
    for (const QString& path : filesBelow({"core", "app", "plugins", "ui", "tests"}))
      ++counts[QFileInfo(path).path()];
    QStringList crowded;
    for (auto folder = counts.begin(); folder != counts.end(); ++folder)
      if (folder.value() > kMost)
        crowded.append(QStringLiteral("%1: %2").arg(folder.key()).arg(folder.value()));
    QVERIFY2(crowded.isEmpty(), qPrintable(crowded.join('\n')));
  }

  void thePictureShowsTheRooms() {
    const QSet<QString> built = arrowsOfCmake(), drawn = arrowsOfPicture();
    QVERIFY(built.size() > 30);
    QVERIFY2(built == drawn, qPrintable("not in the picture: " + listed(built - drawn) +
                                        "; not in CMake: " + listed(drawn - built)));
  }

  /// It would see what is not there.
  void whatIsLostIsSeen() {
    const Handbook handbook;
    QCOMPARE(handbook.lostIn("as handbook/ansor.md 3.5 says (C25)"), QStringList());
    QCOMPARE(handbook.lostIn("(handbook/ansor.md 1.2 to 1.4, C1-C3)"), QStringList());
    QCOMPARE(handbook.lostIn("no reader finds reference/ansor.md"),
             QStringList("reference/ansor.md"));
    QCOMPARE(handbook.lostIn("see ansor.md 3"), QStringList("ansor.md"));
    QCOMPARE(handbook.lostIn("see [ansor.md](ansor.md) 3 and 3.99", kHandbook),
             QStringList("ansor.md 3.99"));
    QCOMPARE(handbook.lostIn("handbook/ansor.md\n99.1, 4"), QStringList("handbook/ansor.md 99.1"));
    QCOMPARE(handbook.lostIn("never (C7, C750)"), QStringList("promise C750"));
    const Words words;
    QVERIFY(words.together({"TuningRun", "beginRound"}));
    QVERIFY(!words.together({"TuningRun", "storeNothingAtAll"}));
  }
};

NW_TEST_APPLESS(HandbookTest)

} // namespace nestwright::handbook_test

#include "handbook.moc"
