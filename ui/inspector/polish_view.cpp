#include "ui/inspector/polish_view.h"

#include "core/search/decisions/polish.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/star_model.h"
#include "ui/inspector/star_plot.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/flow_splitter.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <iterator>

namespace nestwright::ui {
namespace {

constexpr int kAgainMilliseconds = 2000;
/// So wide it has the table beside the star.
constexpr int kTableBeside = 600;

/// Every neighbour with its gain.
ExportTable neighbourTable(const PolishStar& star) {
  std::vector<QStringList> rows;
  for (const StarRay& ray : star.rays)
    for (const StarNeighbour& neighbour : ray.neighbours)
      rows.push_back(
          {QString::number(neighbour.record), qs(ray.decision), qs(neighbour.change),
           neighbour.failed() ? PolishView::tr("failed") : QString::number(neighbour.gain, 'g', 6),
           neighbour.taken ? PolishView::tr("yes") : PolishView::tr("no")});
  return tableOfRows({PolishView::tr("Record"), PolishView::tr("Decision"),
                      PolishView::tr("Change"), PolishView::tr("Gain (share)"),
                      PolishView::tr("Took its parent's place")},
                     std::move(rows), 0);
}

} // namespace

PolishView::PolishView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), note_(sentenceLabel(this)),
      around_(
          narrowChoiceBox(this, tr("Around"),
                          tr("Which program is in the middle: every one that was polished, each "
                             "neighbour beside its own parent, or one of them."))),
      plot_(new StarPlot(this)), model_(new StarModel(this)), table_(new QTableView(this)),
      reading_(this) {
  note_->setMinimumWidth(1);
  note_->setAccessibleName(tr("What the star shows"));
  table_->setModel(model_);
  table_->setObjectName(QStringLiteral("polishedDecisions"));
  table_->setAccessibleName(tr("Decisions and how much they matter"));
  setUpTable(table_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  new ElasticColumn(table_, StarModel::Decision, QStringLiteral("tiles of ff_c of"),
                    StarModel::BestGain);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 6, 8, 2);
  head->addWidget(note_, 1);
  head->addWidget(around_, 0, Qt::AlignTop);
  auto* parts = new FlowSplitter(kTableBeside, this);
  parts->addWidget(plot_);
  parts->addWidget(table_);
  parts->setChildrenCollapsible(false);
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 2);
  parts->setSizes({580, 420});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(parts, 1);

  again_.setSingleShot(true);
  again_.setInterval(kAgainMilliseconds);
  connect(&again_, &QTimer::timeout, this, &PolishView::read);
  connect(around_, &QComboBox::activated, this, [this](int index) {
    centre_ = around_->itemData(index).toString().toStdString();
    read();
  });
  connect(plot_, &StarPlot::picked, this, [this](RowId record) {
    document_.selection().select({task_, record});
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) {
            if (!row.isValid()) return;
            decision_ = model_->row(row.row()).decision;
            showStar();
          });
  connect(&document, &Document::stateChanged, this, &PolishView::followDocument);
  connect(&document.selection(), &SharedSelection::changed, this, &PolishView::followSelection);
  for (const auto signal : {&SessionFollower::recordsAdded, &SessionFollower::recordsReread})
    connect(&document.follower(), signal, this, [this] {
      if (isVisible() && !again_.isActive()) again_.start();
    });
  followDocument();
}

void PolishView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  followSelection();
  read();
}

QString PolishView::note() const {
  return note_->text();
}

void PolishView::followDocument() {
  if (document_.state() != DocumentState::Ready) {
    reading_.leave();
    again_.stop();
    task_ = 0;
    take({});
  }
  followSelection();
}

void PolishView::followSelection() {
  if (document_.state() != DocumentState::Ready) return;
  const RowId task = document_.selection().current().task;
  if (task == task_) return showStar();
  task_ = task;
  centre_.clear();
  decision_.clear();
  take({});
  read();
}

void PolishView::read() {
  if (!isVisible() || task_ == 0 || document_.state() != DocumentState::Ready) return;
  reading_.ask<PolishStar>([file = document_.file().path(), task = task_, around = centre_,
                            store = reading_.connection()](
                               const Job&) { return polishStar(store->at(file), task, around); },
                           [this](PolishStar star) { take(std::move(star)); },
                           [this](const QString& why) {
                             star_ = {};
                             showStar(why);
                           });
}

