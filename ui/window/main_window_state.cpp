/// What is kept with a document and found again, copies of it, and what the palette finds.
#include "ui/document/note_book.h"
#include "ui/document/settings.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/format.h"
#include "ui/kit/message_page.h"
#include "ui/kit/text.h"
#include "ui/kit/view_state.h"
#include "ui/window/actions.h"
#include "ui/window/main_window.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/record_finder.h"
#include "ui/window/status_line.h"

#include <nlohmann/json.hpp>

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QProgressDialog>
#include <QRegularExpression>

#include <utility>

namespace nestwright::ui {

std::string MainWindow::viewState() const {
  nlohmann::json state;
  state["session"] = document_.session().id;
  state["task"] = document_.selection().task;
  state["record"] = document_.selection().record;
  state["panels"] = host_->arrangement().toBase64().toStdString();
  for (const Layout layout : kLayouts)
    if (actions_->layouts[int(layout)]->isChecked()) state["layout"] = key(layout).toStdString();
  for (const Panel* panel : host_->panels())
    if (const auto* view = dynamic_cast<const StatefulView*>(panel->view()))
      state["views"][panel->name().toStdString()] = view->viewState();
  return state.dump();
}

void MainWindow::restoreViewState() {
  // Another session of the same file leaves everything where it is.
  if (std::exchange(restoredFor_, document_.path()) == document_.path()) return;
  const nlohmann::json parsed = nlohmann::json::parse(document_.viewState(), nullptr, false);
  const nlohmann::json state = parsed.is_object() ? parsed : nlohmann::json::object();
  const auto text = [&](const char* key) {
    const auto found = state.find(key);
    return found != state.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const QByteArray panels = QByteArray::fromBase64(QByteArray::fromStdString(text("panels")));
  // A document that was never shown looks as the last one did.
  if (!host_->restore(panels) && !host_->restore(Settings::panels())) setLayout(Layout::Tune);
  for (const Layout layout : kLayouts)
    if (text("layout") == key(layout).toStdString())
      actions_->layouts[int(layout)]->setChecked(true);
  for (const Panel* panel : host_->panels()) {
    auto* view = dynamic_cast<StatefulView*>(panel->view());
    if (!view) continue;
    const auto views = state.find("views");
    const std::string name = panel->name().toStdString();
    const bool kept = views != state.end() && views->is_object() && views->contains(name) &&
                      (*views)[name].is_object();
    view->restoreViewState(kept ? (*views)[name] : nlohmann::json::object());
  }
}

void MainWindow::askSaveCopy() {
  QString file = QFileDialog::getSaveFileName(this, tr("Save a Copy"),
                                              Settings::folder() + QLatin1Char('/') +
                                                  tr("%1 copy").arg(document_.title()) +
                                                  QStringLiteral(".nwdb"),
                                              tr("Nestwright documents (*.nwdb)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".nwdb");
  document_.keepViewState(viewState()); // the copy opens with this screen
  auto* progress = new QProgressDialog(tr("Copying to %1 …").arg(QFileInfo(file).fileName()),
                                       tr("Cancel"), 0, 1000, this);
  progress->setAttribute(Qt::WA_DeleteOnClose);
  progress->setAutoClose(false);
  progress->setMinimumDuration(500);
  progress->setValue(0);
  connect(progress, &QProgressDialog::canceled, &document_, &Document::cancelCopy);
  connect(&document_, &Document::copyProgressed, progress,
          [progress](double done) { progress->setValue(int(done * 1000)); });
  connect(&document_, &Document::copyEnded, progress,
          [this, progress](const QString& path, bool written, const QString& reason) {
            progress->close();
            if (written)
              status_->showMessage(tr("The copy %1 was written.").arg(path), 8000);
            else if (!reason.isEmpty())
              banner_->show(tr("The copy was not written. %1").arg(reason));
          });
  document_.saveCopy(file);
}

void MainWindow::fillPalette() {
  palette_->addProvider([this](const QString&) {
    std::vector<PaletteItem> items;
    for (QAction* action : actions_->all()) {
      if (action == actions_->palette || !action->isVisible()) continue;
      QString title = action->text().remove(QLatin1Char('&'));
      if (title.endsWith(QStringLiteral(" …"))) title.chop(2);
      items.push_back({title, tr("Command"), action->shortcut().toString(QKeySequence::NativeText),
                       [action] { action->trigger(); }, action->isEnabled()});
    }
    return items;
  });
  palette_->addProvider([this](const QString&) {
    std::vector<PaletteItem> items;
    for (const TaskEntry& task : document_.tasks())
      items.push_back({taskTitle(task.row.name), tr("Task"),
                       task.summary.bestRecord ? timeText(task.summary.bestSeconds) : noValue(),
                       [this, id = task.row.id] { document_.selectTask(id); }});
    for (const SessionRow& session : document_.sessions())
      items.push_back(
          {tr("%1, %2").arg(noteSign(document_.notes().note({NoteAbout::Session, session.id})) +
                                qs(session.title),
                            momentText(session.createdAt)),
           tr("Session"), qs(nestwright::name(session.status)),
           [this, id = session.id] { document_.showSession(id); }});
    return items;
  });
  palette_->addProvider([this](const QString& text) { return recordItems(text); });
  palette_->addProvider([this](const QString& text) {
    std::vector<PaletteItem> items;
    for (Panel* panel : host_->panels())
      if (auto* source = dynamic_cast<PaletteSource*>(panel->view()))
        for (PaletteItem& item : source->paletteItems(text)) {
          item.run = [this, panel, run = std::move(item.run)] {
            host_->raise(panel);
            run();
          };
          items.push_back(std::move(item));
        }
    return items;
  });
}

/// A record by its number ("1234", "#1234"), and the best of each task.
std::vector<PaletteItem> MainWindow::recordItems(const QString& text) {
  std::vector<PaletteItem> items;
  if (document_.state() != DocumentState::Ready) return items;
  const auto show = [this] { host_->raise(host_->panel(QStringLiteral("program"))); };
  static const QRegularExpression number(
      QStringLiteral("^(?:record)?\\s*#?\\s*([1-9][0-9]{0,17})$"),
      QRegularExpression::CaseInsensitiveOption);
  if (const auto match = number.match(text.trimmed()); match.hasMatch()) {
    const RowId record = match.captured(1).toLongLong();
    items.push_back({tr("Record #%1").arg(record), tr("Record"), {}, [this, show, record] {
                       finder_->open(record);
                       show();
                     }});
  }
  for (const TaskEntry& task : document_.tasks())
    if (const RowId best = task.summary.bestRecord)
      items.push_back({tr("Best of %1").arg(taskTitle(task.row.name)), tr("Record"),
                       tr("#%1, %2").arg(best).arg(timeText(task.summary.bestSeconds)),
                       [this, show, id = task.row.id, best] {
                         document_.select({id, best});
                         show();
                       }});
  return items;
}

} // namespace nestwright::ui
