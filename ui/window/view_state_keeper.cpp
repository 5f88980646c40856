#include "ui/window/view_state_keeper.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"
#include "ui/kit/view_state.h"
#include "ui/window/actions.h"
#include "ui/window/layout_commands.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

#include <nlohmann/json.hpp>

#include <QAction>

#include <utility>

namespace nestwright::ui {

ViewStateKeeper::ViewStateKeeper(Document& document, PanelHost& host, Actions& actions,
                                 LayoutCommands& layouts, QObject* parent)
    : QObject(parent), document_(document), host_(host), actions_(actions), layouts_(layouts) {
  connect(&document, &Document::leaving, this, &ViewStateKeeper::keep);
}

void ViewStateKeeper::keep() {
  document_.file().keepViewState(state());
}

std::string ViewStateKeeper::state() const {
  nlohmann::json state;
  state["session"] = document_.session().row().id;
  state["scope"] = kScopeNames.of(document_.follower().scope());
  state["task"] = document_.selection().current().task;
  state["record"] = document_.selection().current().record;
  state["panels"] = host_.arrangement().toBase64().toStdString();
  for (const Layout layout : kLayouts)
    if (actions_.layouts[int(layout)]->isChecked()) state["layout"] = key(layout).toStdString();
  for (const PanelView& view : host_.views())
    if (const auto* stateful = dynamic_cast<const StatefulView*>(view.widget))
      state["views"][view.name.toStdString()] = stateful->viewState();
  for (const Panel* panel : host_.panels())
    state["front"][panel->name().toStdString()] = panel->inFront().name.toStdString();
  return state.dump();
}

void ViewStateKeeper::restore() {
  if (std::exchange(restoredFor_, document_.file().path()) == document_.file().path()) return;
  const nlohmann::json parsed = nlohmann::json::parse(document_.file().viewState(), nullptr, false);
  const nlohmann::json state = parsed.is_object() ? parsed : nlohmann::json::object();
  const QByteArray panels =
      QByteArray::fromBase64(QByteArray::fromStdString(storedText(state, "panels")));
  // A document that was never shown looks as the last one did.
  if (!host_.restore(panels) && !host_.restore(Settings::panels())) layouts_.choose(Layout::Tune);
  for (const Layout layout : kLayouts)
    if (storedText(state, "layout") == key(layout).toStdString())
      actions_.layouts[int(layout)]->setChecked(true);
  for (const PanelView& shown : host_.views()) {
    auto* view = dynamic_cast<StatefulView*>(shown.widget);
    if (!view) continue;
    const auto views = state.find("views");
    const std::string name = shown.name.toStdString();
    const bool kept = views != state.end() && views->is_object() && views->contains(name) &&
                      (*views)[name].is_object();
    view->restoreViewState(kept ? (*views)[name] : nlohmann::json::object());
  }
  // Last: a view that shows a page again brings itself to the front.
  const auto front = state.find("front");
  for (Panel* panel : host_.panels())
    panel->bringToFront(front != state.end() && front->is_object()
                            ? qs(storedText(*front, panel->name().toStdString().c_str()))
                            : panel->views().front().name);
}

} // namespace nestwright::ui

#include "moc_view_state_keeper.cpp"