void PolishView::take(PolishStar star) {
  star_ = std::move(star);
  const QSignalBlocker quiet(around_);
  around_->clear();
  around_->addItem(tr("Every polished program"), QString());
  for (const StarCentre& centre : star_.centres)
    around_->addItem(tr("Trial %1 · %2 · %3")
                         .arg(countText(centre.trial), timeText(centre.seconds),
                              countedText(std::int64_t(centre.neighbours), tr("1 neighbour"),
                                          tr("%1 neighbours"))),
                     qs(centre.program));
  around_->setCurrentIndex(star_.isOfAll() ? 0 : int(star_.centre) + 1);
  around_->setVisible(star_.centres.size() > 1);
  {
    const QSignalBlocker quietToo(table_->selectionModel());
    model_->show(star_);
    if (const int row =
            model_->firstRow([this](const StarRay& ray) { return ray.decision == decision_; });
        row >= 0)
      table_->selectRow(row);
  }
  for (int column = StarModel::Importance; column < StarModel::ColumnCount; ++column)
    table_->resizeColumnToContents(column);
  showStar();
}

void PolishView::showStar(const QString& problem) {
  QString message = problem;
  if (message.isEmpty() && star_.rays.empty())
    message =
        document_.state() != DocumentState::Ready || task_ == 0
            ? tr("Select a task to see what a polish found out about its decisions.")
            : tr("No program of this task was polished yet. Polish … in the panel Program, or "
                 "nestwright polish, tries every other choice for each of its decisions.");
  note_->setText(message.isEmpty() ? polishSentence(star_) : QString());
  note_->setHidden(note_->text().isEmpty());
  plot_->show({star_, document_.selection().current().record, decision_, message});
  table_->setVisible(message.isEmpty());
}

QString polishSentence(const PolishStar& star) {
  std::int64_t decisions = 0, ofOne = 0, ofTwo = 0, ofSketches = 0;
  for (const StarRay& ray : star.rays) {
    const bool isOfOne = isOneDecision(ray.decision);
    decisions += isOfOne ? 1 : 0;
    std::int64_t& kind = isOfOne ? ofOne : ray.decision == kTwoDecisions ? ofTwo : ofSketches;
    kind += std::ssize(ray.neighbours);
  }
  QStringList others;
  if (ofTwo > 0) others << PolishView::tr("%1 with two changed").arg(countText(ofTwo));
  if (ofSketches > 0) others << PolishView::tr("%1 of other sketches").arg(countText(ofSketches));
  if (decisions == 0)
    return PolishView::tr("Neighbours: %1. What they gained says nothing of a single decision.")
        .arg(others.join(QStringLiteral(", ")));
  const StarRay& first = star.rays.front();
  QString text =
      PolishView::tr("%1 in %2%3. What matters most is %4: another choice changes the time %5 on "
                     "average.")
          .arg(countedText(ofOne, PolishView::tr("1 neighbour"), PolishView::tr("%1 neighbours")),
               countedText(decisions, PolishView::tr("1 decision"), PolishView::tr("%1 decisions")),
               others.empty() ? QString()
                              : PolishView::tr(", and %1").arg(others.join(QStringLiteral(", "))),
               qs(first.decision), starFactor(first.importance));
  if (star.rays.size() > StarPlot::kMostRays)
    text += PolishView::tr(" The star has the %1 most important ones, the table all.")
                .arg(StarPlot::kMostRays);
  return text;
}

Exports PolishView::exports() {
  Exports exports = seenOf(this);
  exports.name = QStringLiteral("polish");
  exports.title = tr("Decisions by polish");
  exports.text = note();
  exports.tableName = tr("Decisions and how much they matter");
  exports.table = tableOf(table_);
  exports.more = {{tr("Neighbours"), neighbourTable(star_)}};
  if (plot_->isVisibleTo(this)) plot_->exportPicture(exports);
  return exports;
}

} // namespace nestwright::ui

#include "moc_polish_view.cpp"
