#pragma once
/// \file The field's words, each explained once: resources/help/glossary.md. Tool-tips take their
/// sentences from here, so that a word means the same everywhere.

#include <QString>
#include <QStringList>

namespace nestwright::ui {

/// What the word means, in a sentence or two; empty when it is not in the glossary. Upper and lower
/// case are the same.
QString meaning(const QString& word);
/// All words, in the order of the page.
QStringList glossaryWords();

} // namespace nestwright::ui
