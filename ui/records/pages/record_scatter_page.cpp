#include "ui/records/pages/record_scatter_page.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/note_book.h"
#include "ui/document/program_drag.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/drag_label.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <cmath>

namespace nestwright::ui {
RecordScatterPage::RecordScatterPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document),
      x_(chooser(kPlaces, tr("Horizontal axis"), tr("What stands on the horizontal axis."))),
      y_(chooser(kPlaces, tr("Vertical axis"), tr("What stands on the vertical axis."))),
      colour_(chooser(kPointFacts, tr("Colour"), tr("What the colour of a point tells."))),
      plot_(new ScatterPlot(this)), note_(new AskingNote(this)) {
  plot_->setToolTip(tr("Drag to keep only the records of a range; along one axis for that axis "
                       "alone. Double-click takes the ranges back. Click selects a record, the "
                       "wheel zooms, Home shows all."));
  auto* choosers = new QWidget(this);
  auto* line = new FlowLayout(choosers, 8);
  line->setContentsMargins(8, 4, 8, 2);
  const auto add = [&](const QString& text, QComboBox* box) {
    auto* pair = new QWidget(choosers); // stay together where the line breaks
    auto* row = new QHBoxLayout(pair);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    auto* label = new QLabel(text, pair);
    label->setBuddy(box);
    row->addWidget(label);
    row->addWidget(box);
    line->addWidget(pair);
  };
  add(tr("&x"), x_);
  add(tr("&y"), y_);
  add(tr("&colour"), colour_);
  note_->setContentsMargins(8, 0, 8, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(choosers);
  layout->addWidget(note_);
  layout->addWidget(plot_, 1);
  setFacts(PointFact::Trial, PointFact::Latency, PointFact::Task);
  note_->follow(asking_, tr("Reading records"));
  grown_.setSingleShot(true);
  grown_.setInterval(kDrawAgainMilliseconds);
  connect(&grown_, &QTimer::timeout, this, &RecordScatterPage::read);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (!grown_.isActive()) grown_.start();
  });
  for (const auto signal : {&SessionFollower::recordsReread, &SessionFollower::jumped})
    connect(&document.follower(), signal, this, &RecordScatterPage::read);
  connect(&document, &Document::stateChanged, this, &RecordScatterPage::read);
  connect(note_, &AskingNote::stopped, this,
          [this] { note_->setText(tr("Stopped: the points are of the filter before.")); });
  for (QComboBox* box : {x_, y_, colour_})
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      plot_->setFacts(x(), y(), colour());
      if (!asking_.isBusy()) describe();
    });
  connect(&document.notes(), &NoteBook::changed, plot_,
          [this] { plot_->setNotes(document_.notes().all()); });
  connect(plot_, &ScatterPlot::brushed, this, &RecordScatterPage::brush);
  connect(plot_, &ScatterPlot::cleared, this, &RecordScatterPage::clear);
  connect(plot_, &ScatterPlot::dragged, this, [this] {
    std::vector<ProgramRef> programs;
    for (const RecordPoint* point : plot_->ringedPoints())
      if (std::ssize(programs) < kMostDragged)
        programs.push_back({document_.file().path(), point->task, point->record, false, {}});
    dragPrograms(plot_, programs);
  });
  connect(plot_, &ScatterPlot::picked, this, [this](RowId task, RowId record) {
    document_.selection().select({task, record});
  });
}

QComboBox* RecordScatterPage::chooser(int facts, const QString& name, const QString& tip) {
  auto* box = new QComboBox(this);
  box->setAccessibleName(name);
  box->setToolTip(tip);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(11);
  for (int i = 0; i < facts; ++i)
    box->addItem(title(PointFact(i)), i);
  return box;
}

PointFact RecordScatterPage::x() const {
  return PointFact(x_->currentData().toInt());
}
PointFact RecordScatterPage::y() const {
  return PointFact(y_->currentData().toInt());
}
PointFact RecordScatterPage::colour() const {
  return PointFact(colour_->currentData().toInt());
}

