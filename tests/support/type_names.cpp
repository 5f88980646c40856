/// A name means one thing: two types of one name in one namespace, in files that never include one
/// another, would be merged by the linker without a word.

#include "tests/support/test_program.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTest>

namespace nestwright::type_names_test {

/// Names of the types that `text` defines for whoever links it, with their namespaces.
QStringList typesOf(const QString& text) {
  static const QRegularExpression opens(R"(^namespace(?: (\S+))? \{$)");
  static const QRegularExpression closes(R"(^\} +// namespace)");
  static const QRegularExpression type(
      R"(^(?:class|struct|enum class|enum|union) (\w+)(?: final)?(?: :[^;]*)? \{)");
  QStringList spaces, types;
  for (const QString& line : text.split('\n')) {
    if (const auto opened = opens.match(line); opened.hasMatch())
      spaces.append(opened.captured(1));
    else if (closes.match(line).hasMatch() && !spaces.isEmpty())
      spaces.removeLast();
    else if (const auto found = type.match(line); found.hasMatch() && !spaces.contains(QString()))
      types.append((spaces + QStringList(found.captured(1))).join("::"));
  }
  return types;
}

class TypeNames : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyTypeHasANameOfItsOwn() {
    QMap<QString, QStringList> definedIn;
    const QDir root(QStringLiteral(NESTWRIGHT_TEST_DATA "/../.."));
    for (const char* folder : {"core", "ui", "app", "plugins"}) {
      QDirIterator files(root.filePath(folder), {"*.h", "*.cpp"}, QDir::Files,
                         QDirIterator::Subdirectories);
      while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QString& name : typesOf(QString::fromUtf8(file.readAll())))
          definedIn[name].append(root.relativeFilePath(file.fileName()));
      }
    }
    QVERIFY(definedIn.size() > 1000);
    QStringList shared;
    for (auto [name, files] : definedIn.asKeyValueRange())
      if (files.size() > 1) shared.append(name + " in " + files.join(" and "));
    QVERIFY2(shared.isEmpty(), qPrintable(shared.join('\n')));
  }

  /// It would see what is not there.
  void whatIsLinkedIsSeen() {
    QCOMPARE(
        typesOf("namespace a {\nstruct B {\n  struct C {};\n};\nclass D;\nenum class E { X };\n"
                "class F final : public B {\nnamespace {\nstruct G {\n} // namespace\n"
                "struct H {\n} // namespace a\n"),
        QStringList({"a::B", "a::E", "a::F", "a::H"}));
  }
};

NW_TEST_APPLESS(TypeNames)

} // namespace nestwright::type_names_test

#include "type_names.moc"
