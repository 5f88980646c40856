#include "ui/recombination/recombination_page.h"

#include "core/record/rows/recombination_row.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/recombination/recombination_control.h"
#include "ui/recombination/recombination_model.h"
#include "ui/recombination/recombination_plot.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace nestwright::ui {
namespace {

/// "2.1 % faster" of a ratio above 1, "0.4 % slower" below.
QString fasterText(double ratio) {
  const double share = 1 - 1 / ratio;
  return share >= 0 ? RecombinationPage::tr("%1 faster").arg(percentText(share))
                    : RecombinationPage::tr("%1 slower").arg(percentText(-share));
}

} // namespace

RecombinationPage::RecombinationPage(Document& document, RecombinationControl& control,
                                     QWidget* parent)
    : QWidget(parent), document_(document), control_(control),
      plot_(new RecombinationPlot(control, this)),
      model_(new RecombinationModel(document, control, this)), sorted_(new SortedRows(this)),
      table_(new QTableView(this)) {
  sorted_->setSourceModel(model_);
  table_->setModel(sorted_);
  setUpTable(table_);
  table_->setAccessibleName(tr("Programs of the combination"));
  table_->setItemDelegateForColumn(RecombinationModel::Task, new TaskNameDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(RecombinationModel::Candidate, Qt::DescendingOrder);
  new ElasticColumn(table_, RecombinationModel::Task, QStringLiteral("Conv 3x3 512→512"));
  buildControls();

  connect(&control, &RecombinationControl::changed, this, &RecombinationPage::refresh);
  connect(plot_, &RecombinationPlot::picked, this, [this](int sample) {
    pickedByHand_ = true;
    pick(sample);
  });
  connect(&document.selection(), &SharedSelection::changed, this,
          &RecombinationPage::followSelection);
  connect(&Theme::instance(), &Theme::changed, this, &RecombinationPage::fitColumns);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid()) return;
            const int row = sorted_->mapToSource(current).row();
            document_.selection().select({model_->taskOf(row), model_->recordOf(row)});
          });
  refresh();
}

void RecombinationPage::buildControls() {
  network_ =
      choiceBox(this, {}, tr("Network"), tr("The network that is built and measured as a whole."));
  k_ = numberBox(this, 2, 100, 3, tr("Candidates"),
                 tr("k: how many of each task's fastest programs may take part."));
  samples_ = numberBox(this, 1, 100'000, 80, tr("Samples"),
                       tr("How many random combinations are built and measured end to end."));
  seed_ = numberBox(this, 0, 1'000'000, 1, tr("Seed"),
                    tr("Of the random combinations: the same seed draws the same ones."));
  start_ = textButton(this, tr("Start"), tr("Begin a new recombination with these parameters."));
  goOn_ = textButton(this, tr("Go On"),
                     tr("Pause, or go on where it was left. Pausing drops the sample in "
                        "flight; all others are in the file."));
  stop_ = textButton(this, tr("Stop"),
                     tr("End it with what has been measured; it cannot be gone on with."));
  keep_ = textButton(this, tr("Keep"),
                     tr("Make the combination shown what `nestwright run` builds this "
                        "network from. Keeping it once more goes back to the bests."));
  keep_->setCheckable(true);
  headline_ = new QLabel(this);
  headline_->setWordWrap(true);
  headline_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  tableTitle_ = new QLabel(this);
  tableTitle_->setWordWrap(true);

  auto* bar = new FlowLayout(nullptr, 4);
  bar->setContentsMargins(8, 4, 8, 0);
  bar->addWidget(network_);
  for (QSpinBox* box : {k_, samples_, seed_})
    bar->addWidget(labelled(box));
  bar->addWidget(start_);
  bar->addWidget(goOn_);
  bar->addWidget(stop_);

  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  tableTitle_->setContentsMargins(6, 0, 6, 0);
  column->addWidget(tableTitle_);
  column->addWidget(table_, 1);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(6, 2, 6, 4);
  foot->addWidget(keep_);
  foot->addStretch();
  column->addLayout(foot);
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  splitter->addWidget(plot_);
  splitter->addWidget(side);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  splitter->setChildrenCollapsible(false);
  splitter->setSizes({300, 250});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addLayout(bar);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(10, 0, 10, 0);
  line->addWidget(headline_);
  layout->addLayout(line);
  layout->addWidget(splitter, 1);

  connect(network_, &QComboBox::activated, &control_, &RecombinationControl::showNetwork);
  connect(start_, &QToolButton::clicked, this, [this] {
    RecombinationConfig config;
    config.k = k_->value();
    config.samples = samples_->value();
    config.seed = static_cast<std::uint64_t>(seed_->value());
    // Of the session that is shown; the file may have newer ones for other targets.
    const SessionConfig& session = document_.session().config();
    config.target = session.target, config.device = session.measure.device;
    config.threads = session.measure.threads, config.tf32 = session.tf32;
    pickedByHand_ = false;
    control_.start(config);
  });
  connect(goOn_, &QToolButton::clicked, this, [this] {
    if (control_.recombination().isRunning())
      control_.pause();
    else
      control_.goOn();
  });
  connect(stop_, &QToolButton::clicked, &control_, &RecombinationControl::stop);
  connect(keep_, &QToolButton::clicked, this, [this](bool checked) {
    control_.keep(checked ? std::optional(model_->sample()) : std::nullopt);
  });
}

