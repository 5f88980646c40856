#pragma once
/// \file Lists of choices whose entries have the names that settings know them by.

#include <QString>

#include <string>

class QComboBox;

namespace nestwright::ui {

/// Puts the entry there, if need be, and chooses it.
void choose(QComboBox* list, const std::string& value);
std::string chosen(const QComboBox* list);
void addEntry(QComboBox* list, const QString& text, const std::string& value,
              const QString& purpose = {});

} // namespace nestwright::ui
