#pragma once
/// \file Small parts that the pages of the Lab share.

#include <QString>

#include <string>
#include <vector>

class QLabel;
class QWidget;

namespace nestwright::ui {

/// A sentence across a page, with room around it.
QLabel* wordsLabel(QWidget* parent);
/// The name of a row of a form, beside its first line.
QLabel* rowHead(const QString& name, QWidget* parent);
/// Asks for a choice of data that was saved; empty: none.
QString askForChoice(QWidget* parent);
/// What a person wrote as names of networks, with blanks between, since such names have commas.
std::vector<std::string> networkNames(const QString& text);
/// The inverse.
QString networkText(const std::vector<std::string>& names);

} // namespace nestwright::ui