QString RecombinationPage::headline() const {
  return headline_->text();
}

void RecombinationPage::fillNetworks() {
  const auto& networks = control_.networks();
  bool same = network_->count() == static_cast<int>(networks.size());
  for (int i = 0; same && i < network_->count(); ++i)
    same = network_->itemText(i) == networks[static_cast<std::size_t>(i)].name;
  if (!same) {
    network_->clear();
    for (const RecombinableNetwork& network : networks)
      network_->addItem(network.name);
  }
  network_->setCurrentIndex(control_.network());
  network_->setVisible(networks.size() > 1);
}

void RecombinationPage::refreshControls() {
  fillNetworks();
  const bool busy = control_.recombination().isRunning() || control_.isPending();
  const QString obstacle = control_.obstacle();
  for (QWidget* widget : std::initializer_list<QWidget*>{network_, k_, samples_, seed_})
    enableUnless(widget, busy                     ? tr("A recombination is under way.")
                         : control_.network() < 0 ? obstacle
                                                  : QString());
  enableUnless(start_, control_.whyNotStart());
  start_->setText(control_.recombination().exists() ? tr("Start Anew") : tr("Start"));
  start_->setIcon(Theme::instance().icon(QStringLiteral("start")));
  goOn_->setVisible(busy || (control_.recombination().exists() &&
                             control_.recombination().status != SessionStatus::Finished));
  goOn_->setText(busy ? tr("Pause") : tr("Go On"));
  goOn_->setIcon(Theme::instance().icon(busy ? QStringLiteral("pause") : QStringLiteral("start")));
  stop_->setVisible(goOn_->isVisibleTo(this));
  stop_->setIcon(Theme::instance().icon(QStringLiteral("stop")));
  enableUnless(stop_, control_.canStop() ? QString() : control_.whyNotGoOn());
  enableUnless(goOn_, control_.canPause() ? QString() : control_.whyNotGoOn());
}

void RecombinationPage::refresh() {
  refreshControls();
  const LiveRecombination& live = control_.recombination();
  const RowId one = live.row ? live.row->id : 0;
  if (std::exchange(shown_, one) != one) {
    pickedByHand_ = false;
    if (one != 0) {
      k_->setValue(live.config.k);
      samples_->setValue(live.config.samples);
      seed_->setValue(static_cast<int>(live.config.seed));
    }
  }
  headline_->setText(sentence());
  headline_->setVisible(!headline_->text().isEmpty());
  const RecombinationSummary& summary = live.summary;
  int sample = summary.winner ? *summary.winner : summary.fastest.value_or(-1);
  if (pickedByHand_ && model_->sample() < static_cast<int>(live.samples.size()))
    sample = model_->sample();
  pick(sample);
}

