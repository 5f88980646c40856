#pragma once
/// \file A form as a person looks at it: its fields by their names, and what it says.

#include <QComboBox>
#include <QLabel>
#include <QWidget>

namespace nestwright::ui::testing {

template <class Field>
Field& field(const QWidget& form, const char* name) {
  for (Field* one : form.findChildren<Field*>())
    if (one->accessibleName() == QLatin1String(name)) return *one;
  qFatal("no field %s", name);
}

/// The entry with this value, as a person does.
inline void choose(const QWidget& form, const char* name, const char* value) {
  auto& list = field<QComboBox>(form, name);
  list.setCurrentIndex(list.findData(QLatin1String(value)));
  Q_EMIT list.activated(list.currentIndex());
}

/// Whether a label that is not hidden has the text in it.
inline bool says(const QWidget& root, const QString& text) {
  for (const QLabel* label : root.findChildren<QLabel*>())
    if (label->isVisibleTo(&root) && label->text().contains(text)) return true;
  return false;
}

} // namespace nestwright::ui::testing
