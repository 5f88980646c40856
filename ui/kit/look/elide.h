#pragma once
/// \file Shortening a name where it does not differ from those beside it.

#include <QStringList>

class QFontMetrics;

namespace nestwright::ui {

/// The name itself if it has room in `width` px, else with "…" in place of a part within it: of one
/// that leaves it unlike the shortened `others`, if there is one.
QString elidedApart(const QString& name, const QStringList& others, const QFontMetrics& metrics,
                    int width);

} // namespace nestwright::ui
