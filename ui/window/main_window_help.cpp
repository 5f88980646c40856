/// Help, tours, and the notice when a session ends.
#include "core/session/run/trouble.h"
#include "ui/kit/format.h"
#include "ui/window/actions.h"
#include "ui/window/help_dialogs.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/shortcut_editor.h"
#include "ui/window/tour.h"
#include "ui/window/welcome_page.h"

#include <QAction>
#include <QApplication>
#include <QSystemTrayIcon>

#include <cmath>
#include <utility>

namespace nestwright::ui {

HelpWindow* MainWindow::help() {
  if (!help_) help_ = new HelpWindow(this);
  return help_;
}

void MainWindow::connectHelp() {
  guide_ = new TourGuide(this);
  connect(actions_->help, &QAction::triggered, this, [this] {
    const Panel* panel = panelsShown_ ? host_->current() : nullptr;
    help()->open(panel ? panel->name() : QStringLiteral("index"));
  });
  connect(actions_->helpIndex, &QAction::triggered, this,
          [this] { help()->open(QStringLiteral("index")); });
  connect(actions_->glossary, &QAction::triggered, this,
          [this] { help()->open(QStringLiteral("glossary")); });
  connect(actions_->about, &QAction::triggered, this, [this] { showAbout(this); });
  connect(actions_->shortcuts, &QAction::triggered, this,
          [this] { editShortcuts(*actions_, this); });
  connect(welcome_, &WelcomePage::tourRequested, this, &MainWindow::startTour);
  connect(guide_, &TourGuide::layoutWanted, this, [this](const QString& wanted) {
    for (const Layout layout : kLayouts)
      if (key(layout) == wanted && panelsShown_) setLayout(layout);
  });
  connect(guide_, &TourGuide::panelWanted, this, [this](const QString& name) {
    if (Panel* panel = host_->panel(name); panel && panelsShown_) host_->raise(panel);
  });
}

void MainWindow::startTour(const QString& name) {
  for (const Tour& tour : tours()) {
    if (tour.name != name) continue;
    if (tour.needsSample && document_.state() != DocumentState::Ready) {
      tourWaiting_ = name;
      return openSample();
    }
    guide_->begin(tour);
  }
}

/// Tells somebody who is elsewhere that there is a result.
void MainWindow::noticeEnd() {
  const SessionStatus before = std::exchange(statusSeen_, document_.status());
  const bool failed = document_.needsHelp();
  const bool ended =
      before == SessionStatus::Running && (document_.status() == SessionStatus::Finished || failed);
  if (!ended || document_.state() != DocumentState::Ready || isActiveWindow()) return;
  QApplication::alert(this);
  if (!QSystemTrayIcon::isSystemTrayAvailable()) return;
  const double best = document_.bestTotal();
  const QString text = failed ? document_.statusReason()
                              : tr("%1 trials, best total %2")
                                    .arg(countText(document_.progress().trials),
                                         std::isfinite(best) ? timeText(best) : noValue());
  if (!tray_) {
    tray_ = new QSystemTrayIcon(windowIcon(), this);
    connect(tray_, &QSystemTrayIcon::messageClicked, this, [this] {
      raise();
      activateWindow();
    });
  }
  tray_->show();
  const QString what = !failed                                       ? tr("Tuning %1 has finished")
                       : document_.status() == SessionStatus::Paused ? tr("Tuning %1 has paused")
                                                                     : tr("Tuning %1 failed");
  tray_->showMessage(what.arg(document_.networkName()), text, windowIcon());
}

} // namespace nestwright::ui
