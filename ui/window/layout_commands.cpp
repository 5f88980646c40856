#include "ui/window/layout_commands.h"

#include "ui/document/settings.h"
#include "ui/window/actions.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

#include <QAction>
#include <QInputDialog>

namespace nestwright::ui {

LayoutCommands::LayoutCommands(PanelHost& host, Actions& actions, QWidget* window)
    : QObject(window), host_(host), actions_(actions), window_(window) {
  for (const Layout layout : kLayouts)
    connect(actions.layouts[int(layout)], &QAction::triggered, this,
            [this, layout] { choose(layout); });
  connect(actions.resetLayout, &QAction::triggered, this, [this] {
    for (const Layout layout : kLayouts)
      if (actions_.layouts[int(layout)]->isChecked()) return choose(layout);
    choose(Layout::Tune);
  });
  connect(actions.saveLayout, &QAction::triggered, this, &LayoutCommands::askSave);
  const auto showMaximised = [this] {
    actions_.maximise->setChecked(host_.maximised() != nullptr);
  };
  connect(actions.maximise, &QAction::triggered, this, [this, showMaximised] {
    if (Panel* panel = host_.maximised() ? host_.maximised() : host_.current())
      host_.toggleMaximised(panel);
    showMaximised();
  });
  connect(&host, &PanelHost::maximisedChanged, this, showMaximised);
}

void LayoutCommands::choose(Layout layout) {
  host_.arrange(layout);
  actions_.layouts[int(layout)]->setChecked(true);
}

void LayoutCommands::askSave() {
  const QString name =
      QInputDialog::getText(window_, tr("Save Layout"), tr("Name of the layout:")).trimmed();
  if (!name.isEmpty()) Settings::setLayout(name, host_.arrangement());
}

} // namespace nestwright::ui

#include "moc_layout_commands.cpp"
