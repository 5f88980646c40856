#pragma once
/// \file What can be written next in a record filter. Pure functions of the text.

#include <QString>
#include <QStringList>

#include <vector>

namespace nestwright::ui {

/// A name of the document that a filter can be about, and what it stands for.
struct NamedThing {
  QString name, meaning;
};
struct FilterVocabulary {
  std::vector<NamedThing> tasks, networks, targets, sessions, tags;
};

struct FilterSuggestion {
  QString shown, meaning;
  QString text; // in place of what stands from `begin` to `end`
  int begin = 0, end = 0;
  bool ends = false; // the word is complete with it
};

/// For the word that the cursor is at the end of; best first. Fields at the beginning of a word,
/// values after its sign.
std::vector<FilterSuggestion> suggestions(const QString& text, int cursor,
                                          const FilterVocabulary& vocabulary);

/// The text with the suggestion in it, and where the cursor then is.
QString accepted(const QString& text, const FilterSuggestion& suggestion, int& cursor);

} // namespace nestwright::ui
