#include "ui/window/help_commands.h"

#include "ui/document/document.h"
#include "ui/lesson/tour.h"
#include "ui/window/actions.h"
#include "ui/window/help_dialogs.h"
#include "ui/window/help_window.h"
#include "ui/window/layout_commands.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/shortcut_editor.h"

#include <QAction>

#include <utility>

namespace nestwright::ui {

HelpCommands::HelpCommands(Document& document, PanelHost& host, Actions& actions,
                           LayoutCommands& layouts, QWidget* window)
    : QObject(window), document_(document), window_(window), guide_(new TourGuide(window)) {
  connect(actions.help, &QAction::triggered, this, [this, &host] {
    const Panel* panel = host.isInUse() ? host.current() : nullptr;
    open(panel ? panel->inFront().name : QStringLiteral("index"));
  });
  connect(actions.helpIndex, &QAction::triggered, this, [this] { open(QStringLiteral("index")); });
  connect(actions.glossary, &QAction::triggered, this,
          [this] { open(QStringLiteral("glossary")); });
  connect(actions.about, &QAction::triggered, this, [this] { showAbout(window_); });
  connect(actions.shortcuts, &QAction::triggered, this,
          [this, &actions] { editShortcuts(actions, window_); });
  connect(guide_, &TourGuide::layoutWanted, this, [&host, &layouts](const QString& wanted) {
    for (const Layout layout : kLayouts)
      if (key(layout) == wanted && host.isInUse()) layouts.choose(layout);
  });
  connect(guide_, &TourGuide::panelWanted, this, [&host](const QString& name) {
    if (host.isInUse()) host.raise(name);
  });
  connect(&document, &Document::stateChanged, this, [this] {
    if (document_.state() == DocumentState::Ready && !waiting_.isEmpty())
      startTour(std::exchange(waiting_, {}));
  });
}

void HelpCommands::open(const QString& page) {
  if (!help_) help_ = new HelpWindow(window_);
  help_->showPage(page);
}

void HelpCommands::startTour(const QString& name) {
  for (const Tour& tour : tours()) {
    if (tour.name != name) continue;
    if (tour.needsSample && document_.state() != DocumentState::Ready) {
      waiting_ = name;
      Q_EMIT sampleWanted();
      return;
    }
    guide_->begin(tour);
  }
}

} // namespace nestwright::ui

#include "moc_help_commands.cpp"