/// The whole state in one or two sentences, with its numbers.
QString RecombinationPage::sentence() const {
  const LiveRecombination& live = control_.recombination();
  if (!live.exists()) return {};
  const RecombinationSummary& s = live.summary;
  QStringList parts;
  if (s.winner)
    parts.append(winnerText());
  else if (live.status == SessionStatus::Finished)
    parts.append(live.state.claims.empty() && s.fastest && s.fastestSeconds < s.baselineSeconds
                     ? tr("Stopped before it was confirmed that the fastest is faster than the "
                          "per-task bests.")
                     : tr("No combination is significantly faster than the per-task bests."));
  else if (s.gain && !live.state.claims.empty() &&
           live.state.claims.back().verdict == ClaimVerdict::Open)
    parts.append(tr("Measuring the fastest in turns with the bests: %1 after %2 pairs.")
                     .arg(fasterText(s.gain->ratio))
                     .arg(live.state.claims.back().pairs.best.size()));
  QString counts = tr("%1 of %2 combinations measured")
                       .arg(countText(s.samples), countText(live.config.samples));
  if (s.failed > 0) counts += tr(", %1 failed").arg(s.failed);
  if (std::isfinite(s.baselineSeconds))
    counts += tr(" · per-task bests %1 ± %2")
                  .arg(timeText(s.baselineSeconds), timeText(2 * s.noiseSeconds));
  if (std::abs(s.drift) > 0.01)
    counts += (s.drift > 0 ? tr(" · the machine got %1 slower on the way")
                           : tr(" · the machine got %1 faster on the way"))
                  .arg(percentText(std::abs(s.drift)));
  parts.append(counts + QLatin1Char('.'));
  if (const QString state = stateText(); !state.isEmpty()) parts.append(state);
  return parts.join(QLatin1Char(' '));
}

/// What it does now, or why it does nothing.
QString RecombinationPage::stateText() const {
  const LiveRecombination& live = control_.recombination();
  const QString phase = qs(live.phase);
  switch (live.status) {
  case SessionStatus::Running:
    return live.samples.empty() || phase.isEmpty() ? QString() : tr("Now: %1").arg(phase);
  case SessionStatus::Paused:
    return tr("Paused; Go On continues with the next one.");
  case SessionStatus::Failed:
    return phase.isEmpty() ? tr("It failed; Go On tries again.") : tr("It failed: %1").arg(phase);
  case SessionStatus::Ready:
  case SessionStatus::Finished:
    break;
  }
  return {};
}

QString RecombinationPage::winnerText() const {
  const RecombinationSummary& s = control_.recombination().summary;
  return tr("Sample %1 is %2 than the per-task bests (95 % confidence: %3 to %4), confirmed in "
            "turns.")
      .arg(*s.winner)
      .arg(fasterText(s.gain->ratio), percentText(1 - 1 / s.gain->low),
           percentText(1 - 1 / s.gain->high));
}

void RecombinationPage::pick(int sample) {
  const bool same = sample == model_->sample() && model_->rowCount() > 0;
  if (!same) {
    model_->show(sample);
    fitColumns();
    followSelection();
  }
  plot_->mark(sample);
  const bool good =
      sample >= 0 &&
      std::isfinite(secondsOf(control_.recombination().samples[static_cast<std::size_t>(sample)]));
  const bool kept = sample >= 0 && control_.recombination().isKept(sample);
  enableUnless(keep_, good ? QString() : tr("This combination failed."));
  keep_->setChecked(kept);
  keep_->setText(kept ? tr("✓ The Network's Choice") : tr("Keep as the Network's Choice"));
  table_->setVisible(sample >= 0);
  keep_->setVisible(sample >= 0);
  tableTitle_->setVisible(sample >= 0);
  if (sample < 0) return;
  const SampleRow& row = control_.recombination().samples[static_cast<std::size_t>(sample)];
  int others = 0;
  for (const int rank : row.choice)
    others += rank > 0;
  const QString name = isBaseline(row) ? tr("Per-task bests")
                       : control_.recombination().summary.winner == sample
                           ? tr("Winner, sample %1").arg(sample)
                           : tr("Sample %1").arg(sample);
  tableTitle_->setText(tr("%1 · %2 · %3 of %4 tasks with another program than their best")
                           .arg(name, timeText(secondsOf(row)))
                           .arg(others)
                           .arg(row.choice.size()));
}

void RecombinationPage::followSelection() {
  const int row = model_->rowOf(document_.selection().current().task);
  const QModelIndex index = row < 0 ? QModelIndex() : sorted_->mapFromSource(model_->index(row, 0));
  const QSignalBlocker quiet(table_->selectionModel());
  if (index.isValid()) {
    table_->setCurrentIndex(index);
    table_->selectRow(index.row());
    table_->scrollTo(index);
  } else {
    table_->clearSelection();
  }
  table_->viewport()->update();
}

void RecombinationPage::fitColumns() {
  table_->resizeColumnsToContents();
}

} // namespace nestwright::ui

#include "moc_recombination_page.cpp"
