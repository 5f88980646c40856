#include "ui/lab/lab_parts.h"

#include "ui/document/settings.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/text.h"

#include <QFileDialog>
#include <QLabel>
#include <QRegularExpression>

namespace nestwright::ui {

QLabel* wordsLabel(QWidget* parent) {
  QLabel* label = sentenceLabel(parent);
  label->setContentsMargins(8, 2, 8, 2);
  label->setMinimumWidth(1);
  return label;
}

QLabel* rowHead(const QString& name, QWidget* parent) {
  auto* head = new QLabel(name, parent);
  QFont font; // only the weight: the size is the theme's
  font.setWeight(QFont::DemiBold);
  head->setFont(font);
  head->setContentsMargins(0, 3, 0, 0);
  return head;
}

QString askForChoice(QWidget* parent) {
  return QFileDialog::getOpenFileName(parent, tr("Open a Choice of Data"), Settings::folder(),
                                      tr("Choices (*.json)"));
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
