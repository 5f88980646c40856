#include "ui/window/new_session/choice_list.h"

#include "ui/kit/text.h"

#include <QComboBox>

namespace nestwright::ui {

void choose(QComboBox* list, const std::string& value) {
  if (list->findData(qs(value)) < 0) list->addItem(qs(value), qs(value));
  list->setCurrentIndex(list->findData(qs(value)));
}

std::string chosen(const QComboBox* list) {
  return list->currentData().toString().toStdString();
}

void addEntry(QComboBox* list, const QString& text, const std::string& value,
              const QString& purpose) {
  list->addItem(text, qs(value));
  if (!purpose.isEmpty()) list->setItemData(list->count() - 1, purpose, Qt::ToolTipRole);
}

} // namespace nestwright::ui
