#pragma once
/// \file Files that are dragged onto a view, from a file manager.

#include <QStringList>

class QMimeData;

namespace nestwright::ui {

/// Paths of those whose names end so, as ".nwm"; of all where nothing is said.
QStringList droppedFiles(const QMimeData* data, const QString& ending = {});

} // namespace nestwright::ui
