#pragma once
/// \file The About box.

class QWidget;

namespace nestwright::ui {

void showAbout(QWidget* parent);

} // namespace nestwright::ui
