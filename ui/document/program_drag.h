#pragma once
/// \file Records that are dragged from one view to another, one or many: from tables and charts to
/// where programs are compared, crossed or put under the roof.

#include "ui/document/program_ref.h"

#include <vector>

class QWidget;

namespace nestwright::ui {

/// All of them; the first is what programFrom() gives. As text it is a condition of the records'
/// filter ("record:12,13"). The caller owns the result.
QMimeData* toMimeData(const std::vector<ProgramRef>& programs);
std::vector<ProgramRef> programsFrom(const QMimeData* data);

/// Lets the user drag them out of the widget; returns when they were dropped.
void dragPrograms(QWidget* source, const std::vector<ProgramRef>& programs);

} // namespace nestwright::ui