void RecordScatterPage::setFacts(PointFact x, PointFact y, PointFact colour) {
  x_->setCurrentIndex(int(x));
  y_->setCurrentIndex(int(y));
  colour_->setCurrentIndex(int(colour));
  plot_->setFacts(x, y, colour);
}

void RecordScatterPage::setListing(const RecordListing& listing) {
  if (sameRecords(listing, listing_)) return;
  listing_ = listing;
  read();
}

void RecordScatterPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) read();
}

void RecordScatterPage::read() {
  stale_ = true;
  const bool ready = document_.state() == DocumentState::Ready;
  if (!ready) {
    asking_.leave();
    plot_->showMessage({});
  }
  if (!ready || !isVisible()) return;
  stale_ = false;
  note_->setText(tr("Reading …"));
  asking_.askOf<RecordSample>(
      document_.file().path(),
      [query = queryOf(document_, listing_)](RecordSurvey& survey) {
        return survey.sample(query, kMostPoints);
      },
      [this](RecordSample sample) {
        plot_->show(std::move(sample));
        describe();
      },
      [this](const QString& why) { note_->setText(why); });
}

void RecordScatterPage::describe() {
  const RecordSample& sample = plot_->sample();
  const auto points = std::int64_t(sample.points.size());
  QString text =
      points < sample.matching
          ? tr("%1 of %2 records, chosen evenly").arg(countText(points), countText(sample.matching))
          : tr("%1 records").arg(countText(points));
  if (const std::int64_t left = points - plot_->drawn(); left > 0)
    text += tr("; %1 of them lack one of the numbers").arg(countText(left));
  note_->setText(text);
}

void RecordScatterPage::brush(double xLow, double xHigh, double yLow, double yHigh) {
  RecordFilter filter = listing_.filter;
  const auto keep = [&](PointFact fact, double low, double high) {
    if (!std::isfinite(low) && !std::isfinite(high)) return;
    const FilterCondition range = conditionOf(fact, low, high);
    std::erase_if(filter.conditions, [&](const FilterCondition& known) {
      return known.field == range.field && !known.negated;
    });
    filter.conditions.push_back(range);
  };
  keep(x(), xLow, xHigh);
  if (y() != x()) keep(y(), yLow, yHigh);
  Q_EMIT filterEdited(filter);
}

void RecordScatterPage::clear() {
  RecordFilter filter = listing_.filter;
  for (const PointFact fact : {x(), y()})
    std::erase_if(filter.conditions, [&](const FilterCondition& known) {
      return known.field == conditionOf(fact, 0, 1).field && !known.negated;
    });
  Q_EMIT filterEdited(filter);
}

Exports RecordScatterPage::exports() const {
  Exports result;
  result.name = QStringLiteral("records-scatter");
  result.title = tr("%1 against %2").arg(title(y()), title(x()));
  result.size = plot_->size().expandedTo(plot_->isVisible() ? QSize(1, 1) : QSize(900, 600));
  result.draw = [plot = plot_, size = result.size](QPainter& painter) {
    drawPlot(*plot, painter, size);
  };
  ExportTable table;
  table.headers = {tr("Record"), tr("Task"), tr("Session"), tr("Error")};
  for (int i = 0; i < kPlaces - 1; ++i)
    table.headers.append(title(PointFact(i)));
  table.rows = [sample = plot_->sample()](const std::function<bool(const QStringList&)>& row) {
    for (const RecordPoint& point : sample.points) {
      QStringList cells{QString::number(point.record), taskTitle(sample.tasks.at(point.task)),
                        QString::number(point.session), qs(nestwright::name(point.verdict))};
      for (int i = 0; i < kPlaces - 1; ++i) {
        const double value = valueOf(point, PointFact(i));
        cells.append(std::isfinite(value) ? QString::number(value, 'g', 9) : QString());
      }
      if (!row(cells)) return;
    }
  };
  table.recordColumn = 0;
  result.table = table;
  result.clip = table;
  return result;
}

} // namespace nestwright::ui

#include "moc_record_scatter_page.cpp"
