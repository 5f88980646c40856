#include "ui/compare/compare_view.h"

#include "core/record/store/session_rows.h"
#include "ui/compare/session_compare_model.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/session_follower.h"
#include "ui/document/settings.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/comparison_side.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/side_badge.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/sorted_rows.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kRefreshMilliseconds = 3000;
/// The last entry of a box: not a session but a command. A path stands for the newest session of
/// that file.
constexpr int kOtherFile = -2;

std::vector<SessionChoice> choicesOf(const QString& file, const std::vector<SessionRow>& sessions,
                                     bool named) {
  std::vector<SessionChoice> choices;
  for (const SessionRow& row : sessions) {
    QString title = CompareView::tr("Session %1 · %2 · %3")
                        .arg(row.id)
                        .arg(qs(row.title), momentText(row.createdAt));
    QString name = CompareView::tr("session %1").arg(row.id);
    if (named) {
      title += QStringLiteral(" · %1").arg(QFileInfo(file).fileName());
      name += CompareView::tr(" of %1").arg(QFileInfo(file).completeBaseName());
    }
    choices.push_back({file, row.id, title, name});
  }
  return choices;
}

/// The session in view and the one before it, or else the one after it; the earlier one first.
std::pair<RowId, RowId> neighbours(const std::vector<SessionRow>& sessions, RowId inView) {
  const auto shown = std::ranges::find(sessions, inView, &SessionRow::id);
  if (shown == sessions.end()) return {};
  const SessionRow *before = nullptr, *after = nullptr;
  for (const SessionRow& row : sessions) {
    if (row.id == inView) continue;
    const bool earlier = std::tie(row.createdAt, row.id) < std::tie(shown->createdAt, shown->id);
    if (earlier && (!before || row.createdAt >= before->createdAt)) before = &row;
    if (!earlier && (!after || row.createdAt < after->createdAt)) after = &row;
  }
  if (before) return {before->id, inView};
  return after ? std::pair(inView, after->id) : std::pair(RowId(0), inView);
}

/// Is it faster, by how much, and is it noise: in one sentence.
QString answer(const LatencyComparison& total) {
  const auto factor = [](double value) { return QString::number(value, 'f', 2) + QChar(0xd7); };
  const QString times =
      CompareView::tr("A %1 → B %2").arg(timeText(total.left), timeText(total.right));
  switch (total.verdict) {
  case LatencyVerdict::RightFaster:
    return CompareView::tr("▲ B is %1 faster: %2. Not noise: with 95 % certainty %3 to %4.")
        .arg(factor(total.ratio), times, factor(total.low), factor(total.high));
  case LatencyVerdict::LeftFaster:
    return CompareView::tr("▼ B is %1 slower: %2. Not noise: with 95 % certainty %3 to %4.")
        .arg(factor(1 / total.ratio), times, factor(1 / total.high), factor(1 / total.low));
  case LatencyVerdict::NotSignificant:
    return CompareView::tr("≈ B is neither faster nor slower beyond noise: %1. With 95 % certainty "
                           "it is %2 to %3 as fast.")
        .arg(times, factor(total.low), factor(total.high));
  case LatencyVerdict::Unknown:
    break;
  }
  return CompareView::tr("Not every task was measured on both sides.");
}

} // namespace

CompareView::CompareView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document), leftBox_(new QComboBox(this)),
      rightBox_(new QComboBox(this)), total_(new QLabel(this)), note_(new QLabel(this)),
      model_(new SessionCompareModel(this)), rows_(new SortedRows(this)),
      table_(new QTableView(this)) {
  auto* grid = new QGridLayout;
  grid->setContentsMargins(10, 6, 8, 2);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(3);
  for (const auto& [box, side, row] :
       {std::tuple(leftBox_, Side::A, 0), std::tuple(rightBox_, Side::B, 1)}) {
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    box->setMinimumContentsLength(12);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setAccessibleName(tr("Session %1").arg(letterOf(side)));
    box->setToolTip(tr("Session %1 of the comparison: one of this document, or of another file.")
                        .arg(letterOf(side)));
    grid->addWidget(new SideBadge(side, this), row, 0);
    grid->addWidget(box, row, 1);
  }
  total_->setContentsMargins(10, 4, 10, 2);
  note_->setContentsMargins(10, 0, 10, 4);
  for (QLabel* label : {total_, note_}) {
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
  }
  total_->setAccessibleName(tr("Weighted total of both sessions"));
  total_->setToolTip(
      tr("The sum over the tasks that both sessions measured of latency times weight: "
         "the network's latency as far as it is tuned. The interval is of the ratio "
         "of the two sums."));
  buildTable();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(grid);
  layout->addWidget(total_);
  layout->addWidget(note_);
  layout->addWidget(table_, 1);
  again_.setSingleShot(true);
  again_.setInterval(kRefreshMilliseconds);
  connect(&again_, &QTimer::timeout, this, &CompareView::compare);
  connect(leftBox_, &QComboBox::activated, this, [this](int index) { chosen(index, true); });
  connect(rightBox_, &QComboBox::activated, this, [this](int index) { chosen(index, false); });
  connect(&document, &Document::stateChanged, this, &CompareView::followDocument);
  connect(&document.follower(), &SessionFollower::recordsAdded, this, [this] {
    if (isVisible() && !again_.isActive()) again_.start();
  });
  connect(&Theme::instance(), &Theme::changed, this, &CompareView::restyle);
  restyle();
  followDocument();
}

