#pragma once
/// \file The fields of a dialog by what a person reads there.

#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QWidget>

namespace nestwright::deploying_test {

template <class Field>
Field& field(const QWidget& dialog, const char* name) {
  for (Field* one : dialog.findChildren<Field*>())
    if (one->accessibleName() == QLatin1String(name)) return *one;
  qFatal("no field %s", name);
}

/// By its whole text, or else by its beginning.
template <class Button>
Button& button(const QWidget& dialog, const char* text) {
  const QLatin1String wanted(text);
  const QList<Button*> all = dialog.findChildren<Button*>();
  const auto textOf = [](const Button* one) { return one->text().remove(QLatin1Char('&')); };
  for (Button* one : all)
    if (textOf(one) == wanted) return *one;
  for (Button* one : all)
    if (textOf(one).startsWith(wanted)) return *one;
  qFatal("no button %s", text);
}

/// Whether a label that is seen has these words.
inline bool says(const QWidget& dialog, const char* words) {
  for (const QLabel* label : dialog.findChildren<QLabel*>())
    if (label->isVisible() && label->text().contains(QLatin1String(words))) return true;
  return false;
}

/// All of it, for a failure.
inline QString saidIn(const QWidget& dialog) {
  QStringList texts;
  for (const QLabel* label : dialog.findChildren<QLabel*>())
    if (label->isVisible()) texts << label->text();
  return texts.join(QLatin1Char('\n'));
}

inline void type(QLineEdit& field, const QString& text) {
  field.selectAll();
  QTest::keyClicks(&field, text);
}

} // namespace nestwright::deploying_test
