#pragma once
/// \file A session that is tuned in a window is not ended by opening something else there without
/// a word: the user says where that goes.

#include <QString>

class QWidget;

namespace nestwright::ui {

class Document;

/// Where something is to be opened.
enum class OpenWhere { Here, OwnWindow, Nowhere };

/// "resnet18 is being tuned in this window (213 of 1,000 trials)."; empty when nothing is.
QString runningText(const Document& document);

/// Asks where `what` is to be opened while a session runs; Here when none does.
OpenWhere askWhere(const Document& document, const QString& what, QWidget* parent);

} // namespace nestwright::ui
