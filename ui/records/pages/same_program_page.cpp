#include "ui/records/pages/same_program_page.h"

#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/shown_program.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>

namespace nestwright::ui {
TwinModel::TwinModel(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

void TwinModel::setTwins(std::vector<ProgramTwin> twins, RowId of) {
  beginResetModel();
  rows_ = std::move(twins);
  of_ = of;
  own_ = slowest_ = 0;
  for (const ProgramTwin& twin : rows_) {
    if (!std::isfinite(twin.seconds)) continue;
    slowest_ = std::max(slowest_, twin.seconds);
    if (twin.record == of) own_ = twin.seconds;
  }
  endResetModel();
}

int TwinModel::ownRow() const {
  return firstRow([this](const ProgramTwin& twin) { return twin.record == of_; });
}

double TwinModel::ratio(const ProgramTwin& twin) const {
  return own_ > 0 && std::isfinite(twin.seconds) ? twin.seconds / own_ : 0;
}

TwinModel::Columns TwinModel::columns() const {
  using Twin = ProgramTwin;
  /// Each cell's tool tip begins with its text, which may be cut.
  const auto column = [](TableColumn<Twin> column) {
    column.toolTip = [text = column.text](const Twin& twin) {
      return tr("%1. Double-click selects this record.").arg(text(twin));
    };
    return column;
  };
  return {column({.title = tr("Target"),
                  .tip = tr("The machine that the program was measured on."),
                  .text =
                      [](const Twin& twin) {
                        return twin.targetName.empty() ? noValue() : qs(twin.targetName);
                      }}),
          column({.title = tr("Session"),
                  .tip = tr("The session of this file that measured or imported it."),
                  .text =
                      [](const Twin& twin) {
                        return QStringLiteral("%1 %2").arg(twin.session).arg(qs(twin.sessionTitle));
                      }}),
          column({.title = tr("Record"),
                  .tip = tr("Number of the record in the file."),
                  .text = [](const Twin& twin) { return QString::number(twin.record); },
                  .align = kRight}),
          column({.title = tr("Trial"),
                  .tip = tr("Number of the trial within its session."),
                  .text = [](const Twin& twin) { return countText(twin.trial); },
                  .align = kRight,
                  .bare = [](const Twin& twin) { return QString::number(twin.trial); }}),
          column({.title = tr("Latency"),
                  .tip = tr("Median time of one run; the bar goes to the slowest."),
                  .text =
                      [](const Twin& twin) {
                        return std::isfinite(twin.seconds) ? timeText(twin.seconds) : noValue();
                      },
                  .align = kRight,
                  .bare =
                      [](const Twin& twin) {
                        return std::isfinite(twin.seconds)
                                   ? QString::number(twin.seconds * 1e3, 'g', 9)
                                   : QString();
                      },
                  .bareTitle = tr("Latency, ms"),
                  .fraction =
                      [this](const Twin& twin) {
                        return slowest_ > 0 && std::isfinite(twin.seconds)
                                   ? QVariant(twin.seconds / slowest_)
                                   : QVariant();
                      }}),
          column({.title = tr("Ratio"),
                  .tip = tr("This time divided by the selected record's: above 1× is slower."),
                  .text =
                      [this](const Twin& twin) {
                        return twin.record == of_ ? tr("this one")
                               : ratio(twin) > 0  ? factorText(ratio(twin))
                                                  : noValue();
                      },
                  .align = kRight,
                  .bare =
                      [this](const Twin& twin) {
                        return ratio(twin) > 0 ? QString::number(ratio(twin), 'g', 6) : QString();
                      }}),
          column({.title = tr("Verdict"),
                  .tip = tr("How the measurement ended."),
                  .text =
                      [](const Twin& twin) {
                        QStringList notes{qs(name(twin.verdict))};
                        if (twin.imported) notes.append(tr("imported"));
                        if (twin.forgotten) notes.append(tr("forgotten"));
                        return notes.join(QStringLiteral(", "));
                      },
                  .colour =
                      [](const Twin& twin) {
                        return twin.verdict != Verdict::Ok ? QVariant(colours().failed)
                                                           : QVariant();
                      }})};
}

QVariant TwinModel::rowData(const ProgramTwin& twin, int role) const {
  if (role != Qt::FontRole || twin.record != of_) return {};
  QFont bold;
  bold.setWeight(QFont::DemiBold);
  return bold;
}

SameProgramPage::SameProgramPage(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), table_(new QTableView(this)),
      model_(new TwinModel(this)), note_(new AskingNote(this)) {
  table_->setModel(model_);
  setUpTable(table_);
  table_->setItemDelegate(new CellBarDelegate(table_));
  table_->setAccessibleName(tr("Measurements of the same program"));
  table_->horizontalHeader()->setStretchLastSection(true);
  const auto fit = [this] {
    const char* widest[] = {"platinum-8272 ________",
                            "1 resnet18 (18 tasks)_",
                            "51,577,248_",
                            "51,577,248_",
                            "999.9 ms____",
                            "this one___"};
    for (int i = 0; i < int(std::size(widest)); ++i)
      table_->horizontalHeader()->resizeSection(
          i, table_->fontMetrics().horizontalAdvance(QString::fromUtf8(widest[i])) + 18);
  };
  fit();
  note_->setContentsMargins(8, 6, 8, 4);
  note_->follow(asking_, tr("Reading the task's records"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(note_, 0, Qt::AlignTop);
  layout->addWidget(table_, 1);
  connect(&Theme::instance(), &Theme::changed, this, fit);
  connect(&document.selection(), &SharedSelection::changed, this, &SameProgramPage::read);
  connect(&document.follower(), &SessionFollower::recordsReread, this, [this] {
    shown_ = 0;
    read();
  });
  connect(&document, &Document::stateChanged, this, [this] {
    shown_ = 0;
    read();
  });
  connect(&document.follower(), &SessionFollower::jumped, this, [this] {
    shown_ = 0;
    read();
  });
  connect(note_, &AskingNote::stopped, this, [this] { note_->setText(tr("Stopped.")); });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
    const ProgramTwin& twin = model_->twins().at(std::size_t(at.row()));
    document_.selection().select({twin.task, twin.record});
  });
}

void SameProgramPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) read();
}

