#pragma once
/// \file Small parts that the pages of the Lab share.

#include <QString>

#include <string>
#include <vector>

class QLabel;
class QWidget;

namespace nestwright::ui {

/// Words that wrap and can be selected.
QLabel* wordsLabel(QWidget* parent);
/// What a person wrote as names of networks, with blanks between, since such names have commas.
std::vector<std::string> networkNames(const QString& text);
/// The inverse.
QString networkText(const std::vector<std::string>& names);
} // namespace nestwright::ui
