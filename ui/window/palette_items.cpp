#include "ui/window/palette_items.h"

#include "ui/document/document.h"
#include "ui/document/note_book.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"
#include "ui/window/actions.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/record_finder.h"

#include <QAction>
#include <QCoreApplication>
#include <QRegularExpression>

#include <utility>

namespace nestwright::ui {
namespace {

struct PaletteText {
  Q_DECLARE_TR_FUNCTIONS(PaletteText)
};

std::vector<PaletteItem> commandItems(const Actions& actions) {
  std::vector<PaletteItem> items;
  for (QAction* action : actions.all()) {
    if (action == actions.palette || !action->isVisible()) continue;
    QString title = action->text().remove(QLatin1Char('&'));
    if (title.endsWith(QStringLiteral(" …"))) title.chop(2);
    items.push_back({title, PaletteText::tr("Command"),
                     action->shortcut().toString(QKeySequence::NativeText),
                     [action] { action->trigger(); }, action->isEnabled()});
  }
  return items;
}

std::vector<PaletteItem> documentItems(Document& document) {
  std::vector<PaletteItem> items;
  for (const TaskEntry& task : document.session().tasks())
    items.push_back({taskTitle(task.row.name), PaletteText::tr("Task"),
                     task.summary.bestRecord ? timeText(task.summary.bestSeconds) : noValue(),
                     [&document, id = task.row.id] { document.selection().selectTask(id); }});
  for (const SessionRow& session : document.session().contents().sessions) {
    const Note note = document.notes().note({NoteAbout::Session, session.id});
    items.push_back({PaletteText::tr("%1, %2").arg(noteSign(note) + qs(session.title),
                                                   momentText(session.createdAt)),
                     PaletteText::tr("Session"), qs(nestwright::name(session.status)),
                     [&document, id = session.id] { document.showSession(id); }});
  }
  return items;
}

/// A record by its number ("1234", "#1234"), and the best of each task.
std::vector<PaletteItem> recordItems(Document& document, PanelHost& host, RecordFinder& finder,
                                     const QString& text) {
  std::vector<PaletteItem> items;
  if (document.state() != DocumentState::Ready) return items;
  const auto show = [&host] { host.raise(QStringLiteral("program")); };
  static const QRegularExpression number(
      QStringLiteral("^(?:record)?\\s*#?\\s*([1-9][0-9]{0,17})$"),
      QRegularExpression::CaseInsensitiveOption);
  if (const auto match = number.match(text.trimmed()); match.hasMatch()) {
    const RowId record = match.captured(1).toLongLong();
    items.push_back({PaletteText::tr("Record #%1").arg(record),
                     PaletteText::tr("Record"),
                     {},
                     [&finder, show, record] {
                       finder.open(record);
                       show();
                     }});
  }
  for (const TaskEntry& task : document.session().tasks())
    if (const RowId best = task.summary.bestRecord)
      items.push_back({PaletteText::tr("Best of %1").arg(taskTitle(task.row.name)),
                       PaletteText::tr("Record"),
                       PaletteText::tr("#%1, %2").arg(best).arg(timeText(task.summary.bestSeconds)),
                       [&document, show, id = task.row.id, best] {
                         document.selection().select({id, best});
                         show();
                       }});
  return items;
}

/// What the views offer; the panel comes to the front.
std::vector<PaletteItem> viewItems(PanelHost& host, const QString& text) {
  std::vector<PaletteItem> items;
  for (const PanelView& view : host.views())
    if (auto* source = dynamic_cast<PaletteSource*>(view.widget))
      for (PaletteItem& item : source->paletteItems(text)) {
        item.run = [&host, name = view.name, run = std::move(item.run)] {
          host.raise(name);
          run();
        };
        items.push_back(std::move(item));
      }
  return items;
}

/// What people of other tools call what we have.
std::vector<QStringList> synonyms() {
  const auto group = [](const QString& words) { return words.split(QLatin1Char('|')); };
  return {group(PaletteText::tr("start|resume|run|begin|continue|play")),
          group(PaletteText::tr("stop|finish|end|abort|cancel|kill")),
          group(PaletteText::tr("policy|algorithm|strategy|tuner|optimiser|optimizer|evolution|"
                                "genetic|evolutionary")),
          group(PaletteText::tr("objective|goal|target function|metric|loss")),
          group(PaletteText::tr("budget|limit|time limit|trials|iterations|steps")),
          group(PaletteText::tr("plan|settings|options|configuration|preferences")),
          group(PaletteText::tr("task|layer|operator|subgraph|kernel")),
          group(PaletteText::tr("records|measurements|results|history|samples")),
          group(PaletteText::tr("program|schedule|code|assembly|source")),
          group(PaletteText::tr("curves|convergence|progress|learning curve")),
          group(PaletteText::tr("theme|dark mode|light mode|dark|light|appearance|colours|colors")),
          group(PaletteText::tr("shortcuts|keys|keyboard|key bindings")),
          group(PaletteText::tr("export|save as|picture|screenshot|image")),
          group(PaletteText::tr("journal|log|notes|messages|output|console")),
          group(PaletteText::tr("compare|diff|difference|baseline")),
          group(PaletteText::tr("importance|weight|priority")),
          group(PaletteText::tr("layout|perspective|workspace|arrange|panels")),
          group(PaletteText::tr("zoom|font size|larger|smaller|scale")),
          group(PaletteText::tr("manual|help|documentation|docs"))};
}

} // namespace

void fillPalette(CommandPalette& palette, Document& document, PanelHost& host, Actions& actions,
                 RecordFinder& finder) {
  palette.setSynonyms(synonyms());
  palette.addProvider([&actions](const QString&) { return commandItems(actions); });
  palette.addProvider([&document](const QString&) { return documentItems(document); });
  palette.addProvider([&document, &host, &finder](const QString& text) {
    return recordItems(document, host, finder, text);
  });
  palette.addProvider([&host](const QString& text) { return viewItems(host, text); });
}

} // namespace nestwright::ui
