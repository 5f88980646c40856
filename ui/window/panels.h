#pragma once
/// \file The panels of the window and the views in them: one line for each in panels.cpp is all
/// that adding a view takes.
///
/// A view is a widget that is made from the document and knows no other view: it follows and sets
/// `Document::selection()`. It has its own tool bar, and may implement
/// - `ExportableView` (ui/kit/exportable.h): what it gives as picture, table and text; without it
/// the
///   widget is painted as seen and the first table in it is taken,
/// - `StatefulView` (ui/kit/view_state.h): what it wants to find again when the document is
/// reopened,
/// - `PaletteSource` (ui/kit/command_palette.h): what can be found in it by name,
/// - `TabbedView` (ui/document/tabbed_view.h): its tabs, beside which others of the panel stand.
/// A view that is not in sight should do no work: see `QWidget::isVisible()` and `showEvent()`.
/// Its F1 page is resources/help/NAME.md.
///
/// Names are for ever: documents keep views' states and where panels lie by them. A view that moves
/// to another panel keeps its own.

#include "ui/kit/layout.h"

#include <QString>

#include <array>
#include <functional>
#include <vector>

class QWidget;

namespace nestwright::ui {

class Document;

struct ViewSpec {
  QString name;  // of its help page, of `--export` and of its state: "tasks"
  QString title; // on its tab
  std::function<QWidget*(Document& document, QWidget* parent)> make;
};

struct PanelSpec {
  QString name;  // of the dock ("tasksPanel")
  QString title; // on its tab
  QString key;   // that goes to it: "Ctrl+1"
  std::vector<ViewSpec> views;
  std::array<Place, kLayoutCount> places; // in Tune, Browse, Teach and Lab
  /// Whether there is something to see in it; none: always. The Tune layout waits for that.
  std::function<bool(Document& document)> hasData = {};
};

/// All panels. Those that share a place are its tabs, in this order; the first lies in front.
std::vector<PanelSpec> panelSpecs();

} // namespace nestwright::ui
