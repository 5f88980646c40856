#pragma once
/// \file A place for a sentence below the fields that it is about.

#include <QString>

class QLabel;
class QWidget;

namespace nestwright::ui {

/// A label for plain text that wraps, and that can be copied.
QLabel* sentenceLabel(QWidget* parent);
/// Without text it takes no room.
void say(QLabel* label, const QString& text);

} // namespace nestwright::ui
