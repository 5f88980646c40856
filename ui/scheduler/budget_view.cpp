#include "ui/scheduler/budget_view.h"

#include "core/session/run/row_contents.h"
#include "ui/document/document.h"
#include "ui/document/import/importer.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/colours.h"
#include "ui/kit/exportable.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/column_titles.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/scheduler/budget_watch.h"
#include "ui/scheduler/plan_form.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// A task stands out that brings this share of the whole gain.
constexpr double kMostly = 0.4;

QStandardItem* numberItem(const QString& text, double value) {
  QStandardItem* item = fixedItem(text, {}, true);
  item->setData(value, ExportRole);
  return item;
}

} // namespace

BudgetView::BudgetView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), watch_(new BudgetWatch(document, this)),
      plan_(new PlanForm(document, this)), rest_(new QLabel(this)), extension_(new QLabel(this)),
      accuracy_(new QLabel(this)), tasks_(new QStandardItemModel(this)),
      tests_(new QStandardItemModel(this)) {
  for (QLabel* label : {rest_, extension_, accuracy_}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  rest_->setAccessibleName(tr("What the rest of the budget is worth"));
  extension_->setAccessibleName(tr("What more time is worth"));
  accuracy_->setAccessibleName(tr("How well earlier forecasts held"));
  minutes_ = numberBox(this, 1, 24 * 60, watch_->minutes(), tr("Minutes of an extension"),
                       tr("How long the extension is that is spoken of. The trials in that "
                          "time follow from the session's pace."));
  minutes_->setSuffix(tr(" min"));
  stop_ = textButton(this, tr("Stop"),
                     tr("Ends the session with the bests it has; the rest of its budget is "
                        "left unused. A higher budget lets it go on."));
  extend_ = textButton(this, tr("Extend"), {});
  move_ = textButton(this, tr("Favour"),
                     tr("Doubles the importance of the task that a further trial is worth "
                        "most for: the scheduler gives it more of the rounds to come. "
                        "Can be undone."));
  nameColumns();
  taskTable_ = table(tasks_, tr("Expected gain by task"));
  testTable_ = table(tests_, tr("Earlier forecasts and what came of them"));
  auto* bar = new FlowLayout(nullptr, 4);
  for (QWidget* widget : std::initializer_list<QWidget*>{minutes_, extend_, move_, stop_})
    bar->addWidget(widget);
  auto* tabs = new QTabWidget(this);
  tabs->setDocumentMode(true);
  tabs->addTab(taskTable_, tr("By task"));
  tabs->addTab(testTable_, tr("Earlier forecasts"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(0);
  auto* advice = new QVBoxLayout;
  advice->setContentsMargins(10, 6, 10, 0);
  advice->setSpacing(6);
  layout->addWidget(plan_);
  layout->addLayout(advice, 1);
  advice->addWidget(rest_);
  advice->addWidget(extension_);
  advice->addLayout(bar);
  advice->addWidget(accuracy_);
  advice->addWidget(tabs, 1);
  connect(watch_, &BudgetWatch::changed, this, &BudgetView::refresh);
  connect(&document.follower(), &SessionFollower::statusChanged, this, &BudgetView::refresh);
  connect(&document.follower(), &SessionFollower::settingsChanged, this,
          &BudgetView::refreshButtons);
  connect(minutes_, &QSpinBox::valueChanged, watch_, &BudgetWatch::setMinutes);
  connect(stop_, &QToolButton::clicked, &document.steering(), &Steering::stop);
  connect(extend_, &QToolButton::clicked, this, &BudgetView::extend);
  connect(move_, &QToolButton::clicked, this, &BudgetView::move);
  connect(taskTable_, &QTableView::clicked, this, [this](const QModelIndex& index) {
    document_.selection().selectTask(index.siblingAtColumn(0).data(TaskRole).toLongLong());
  });
  connect(&Theme::instance(), &Theme::changed, this, &BudgetView::restyle);
  restyle();
  refresh();
}

void BudgetView::nameColumns() {
  setColumns(*tasks_,
             {{tr("Task"), tr("The task that a part of the gain is expected from.")},
              {tr("Expected gain"),
               tr("By how much the weighted total is expected to fall because of this task, in "
                  "percent of the present total. Higher is better.")},
              {tr("Trials to come"), tr("How many of the trials that are left it is expected to "
                                        "get.")},
              {tr("Gain per 100 trials"),
               tr("The expected gain, for each hundred of its trials, in percent of the present "
                  "total: where a further trial is worth most. Higher is better.")}});
  setColumns(*tests_,
             {{tr("After trial"), tr("At which trial of the session the forecast is made, looking "
                                     "back.")},
              {tr("Trials"), tr("How many trials the forecast looks ahead.")},
              {tr("Forecast"), tr("By how much the weighted total was expected to fall, in "
                                  "percent.")},
              {tr("Range"), tr("Where the gain was expected to lie in four cases of five, in "
                               "percent.")},
              {tr("Came"), tr("By how much the weighted total did fall, in percent.")},
              {tr("Held"), tr("Whether what came lies within the range. Four in five should.")}});
}

QTableView* BudgetView::table(QStandardItemModel* model, const QString& name) {
  auto* table = new QTableView(this);
  table->setModel(model);
  table->setAccessibleName(name);
  setUpTable(table);
  new ElasticColumn(table, 0, QStringLiteral("Conv 3x3 512→512"));
  return table;
}

void BudgetView::restyle() {
  QFont bold = QApplication::font();
  bold.setBold(true);
  rest_->setFont(bold);
  setTextColour(accuracy_, colours().dim);
}

QString BudgetView::restWords() const {
  return rest_->text();
}
QString BudgetView::extensionWords() const {
  return extension_->text();
}
QString BudgetView::accuracyWords() const {
  return accuracy_->text();
}

QString BudgetView::mostly(const GainForecast& forecast) const {
  const auto most = std::ranges::max_element(forecast.taskGains);
  if (most == forecast.taskGains.end() || forecast.taskGains.size() < 2 ||
      *most < kMostly * forecast.gain.value)
    return {};
  const TaskEntry* task = document_.session().task(
      watch_->outlook().tasks[static_cast<std::size_t>(most - forecast.taskGains.begin())]);
  return task ? tr(", mostly on %1").arg(taskTitle(task->row.name)) : QString();
}

void BudgetView::refresh() {
  refreshWords();
  refreshButtons();
  refreshTables();
}

void BudgetView::refreshWords() {
  const auto& rest = watch_->outlook().rest;
  const auto& more = watch_->outlook().extended;
  const QString left = countText(watch_->outlook().trialsLeft);
  if (document_.state() != DocumentState::Ready)
    rest_->setText(tr("Open or make a session to hear what its budget is worth."));
  else if (document_.session().historyLoading())
    rest_->setText(tr("The session's course is being read."));
  else if (rest)
    rest_->setText(tr("The rest of the budget, %1 trials in %2, is worth %3%4.")
                       .arg(left, durationRangeText(rest->seconds), gainText(rest->forecast.gain),
                            mostly(rest->forecast)));
  else if (isImport(document_.session().row()))
    rest_->setText(tr("Imported records have no budget. A session of your own has one."));
  else if (document_.session().progress().trials > 0 && watch_->outlook().trialsLeft == 0)
    rest_->setText(tr("The budget is used up."));
  else
    rest_->setText(tr("Too little is known yet: a forecast needs some trials, and a time for every "
                      "task."));
  extension_->setVisible(more.has_value());
  if (more)
    extension_->setText((rest ? tr("With %1 more min (%2 trials) on top it is worth %3%4.")
                              : tr("%1 more min (%2 trials) are worth %3%4."))
                            .arg(watch_->minutes())
                            .arg(countText(watch_->outlook().trialsInMinutes),
                                 gainText(more->forecast.gain), mostly(more->forecast)));
  const BudgetAdvice* told = rest ? &*rest : more ? &*more : nullptr;
  accuracy_->setVisible(told != nullptr);
  if (!told) return;
  const auto held = std::ranges::count_if(told->tests, &TestedForecast::held);
  double forecast = 0, actual = 0;
  for (const TestedForecast& test : told->tests)
    forecast += test.forecast.gain.value, actual += test.actual;
  const auto count = static_cast<double>(told->tests.size());
  accuracy_->setText(
      told->tests.empty()
          ? tr("The session is too short for a look back: this range is a guess.")
          : tr("Looking back over as long a way: %1 of %2 earlier forecasts held their range "
               "(four in five should). They told %3 on average, and %4 came.")
                .arg(held)
                .arg(told->tests.size())
                .arg(percentText(forecast / count), percentText(actual / count)));
}

void BudgetView::refreshButtons() {
  const Steering& steering = document_.steering();
  const QString away = steering.whyNotMeasure();
  const std::int64_t more = watch_->outlook().trialsInMinutes;
  enableUnless(stop_, steering.whyNotStop());
  const bool timed = hasTimeBudget();
  const QString none = tr("How many trials fit into that time is not known yet.");
  extend_->setText(timed      ? tr("Extend by %1 min").arg(watch_->minutes())
                   : more > 0 ? tr("Extend by %1 trials").arg(countText(more))
                              : tr("Extend"));
  extend_->setToolTip(timed ? tr("Raises the time budget by these minutes. Can be undone.")
                            : tr("Raises the budget by the trials that fit into these minutes. "
                                 "Can be undone."));
  enableUnless(extend_, timed      ? steering.whyNotTuneLonger()
                        : more > 0 ? away
                                   : (away.isEmpty() ? none : away));
  const TaskEntry* place = document_.session().task(watch_->outlook().bestPlace());
  const QString name = place ? taskTitle(place->row.name) : QString();
  move_->setText(place ? tr("Favour %1")
                             .arg(fontMetrics().elidedText(name, Qt::ElideMiddle,
                                                           fontMetrics().averageCharWidth() * 16))
                       : tr("Favour"));
  move_->setToolTip((name.isEmpty() ? QString() : name + QLatin1Char('\n')) +
                    tr("Doubles the importance of the task that a further trial is worth most "
                       "for: the scheduler gives it more of the rounds to come. Can be undone."));
  enableUnless(move_, !away.isEmpty()                          ? away
                      : document_.session().tasks().size() < 2 ? tr("There is one task.")
                      : place                                  ? QString()
                              : tr("Which task gains most is not known yet."));
}

void BudgetView::refreshTables() {
  const auto& rest = watch_->outlook().rest;
  const BudgetAdvice* told = rest                         ? &*rest
                             : watch_->outlook().extended ? &*watch_->outlook().extended
                                                          : nullptr;
  for (QStandardItemModel* model : {tasks_, tests_})
    model->setRowCount(0);
  if (!told) return;
  const GainForecast& forecast = told->forecast;
  std::vector<std::size_t> order(forecast.taskGains.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return forecast.taskGains[i]; });
  for (const std::size_t i : order) {
    const RowId id = watch_->outlook().tasks[i];
    const TaskEntry* task = document_.session().task(id);
    if (!task) continue;
    const double gain = forecast.taskGains[i], trials = forecast.taskTrials[i];
    QStandardItem* name = fixedItem(taskTitle(task->row.name));
    name->setData(qlonglong(id), TaskRole);
    name->setToolTip(tr("Part of the total's gain that comes from this task."));
    tasks_->appendRow({name, numberItem(percentText(gain), 100 * gain),
                       numberItem(countText(std::llround(trials)), trials),
                       trials > 0
                           ? numberItem(percentText(100 * gain / trials), 1e4 * gain / trials)
                           : numberItem(noValue(), 0)});
  }
  for (auto test = told->tests.rbegin(); test != told->tests.rend(); ++test) {
    const Ranged& gain = test->forecast.gain;
    tests_->appendRow({numberItem(countText(test->forecast.from), double(test->forecast.from)),
                       numberItem(countText(test->forecast.trials), double(test->forecast.trials)),
                       numberItem(percentText(gain.value), 100 * gain.value),
                       fixedItem(tr("%1 to %2").arg(percentText(gain.low), percentText(gain.high))),
                       numberItem(percentText(test->actual), 100 * test->actual),
                       fixedItem(test->held() ? tr("✓ yes") : tr("✗ no"))});
  }
  alignColumns(*tasks_);
  alignColumns(*tests_);
  for (QTableView* table : {taskTable_, testTable_})
    for (int column = 1; column < table->model()->columnCount(); ++column)
      table->resizeColumnToContents(column);
}

bool BudgetView::hasTimeBudget() const {
  return document_.state() == DocumentState::Ready && document_.session().config().maxSeconds > 0;
}

void BudgetView::extend() {
  if (hasTimeBudget()) return document_.steering().extendTime(60.0 * watch_->minutes());
  if (const std::int64_t more = watch_->outlook().trialsInMinutes; more > 0)
    document_.steering().steer(SetTrialBudget{document_.session().config().trials + more});
}

void BudgetView::move() {
  if (const TaskEntry* task = document_.session().task(watch_->outlook().bestPlace()))
    document_.steering().steer(SetImportance{task->row.id, std::max(1.0, task->importance) * 2});
}

} // namespace nestwright::ui

#include "moc_budget_view.cpp"
