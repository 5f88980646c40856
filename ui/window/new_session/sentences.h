#pragma once
/// \file Sentences below the fields of a new session: what is wrong with a file, and the first of
/// many lines.

#include <QString>
#include <QStringList>

class QLabel;
class QWidget;

namespace nestwright::ui {

/// Why the file cannot be read; empty when it can.
QString fileProblem(const QString& path);
/// A label for what is wrong, in the colour of that.
QLabel* problemLabel(QWidget* parent);
/// The first few, and how many more there are.
QStringList firstOf(const QStringList& lines);

} // namespace nestwright::ui
