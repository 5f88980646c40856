#include "ui/lab/lab_parts.h"

#include "ui/kit/text.h"

#include <QLabel>
#include <QRegularExpression>

namespace nestwright::ui {

QLabel* wordsLabel(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setContentsMargins(8, 2, 8, 2);
  label->setWordWrap(true);
  label->setMinimumWidth(1);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

std::vector<std::string> networkNames(const QString& text) {
  static const QRegularExpression kBetween(QStringLiteral("[\\s;]+"));
  std::vector<std::string> names;
  for (const QString& name : text.split(kBetween, Qt::SkipEmptyParts))
    names.push_back(name.toStdString());
  return names;
}

QString networkText(const std::vector<std::string>& names) {
  QStringList list;
  for (const std::string& name : names)
    list << qs(name);
  return list.join(QLatin1Char(' '));
}

} // namespace nestwright::ui