CompareView::~CompareView() = default;

void CompareView::buildTable() {
  rows_->setSourceModel(model_);
  table_->setModel(rows_);
  table_->setObjectName(QStringLiteral("sessionComparison"));
  table_->setAccessibleName(tr("Tasks of both sessions"));
  setUpTable(table_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(SessionCompareModel::Gain, Qt::DescendingOrder);
  // The answers come first, where a narrow panel shows them.
  QHeaderView* header = table_->horizontalHeader();
  for (int place = 1; const int column : {SessionCompareModel::Verdict, SessionCompareModel::Gain,
                                          SessionCompareModel::Ratio})
    header->moveSection(header->visualIndex(column), place++);
  new ElasticColumn(table_, SessionCompareModel::Task, QStringLiteral("Conv 3x3 512→512 on 7x7"));
  connect(table_, &QTableView::clicked, this,
          [this](const QModelIndex& index) { openRow(index.row()); });
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& index) { openRow(index.row()); });
}

void CompareView::restyle() {
  QFont bold = QApplication::font();
  bold.setBold(true);
  total_->setFont(bold);
  note_->setFont(smallFont());
  setTextColour(note_, colours().dim);
  QHeaderView* header = table_->horizontalHeader();
  const auto wide = [&](const char* widest) {
    return table_->fontMetrics().horizontalAdvance(QString::fromUtf8(widest)) + 18;
  };
  for (const int column : {SessionCompareModel::LatencyA, SessionCompareModel::LatencyB})
    header->resizeSection(column, wide("412.3 µs ?"));
  header->resizeSection(SessionCompareModel::Ratio, wide("10.24×"));
  header->resizeSection(SessionCompareModel::Interval, wide("0.97× … 1.04×"));
  header->resizeSection(SessionCompareModel::Verdict, wide("≈ not significant"));
  header->resizeSection(SessionCompareModel::Gain, wide("−412.3 µs"));
}

// --- what is compared

void CompareView::followDocument() {
  if (document_.state() != DocumentState::Ready) reading_.leave();
  if (document_.state() == DocumentState::Loading) return;
  if (document_.state() != DocumentState::Ready) {
    choices_.clear();
    own_.clear();
    left_ = right_ = {};
    fillBoxes();
    return showNothing(tr("Open a document to compare two of its sessions."));
  }
  const QString path = document_.file().path(), former = std::exchange(own_, path);
  // Without its name the former document's sessions would pass for those of this one.
  std::erase_if(choices_, [&](const SessionChoice& choice) {
    return choice.file == path || choice.file == former;
  });
  std::vector<SessionChoice> own = choicesOf(path, document_.session().contents().sessions, false);
  choices_.insert(choices_.begin(), own.begin(), own.end());
  const auto known = [&](const SessionChoice& choice) {
    return std::ranges::any_of(choices_, [&](const SessionChoice& other) {
      return other.file == choice.file && other.session == choice.session;
    });
  };
  const bool isOver = former != path && (left_.file == former || right_.file == former);
  if (isOver || !known(right_) || right_.file == path) {
    right_ = left_ = {};
    const auto [earlier, later] =
        neighbours(document_.session().contents().sessions, document_.session().row().id);
    for (const SessionChoice& choice : own) {
      if (choice.session == earlier) left_ = choice;
      if (choice.session == later) right_ = choice;
    }
  }
  fillBoxes();
  compare();
}

void CompareView::fillBoxes() {
  for (const auto& [box, present] : {std::pair(leftBox_, &left_), std::pair(rightBox_, &right_)}) {
    const QSignalBlocker quiet(box);
    box->clear();
    enableUnless(box, document_.whyNotReady());
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      box->addItem(choices_[i].title, int(i));
      if (choices_[i].file == present->file && choices_[i].session == present->session)
        box->setCurrentIndex(box->count() - 1);
    }
    if (!present->session) box->setCurrentIndex(-1);
    box->setPlaceholderText(tr("Choose a session"));
    for (const QString& path : Settings::recentFiles())
      if (std::ranges::find(choices_, path, &SessionChoice::file) == choices_.end())
        box->addItem(tr("Newest of %1").arg(QFileInfo(path).fileName()), path);
    box->addItem(tr("Session of another file …"), kOtherFile);
  }
}

