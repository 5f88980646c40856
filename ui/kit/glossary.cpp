#include "ui/kit/glossary.h"

#include <QFile>
#include <QHash>

namespace nestwright::ui {
namespace {

struct Glossary {
  QStringList words;
  QHash<QString, QString> meanings; // by the folded word
};

/// "## word" and the paragraph below it. Several words of one meaning are separated by commas.
Glossary read() {
  Glossary glossary;
  QFile file(QStringLiteral(":/help/glossary.md"));
  if (!file.open(QIODevice::ReadOnly)) return glossary;
  QStringList present;
  for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
    if (line.startsWith(QLatin1String("## "))) {
      present.clear();
      for (const QString& word : line.mid(3).split(QLatin1Char(',')))
        present.append(word.trimmed());
      glossary.words.append(present);
    } else if (!line.trimmed().isEmpty()) {
      for (const QString& word : present) {
        QString& meaning = glossary.meanings[word.toCaseFolded()];
        meaning += (meaning.isEmpty() ? QString() : QStringLiteral(" ")) + line.trimmed();
      }
    }
  }
  return glossary;
}

const Glossary& glossary() {
  static const Glossary kGlossary = read();
  return kGlossary;
}

} // namespace

QString meaning(const QString& word) {
  return glossary().meanings.value(word.toCaseFolded());
}

QStringList glossaryWords() {
  return glossary().words;
}

} // namespace nestwright::ui
