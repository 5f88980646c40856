#include "ui/window/report/report_command.h"

#include "core/support/error.h"
#include "core/support/version.h"
#include "ui/compare/compare_view.h"
#include "ui/compare/session_compare_model.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/notices.h"
#include "ui/document/scope_text.h"
#include "ui/document/settings.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/table/row_table.h"
#include "ui/kit/text.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/tasks/task_view.h"
#include "ui/window/actions.h"
#include "ui/window/panel_host.h"
#include "ui/window/report/print_colours.h"

#include <QAction>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QTableView>

#include <cmath>

namespace nestwright::ui {

ReportCommand::ReportCommand(Document& document, PanelHost& host, Actions& actions, QWidget* window)
    : QObject(window), document_(document), host_(host), window_(window) {
  action_ = actions.add(tr("Re&port …"), "", {},
                        tr("What the session came to, as one HTML file: figures, curves, tasks and "
                           "a comparison where one is shown. It needs neither Nestwright nor a "
                           "network."));
  connect(action_, &QAction::triggered, this, &ReportCommand::ask);
  const auto refresh = [this] { enableUnless(action_, document_.whyNotReady()); };
  connect(&document, &Document::stateChanged, this, refresh);
  refresh();
}

Report ReportCommand::report() const {
  const LiveSession& session = document_.session();
  const SessionContents& contents = session.contents();
  Report report;
  report.title = tr("%1, tuned with Nestwright").arg(qs(contents.network));
  const auto fact = [&](const QString& name, const QString& value) {
    if (!value.isEmpty()) report.facts.emplace_back(name, value);
  };
  const auto known = [](double seconds) {
    return std::isfinite(seconds) ? timeText(seconds) : noValue();
  };
  const double best = bestTotal(session.tasks()), naive = session.history().naiveTotal();
  QString total = known(best);
  if (std::isfinite(best) && std::isfinite(naive) && best > 0)
    total += tr(", %1 the naive programs' speed").arg(factorText(naive / best));
  if (const QString scope = scopeText(document_); !scope.isEmpty()) total += tr(" (%1)").arg(scope);
  fact(tr("Machine"), qs(contents.target));
  fact(tr("Weighted total of the bests"), total);
  fact(tr("Trials"),
       tr("%1, %2 of them errors")
           .arg(countText(session.progress().trials), countText(session.progress().errors)));
  fact(tr("Tuning time"), durationText(session.progress().wallSeconds));
  fact(tr("Search"), qs(session.config().policy));
  fact(tr("Session"),
       tr("%1, of %2").arg(qs(session.row().title), momentText(session.row().createdAt)));
  host_.view<CurveView>()->plot()->refreshNow(); // also behind other panels
  Exports curves = host_.view<CurveView>()->exports();
  curves.table.reset(); // every improvement is a row: that is for a spreadsheet
  report.parts.push_back(std::move(curves));
  const auto addTable = [&](const QString& title, const QAbstractItemView* table) {
    Exports part;
    part.title = title;
    part.table = tableOf(table);
    report.parts.push_back(std::move(part));
  };
  addTable(tr("Tasks"), host_.view<TaskView>());
  addTable(tr("What each task was given"), host_.view<SchedulerView>()->table());
  const CompareView& compared = *host_.view<CompareView>();
  if (compared.model()->rowCount() > 0)
    addTable(tr("%1 (A) and %2 (B): %3")
                 .arg(compared.left().name, compared.right().name, compared.total()),
             compared.table());
  report.provenance = QStringLiteral("%1\n%2, %3")
                          .arg(document_.file().path(), qs(versionText()),
                               QDateTime::currentDateTime().toString(Qt::ISODate));
  return report;
}

void ReportCommand::write(const QString& file) {
  try {
    const PrintColours colours;
    writeReport(report(), file);
    Q_EMIT told(tr("%1 was written.").arg(file));
  } catch (const InputError& e) {
    document_.notices().warn(qs(e.what()));
  }
}

void ReportCommand::ask() {
  const QString suggested =
      QStringLiteral("%1/%2-report.html").arg(Settings::folder(), document_.file().title());
  QString file = QFileDialog::getSaveFileName(window_, tr("Report"), suggested,
                                              tr("Report for a browser (*.html)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".html");
  Settings::setFolder(QFileInfo(file).absolutePath());
  write(file);
}

} // namespace nestwright::ui

#include "moc_report_command.cpp"
