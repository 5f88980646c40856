#include "ui/records/filter_completion.h"

#include "core/record/rows/record_filter.h"
#include "ui/kit/text.h"

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr std::size_t kMostSuggestions = 100;

/// Where the word that ends at the cursor begins; blanks within quotes belong to it.
int wordBegin(const QString& text, int cursor) {
  int begin = 0;
  bool quoted = false;
  for (int i = 0; i < cursor; ++i) {
    if (text[i] == QLatin1Char('"')) quoted = !quoted;
    if (text[i].isSpace() && !quoted) begin = i + 1;
  }
  return begin;
}

QString quotedIfNeeded(const QString& value) {
  const bool plain = std::none_of(value.begin(), value.end(), [](QChar c) {
    return c.isSpace() || c == QLatin1Char(',') || c == QLatin1Char('"');
  });
  if (plain) return value;
  QString escaped = value;
  escaped.replace(QLatin1Char('\\'), QLatin1String("\\\\"))
      .replace(QLatin1Char('"'), QLatin1String("\\\""));
  return QLatin1Char('"') + escaped + QLatin1Char('"');
}

std::vector<NamedThing> valuesOf(const FilterFieldInfo& field, const FilterVocabulary& known) {
  std::vector<NamedThing> values;
  for (const std::string_view word : field.words)
    values.push_back({qs(word), {}});
  const auto add = [&](const std::vector<NamedThing>& things) {
    values.insert(values.end(), things.begin(), things.end());
  };
  switch (field.field) {
  case FilterField::Task:
    add(known.tasks);
    break;
  case FilterField::Network:
    add(known.networks);
    break;
  case FilterField::Target:
    add(known.targets);
    break;
  case FilterField::Session:
    add(known.sessions);
    break;
  case FilterField::Tag:
    values.insert(values.begin(), known.tags.begin(), known.tags.end());
    break;
  case FilterField::Error:
    values[0].meaning = tr("ended well");
    values[1].meaning = tr("every error");
    values[2].meaning = tr("build or run");
    break;
  case FilterField::Is:
    values[0].meaning = tr("its task's fastest checked program");
    values[1].meaning = tr("was that once, but no longer");
    break;
  default:
    break;
  }
  return values;
}

bool takesComparison(FilterKind kind) {
  return kind == FilterKind::Number || kind == FilterKind::Time;
}

std::vector<FilterSuggestion> fieldsFor(const QString& typed, int begin, int end) {
  std::vector<FilterSuggestion> found;
  for (const FilterFieldInfo& field : filterFields()) {
    const QString name = qs(field.name);
    if (!name.startsWith(typed, Qt::CaseInsensitive)) continue;
    // A number is mostly compared; its sign is left to the user.
    const QString text = takesComparison(field.kind) ? name : name + QLatin1Char(':');
    found.push_back(
        {text, tr("%1 – %2").arg(qs(field.meaning), qs(field.example)), text, begin, end, false});
  }
  return found;
}

} // namespace

std::vector<FilterSuggestion> suggestions(const QString& text, int cursor,
                                          const FilterVocabulary& vocabulary) {
  int begin = wordBegin(text, cursor);
  if (begin < cursor && text[begin] == QLatin1Char('-')) ++begin;
  const QString word = text.mid(begin, cursor - begin);
  const auto sign = std::find_if(word.begin(), word.end(), [](QChar c) {
    return c == QLatin1Char(':') || c == QLatin1Char('=');
  });
  if (sign == word.end()) return fieldsFor(word, begin, cursor);
  const QString name = word.left(sign - word.begin()).toLower();
  const auto fields = filterFields();
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const FilterFieldInfo& known) {
    return name == QLatin1String(known.name);
  });
  if (field == fields.end()) return {};
  // The last of several values is the one being written.
  const int valueBegin =
      begin + std::max(int(word.lastIndexOf(QLatin1Char(','))), int(sign - word.begin())) + 1;
  QString typed = text.mid(valueBegin, cursor - valueBegin);
  if (typed.startsWith(QLatin1Char('"'))) typed.remove(0, 1);
  std::vector<FilterSuggestion> first, others;
  for (const NamedThing& value : valuesOf(*field, vocabulary)) {
    if (value.name.compare(typed, Qt::CaseInsensitive) == 0) continue; // it is there already
    const bool starts = value.name.startsWith(typed, Qt::CaseInsensitive);
    if (!starts && !value.name.contains(typed, Qt::CaseInsensitive) &&
        !value.meaning.contains(typed, Qt::CaseInsensitive))
      continue;
    (starts ? first : others)
        .push_back(
            {value.name, value.meaning, quotedIfNeeded(value.name), valueBegin, cursor, true});
  }
  first.insert(first.end(), others.begin(), others.end());
  if (first.size() > kMostSuggestions) first.resize(kMostSuggestions);
  return first;
}

QString accepted(const QString& text, const FilterSuggestion& suggestion, int& cursor) {
  const QString rest = text.mid(suggestion.end);
  const bool blank =
      suggestion.ends && !rest.startsWith(QLatin1Char(' ')) && !rest.startsWith(QLatin1Char(','));
  const QString before =
      text.left(suggestion.begin) + suggestion.text + (blank ? QStringLiteral(" ") : QString());
  cursor = int(before.size());
  return before + rest;
}

} // namespace nestwright::ui