void CompareView::chosen(int index, bool left) {
  QComboBox* box = left ? leftBox_ : rightBox_;
  const QVariant entry = box->itemData(index);
  if (entry.userType() == QMetaType::QString) {
    fillBoxes();
    return addFile(entry.toString(), left);
  }
  const int choice = entry.toInt();
  if (choice == kOtherFile) {
    fillBoxes();
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Compare with a Session of"), Settings::folder(),
                                     tr("Nestwright documents (*.nwdb);;All files (*)"));
    if (!file.isEmpty()) addFile(file, left);
    return;
  }
  (left ? left_ : right_) = choices_[static_cast<std::size_t>(choice)];
  compare();
}

void CompareView::addFile(const QString& path, bool left) {
  const QString file = QFileInfo(path).absoluteFilePath();
  listing_.ask<std::vector<SessionRow>>(
      [file](const Job&) {
        return RecordStore::open(file.toStdString(), OpenMode::ReadOnly).sessions().all();
      },
      [this, file, left](std::vector<SessionRow> sessions) {
        if (sessions.empty()) return showNothing(tr("%1 holds no session.").arg(file));
        if (file != document_.file().path()) {
          std::erase_if(choices_, [&](const SessionChoice& c) { return c.file == file; });
          for (const SessionChoice& choice : choicesOf(file, sessions, true))
            choices_.push_back(choice);
        }
        for (const SessionChoice& choice : choices_)
          if (choice.file == file && choice.session == sessions.back().id)
            (left ? left_ : right_) = choice;
        fillBoxes();
        compare();
      },
      [this](const QString& why) { showNothing(why); });
}

void CompareView::choose(const SessionChoice& left, const SessionChoice& right) {
  left_ = left;
  right_ = right;
  fillBoxes();
  compare();
}

void CompareView::compare() {
  if (!left_.session || !right_.session) {
    reading_.cancel();
    return showNothing(
        document_.state() == DocumentState::Ready
            ? tr("This document has one session. Tune once more, or choose a session "
                 "of another file to compare it with.")
            : QString());
  }
  reading_.ask<SessionComparison>(
      [left = left_, right = right_, leftStore = reading_.connection(0),
       rightStore = reading_.connection(1)](const Job&) {
        return compareSessions({&leftStore->at(left.file), left.session},
                               {&rightStore->at(right.file), right.session});
      },
      [this](SessionComparison comparison) { show(std::move(comparison)); },
      [this](const QString& why) { showNothing(why); });
}

// --- what is shown

void CompareView::show(SessionComparison comparison) {
  model_->setComparison(std::move(comparison));
  const SessionComparison& result = model_->comparison();
  if (result.compared == 0) {
    total_->setText(tr("The sessions have no task in common that both measured."));
  } else {
    total_->setText(answer(result.total));
  }
  QStringList notes;
  const int all = static_cast<int>(result.tasks.size());
  notes << tr("weighted total over %1 of %2 tasks").arg(result.compared).arg(all);
  if (!result.sameMachine)
    notes << tr("measured for different targets, so differences may be the machines': A %1, B %2")
                 .arg(qs(result.leftTarget), qs(result.rightTarget));
  note_->setText(notes.join(QStringLiteral(" · ")));
  table_->show();
}

void CompareView::showNothing(const QString& why) {
  model_->setComparison({});
  total_->setText({});
  note_->setText(why);
}

QString CompareView::total() const {
  return total_->text();
}

QString CompareView::note() const {
  return note_->text();
}

void CompareView::openRow(int row) {
  const QModelIndex index = rows_->index(row, 0);
  if (!index.isValid()) return;
  const TaskComparison& task =
      model_->comparison().tasks[static_cast<std::size_t>(index.data(ItemRole).toInt())];
  // The other views follow, as far as the task is one of the document's.
  const bool rightIsHere = right_.file == document_.file().path();
  const RowId here = rightIsHere ? task.right.task : task.left.task;
  if ((rightIsHere || left_.file == document_.file().path()) && document_.session().task(here) &&
      document_.selection().current().task != here)
    document_.selection().selectTask(here);
  const auto refOf = [](const SessionChoice& session, const SessionBest& best) {
    ProgramRef program;
    program.file = session.file, program.task = best.task, program.record = best.record;
    if (best.record)
      program.alias = CompareView::tr("%1, trial %2").arg(session.name).arg(best.trial);
    return program;
  };
  document_.selection().compare({refOf(left_, task.left), refOf(right_, task.right)});
}

} // namespace nestwright::ui

#include "moc_compare_view.cpp"
