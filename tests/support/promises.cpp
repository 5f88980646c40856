/// The page of promises tells the truth about its tests: each that it names is there.

#include "tests/support/test_program.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace nestwright::promises_test {

const QString kSources = QStringLiteral(NESTWRIGHT_TEST_DATA "/../..");
constexpr int kPromises = 50;

QString read(const QString& path) {
  QFile file(kSources + '/' + path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// A test function of the file, defined within its class or outside.
bool hasFunction(const QString& source, const QString& function) {
  const QRegularExpression definition(
      QStringLiteral(R"(\bvoid\s+(\w+::)?%1\s*\(\s*\)\s*\{)").arg(function));
  return definition.match(source).hasMatch();
}

class Promises : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyNumberIsThereOnce() {
    QStringList numbers;
    QRegularExpressionMatchIterator found =
        QRegularExpression(QStringLiteral(R"(^- \*\*C(\d+)\*\* \S)"),
                           QRegularExpression::MultilineOption)
            .globalMatch(read("resources/handbook/promises.md"));
    while (found.hasNext())
      numbers.append(found.next().captured(1));
    QStringList expected;
    for (int number = 1; number <= kPromises; ++number)
      expected.append(QString::number(number));
    QCOMPARE(numbers, expected);
  }

  void everyTestThatIsNamedExists() {
    QRegularExpressionMatchIterator found =
        QRegularExpression(QStringLiteral(R"(`([a-z_]+/[a-z_0-9]+)(:(\w+))?`)"))
            .globalMatch(read("resources/handbook/promises.md"));
    QStringList missing;
    int named = 0;
    while (found.hasNext()) {
      const QRegularExpressionMatch match = found.next();
      const QString file = "tests/" + match.captured(1) + ".cpp", function = match.captured(3);
      ++named;
      const QString source = read(file);
      if (source.isEmpty())
        missing.append(file);
      else if (!function.isEmpty() && !hasFunction(source, function))
        missing.append(file + ':' + function);
      else if (function.isEmpty() && !file.startsWith("tests/bench/"))
        missing.append(file + " without a function");
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
    QVERIFY(named > 100);
  }

  /// It would see what is not there.
  void whatIsMissingIsSeen() {
    const QString source = read("tests/support/promises.cpp");
    QVERIFY(hasFunction(source, "whatIsMissingIsSeen"));
    QVERIFY(!hasFunction(source, "whatIsMissing"));
    QVERIFY(!hasFunction(source, "noSuchTest"));
  }
};

NW_TEST_APPLESS(Promises)

} // namespace nestwright::promises_test

#include "promises.moc"
