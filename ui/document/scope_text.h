#pragma once
/// \file Whose numbers are shown, in words, for titles and tool tips.

#include <QString>

namespace nestwright::ui {

class Document;

/// "of this session", or "of the whole file, 3 sessions"; empty where both are the same.
QString scopeText(const Document& document);
/// The tip with a sentence that says so of its numbers.
QString withScope(const QString& tip, const Document& document);

} // namespace nestwright::ui