void SameProgramPage::read() {
  stale_ = true;
  const bool ready = document_.state() == DocumentState::Ready;
  RowId record = document_.selection().current().record;
  if (const TaskEntry* task = document_.session().task(document_.selection().current().task);
      record == 0 && task)
    record = task->summary.bestRecord; // as all views understand it
  if (!ready || record == 0) {
    ready ? asking_.cancel() : asking_.leave();
    model_->setTwins({}, 0);
    shown_ = 0;
    note_->setText(ready ? tr("Select a record to see all measurements of its program.")
                         : QString());
    return;
  }
  if (!isVisible()) return;
  stale_ = false;
  if (isLater(document_, record)) {
    asking_.cancel();
    model_->setTwins({}, 0);
    shown_ = 0;
    return note_->setText(laterTitle(record) + QStringLiteral(". ") + laterText());
  }
  if (record == shown_) return;
  shown_ = record;
  note_->setText(tr("Reading …"));
  asking_.askOf<std::vector<ProgramTwin>>(
      document_.file().path(), [record](RecordSurvey& survey) { return survey.twins(record); },
      [this](std::vector<ProgramTwin> twins) { take(std::move(twins)); },
      [this](const QString& why) {
        model_->setTwins({}, 0);
        note_->setText(why);
      });
}

void SameProgramPage::take(std::vector<ProgramTwin> twins) {
  std::erase_if(twins, [this](const ProgramTwin& twin) { return isLater(document_, twin.record); });
  if (const auto marks = document_.replayMode().otherMarks())
    for (ProgramTwin& twin : twins)
      if (std::ranges::binary_search(marks->forgotten, twin.record))
        twin.forgotten = !twin.forgotten;
  std::set<RowId> targets, sessions;
  for (const ProgramTwin& twin : twins) {
    targets.insert(twin.target);
    sessions.insert(twin.session);
  }
  const auto count = std::int64_t(twins.size());
  note_->setText(count == 1 ? tr("Record %1: its program was measured once.").arg(shown_)
                            : tr("Record %1: its program was measured %2 times, on %3 in %4.")
                                  .arg(shown_)
                                  .arg(countText(count),
                                       countedText(std::int64_t(targets.size()), tr("one target"),
                                                   tr("%1 targets")),
                                       countedText(std::int64_t(sessions.size()), tr("one session"),
                                                   tr("%1 sessions"))));
  model_->setTwins(std::move(twins), shown_);
  table_->setVisible(count > 1);
  if (model_->ownRow() >= 0) table_->selectRow(model_->ownRow());
}

Exports SameProgramPage::exports() const {
  Exports result;
  result.name = QStringLiteral("same-program");
  result.title = tr("Measurements of the program of record %1").arg(shown_);
  result.table = tableOf(table_);
  result.clip = result.table;
  return result;
}

} // namespace nestwright::ui

#include "moc_same_program_page.cpp"
