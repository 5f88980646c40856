#include "ui/inspector/generations_view.h"

#include "core/plugin/plugin.h"
#include "core/record/store/evolution_rows.h"
#include "core/record/store/record_rows.h"
#include "ui/document/document.h"
#include "ui/document/reading/reader.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/document/session_follower.h"
#include "ui/document/shared_selection.h"
#include "ui/document/shown_program.h"
#include "ui/document/words/program_words.h"
#include "ui/inspector/generation_plot.h"
#include "ui/kit/flow_layout.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/program/family_model.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSlider>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QTreeView>

#include <cmath>

namespace nestwright::ui {
namespace {

/// Every place in every generation of the round.
ExportTable placesTable(const EvolvedRoundData& round) {
  const QStringList headers{
      tr("generation"), tr("rank"),    tr("program"), tr("predicted score"), tr("operation"),
      tr("parents"),    tr("born in"), tr("picked"),  tr("record"),          tr("latency, ms")};
  std::vector<QStringList> rows;
  for (std::size_t g = 0; g < round.row.generations.size(); ++g)
    for (const EvolvedPlace& place : round.row.generations[g].places) {
      const auto at = std::size_t(place.program);
      const EvolvedProgram& program = round.row.programs[at];
      const MeasuredTime& time = round.measured[at];
      QStringList parents;
      for (const std::string& parent : program.parents)
        parents.append(shortName(parent));
      rows.push_back(
          {QString::number(g), QString::number(place.rank + 1), shortName(program.program),
           std::isfinite(program.score) ? QString::number(program.score, 'g', 8) : QString(),
           qs(program.operation), parents.join(QLatin1Char(' ')), QString::number(program.born),
           program.selected ? tr("yes") : tr("no"),
           time.record ? QString::number(time.record) : QString(),
           time.record && std::isfinite(time.seconds) ? QString::number(time.seconds * 1e3, 'g', 8)
                                                      : QString()});
    }
  constexpr int kRecord = 8;
  return tableOfRows(headers, std::move(rows), kRecord);
}

} // namespace

GenerationsView::GenerationsView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
  plot_ = new GenerationPlot(this);
  auto* parts = new QSplitter(Qt::Horizontal, this);
  parts->addWidget(plot_);
  parts->addWidget(makeDetails());
  parts->setStretchFactor(0, 1);
  parts->setStretchFactor(1, 1);
  parts->setSizes({1000, 1000});
  auto* content = new QWidget(this);
  auto* rows = new QVBoxLayout(content);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(makeControls());
  rows->addWidget(parts, 1);
  nothing_ = new QLabel(this);
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setWordWrap(true);
  nothing_->setMargin(24);
  nothing_->setMinimumWidth(1);
  pages_ = new QStackedWidget(this);
  pages_->addWidget(nothing_);
  pages_->addWidget(content);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pages_);

  connect(plot_, &GenerationPlot::picked, this, &GenerationsView::choose);
  connect(&document, &Document::stateChanged, this, &GenerationsView::reload);
  connect(&document.follower(), &SessionFollower::jumped, this, &GenerationsView::reload);
  connect(&document.follower(), &SessionFollower::roundChanged, this, &GenerationsView::reload);
  connect(&document.selection(), &SharedSelection::changed, this, [this] {
    if (document_.selection().current().task != task_) return reload();
    followRecord();
  });
  reload();
}

QWidget* GenerationsView::makeControls() {
  auto* bar = new QWidget(this);
  auto* row = new FlowLayout(bar, 6);
  row->setContentsMargins(6, 3, 6, 3);
  const auto slider = [&](const QString& name, const QString& tip) {
    auto* slider = new QSlider(Qt::Horizontal, bar);
    slider->setPageStep(1);
    slider->setAccessibleName(name);
    slider->setToolTip(tip);
    slider->setMinimumWidth(60);
    return slider;
  };
  roundLabel_ = new QLabel(bar);
  roundSlider_ = slider(tr("Round"), tr("Rounds of the selected task in which programs were bred "
                                        "from programs."));
  generationLabel_ = new QLabel(bar);
  generationSlider_ = slider(tr("Generation"),
                             tr("Generation 0 is the initial population: programs drawn at random "
                                "and the fastest measured ones. Each later one is bred from the "
                                "one before."));
  generationSlider_->setRange(0, 0); // until a round is read; then its last one
  layouts_ = new QComboBox(bar);
  layouts_->addItem(tr("One generation"));
  layouts_->addItem(tr("Side by side"));
  layouts_->setAccessibleName(tr("Layout of the plot"));
  layouts_->setToolTip(tr("One generation by rank, or all generations side by side with the lines "
                          "from the chosen program back to its ancestors."));
  row->addWidget(roundLabel_);
  row->addWidget(roundSlider_);
  row->addWidget(generationLabel_);
  row->addWidget(generationSlider_);
  row->addWidget(layouts_);
  connect(roundSlider_, &QSlider::valueChanged, this, &GenerationsView::showRound);
  connect(generationSlider_, &QSlider::valueChanged, this, &GenerationsView::showGeneration);
  connect(layouts_, &QComboBox::currentIndexChanged, this, [this](int index) {
    plot_->setLayout(index == 0 ? GenerationPlot::Layout::ByRank
                                : GenerationPlot::Layout::SideBySide);
    enableUnless(generationSlider_,
                 index == 0 ? QString() : tr("All generations are shown side by side."));
  });
  return bar;
}

QWidget* GenerationsView::makeDetails() {
  auto* panel = new QWidget(this);
  details_ = new QLabel(panel);
  details_->setWordWrap(true);
  details_->setMargin(6);
  details_->setMinimumWidth(1);
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  family_ = new FamilyModel(this);
  familyTree_ = new QTreeView(panel);
  familyTree_->setModel(family_);
  familyTree_->setAccessibleName(tr("Ancestors of the program"));
  addCopying(familyTree_);
  familyTree_->setUniformRowHeights(true);
  familyTree_->setToolTip(tr("Double-click a program to look at it."));
  familyTree_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  familyTree_->header()->setStretchLastSection(false);
  comparing_ = new QLabel(panel);
  comparing_->setMinimumWidth(1);
  comparing_->setContentsMargins(6, 2, 6, 2);
  auto* pin = new QCheckBox(tr("Keep for comparison"), panel);
  pin->setToolTip(
      tr("Keeps this program on the left, and compares the next ones with it. Otherwise "
         "a program is compared with its first parent."));
  pin->setObjectName(QStringLiteral("pin"));
  nest_ = new NestPane(panel);
  parentNest_ = new NestPane(panel);
  auto* nests = new QSplitter(Qt::Horizontal, panel);
  nests->addWidget(parentNest_);
  nests->addWidget(nest_);
  auto* parts = new QSplitter(Qt::Vertical, panel);
  parts->addWidget(familyTree_);
  parts->addWidget(nests);
  parts->setStretchFactor(0, 2);
  parts->setStretchFactor(1, 3);
  auto* foot = new QHBoxLayout;
  foot->addWidget(comparing_, 1);
  foot->addWidget(pin);
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(details_);
  layout->addWidget(parts, 1);
  layout->addLayout(foot);
  connect(familyTree_, &QTreeView::activated, this, [this](const QModelIndex& index) {
    const int at = index.data(ItemRole).toInt();
    const Ancestor& ancestor = family_->family()[static_cast<std::size_t>(at)];
    if (const int program = data_.indexOf(ancestor.program); program >= 0)
      choose(program);
    else
      showFamily(ancestor.program, ancestor.record);
  });
  connect(pin, &QCheckBox::toggled, this, [this](bool on) {
    pinned_ = on ? shownProgram_ : std::string();
    pinnedNest_ = on ? shownNest_ : NestText();
  });
  return panel;
}

QString GenerationsView::details() const {
  return details_->text();
}

int GenerationsView::round() const {
  const int at = roundSlider_->value();
  return at >= 0 && at < std::ssize(rounds_) ? rounds_[static_cast<std::size_t>(at)].round : 0;
}

void GenerationsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  reload();
}

void GenerationsView::showNothing(const QString& why) {
  rounds_.clear();
  plot_->show(nullptr);
  data_ = {};
  family_->show({});
  nest_->showNothing({});
  parentNest_->showNothing({});
  details_->clear();
  nothing_->setText(why);
  pages_->setCurrentIndex(0);
}

void GenerationsView::reload() {
  if (!isVisible()) return;
  if (document_.state() != DocumentState::Ready)
    return showNothing(tr("Generations are shown once a document is open."));
  task_ = document_.selection().current().task;
  if (task_ == 0) return showNothing(tr("Select a task to see how its programs were bred."));
  // In a replay, and while a round is under way, the past ends with the present round.
  const int last = document_.replayMode().isOn() ? document_.session().round().round : 0;
  document_.reader().ask<std::vector<EvolvedRound>>(
      this, Reader::Channel::Generations,
      [session = document_.session().row().id, task = task_,
       replaying = document_.replayMode().isOn(), last,
       bred = document_.session().round().of(SearchPhase::Evolution).state ==
              PhaseStory::State::Done](const RecordStore& store) {
        std::vector<EvolvedRound> rounds = store.evolutions().rounds(session, task);
        if (replaying)
          std::erase_if(rounds, [&](const EvolvedRound& round) {
            return round.round > last || (round.round == last && !bred);
          });
        return rounds;
      },
      [this](std::vector<EvolvedRound> rounds) { takeRounds(std::move(rounds)); },
      [this](const QString& why) { showNothing(why); });
}

void GenerationsView::takeRounds(std::vector<EvolvedRound> rounds) {
  if (rounds.empty()) {
    return showNothing(
        learnsModel(document_.session().config().policy)
            ? tr("No generations of this task yet. The first programs are drawn at random, until "
                 "the cost model has learned enough to breed from them.")
            : tr("This session draws its programs at random. Sessions with the evolutionary policy "
                 "breed programs from programs, and show their generations here."));
  }
  const int shown = round();
  const bool followed = shown == 0 || roundSlider_->value() == roundSlider_->maximum();
  const bool sameSession = session_ == document_.session().row().id;
  session_ = document_.session().row().id;
  rounds_ = std::move(rounds);
  int at = static_cast<int>(rounds_.size()) - 1;
  // Whoever looks at an older round keeps it.
  for (std::size_t i = 0; i < rounds_.size(); ++i)
    if (!followed && sameSession && rounds_[i].round == shown) at = static_cast<int>(i);
  const QSignalBlocker quiet(roundSlider_);
  roundSlider_->setRange(0, static_cast<int>(rounds_.size()) - 1);
  roundSlider_->setValue(at);
  pages_->setCurrentIndex(1);
  showRound();
}

void GenerationsView::showRound() {
  const int wanted = round();
  roundLabel_->setText(
      tr("Round %1 (%2 of %3)").arg(wanted).arg(roundSlider_->value() + 1).arg(rounds_.size()));
  if (wanted == 0 || (data_.row.round == wanted && data_.row.session == session_ &&
                      data_.row.task == task_ && !document_.session().isRunning()))
    return followRecord();
  document_.reader().ask<EvolvedRoundData>(
      this, Reader::Channel::Generations,
      [session = session_, wanted, newest = document_.replayMode().newestRecord()](
          const RecordStore& store) { return readEvolvedRound(store, session, wanted, newest); },
      [this](EvolvedRoundData data) { takeRound(std::move(data)); },
      [this](const QString& why) { showNothing(why); });
}

void GenerationsView::takeRound(EvolvedRoundData data) {
  const std::string chosen = shownProgram_;
  plot_->show(nullptr);
  data_ = std::move(data);
  plot_->show(&data_);
  const QSignalBlocker quiet(generationSlider_);
  const int last = std::max(0, static_cast<int>(data_.row.generations.size()) - 1);
  const bool wasLast = generationSlider_->value() >= generationSlider_->maximum();
  generationSlider_->setRange(0, last);
  if (wasLast) generationSlider_->setValue(last);
  showGeneration();
  followedRecord_ = 0;
  if (const int again = data_.indexOf(chosen); again >= 0)
    plot_->setSelected(again);
  else if (document_.selection().current().record == 0 && !data_.row.generations.empty() &&
           !data_.row.generations.back().places.empty())
    showProgram(data_.row.generations.back().places.front().program);
  followRecord();
  Q_EMIT roundShown();
}

void GenerationsView::showGeneration() {
  const int generation = generationSlider_->value();
  if (generation >= std::ssize(data_.row.generations)) return;
  const EvolvedGeneration& shown = data_.row.generations[static_cast<std::size_t>(generation)];
  generationLabel_->setText(
      generation == 0
          ? tr("Generation 0: the initial population")
          : tr("Generation %1 of %2").arg(generation).arg(data_.row.generations.size() - 1));
  QStringList made;
  for (const auto& [operation, count] : shown.operations)
    made.append(tr("%1: %2").arg(qs(operation), countText(count)));
  generationLabel_->setToolTip(
      tr("%1 programs, %2 of them different.\n%3")
          .arg(countText(shown.size), countText(shown.distinct), made.join(QLatin1Char('\n'))));
  plot_->setGeneration(generation);
}

void GenerationsView::choose(int program) {
  if (program < 0 || program >= std::ssize(data_.row.programs)) return;
  showProgram(program);
  const RowId record = data_.measured[static_cast<std::size_t>(program)].record;
  if (record != 0 && record != document_.selection().current().record) {
    followedRecord_ = record;
    document_.selection().select({task_, record});
  }
}

/// The selection stays: what was only read must not take the other views along.
void GenerationsView::showProgram(int program) {
  const auto at = static_cast<std::size_t>(program);
  plot_->setSelected(program);
  details_->setText(describe(program));
  showFamily(data_.row.programs[at].program, data_.measured[at].record);
}

QString GenerationsView::describe(int index) const {
  const EvolvedProgram& program = data_.row.programs[static_cast<std::size_t>(index)];
  const MeasuredTime& time = data_.measured[static_cast<std::size_t>(index)];
  QString text =
      tr("<b>Program %1</b>, from %2: %3.")
          .arg(shortName(program.program))
          .arg(program.sketch >= 0 ? tr("sketch %1").arg(program.sketch + 1) : tr("no sketch"))
          .arg(originInWords(originFromName(program.operation)));
  text += tr(" Predicted score <b>%1</b>").arg(program.score, 0, 'f', 3);
  text += time.record == 0
              ? (program.selected ? tr("; picked, not measured yet.") : tr("; never measured."))
          : std::isfinite(time.seconds)
              ? tr("; measured <b>%1</b> (record %2).").arg(timeText(time.seconds)).arg(time.record)
              : tr("; measured, and it failed (record %1).").arg(time.record);
  return text;
}

void GenerationsView::showFamily(const std::string& program, RowId record) {
  document_.reader().ask<FamilyData>(
      this, Reader::Channel::Family,
      [session = document_.session().row().id, task = task_, program, round = data_.row.round](
          const RecordStore& store) { return readFamily(store, session, task, program, round); },
      [this, record](FamilyData family) { takeFamily(std::move(family), record); });
}

void GenerationsView::takeFamily(FamilyData family, RowId record) {
  const Ancestor self = family.family.front();
  shownProgram_ = self.program;
  shownNest_ = family.nest;
  if (data_.indexOf(self.program) < 0)
    details_->setText(tr("<b>Program %1</b> (record %2): %3. Measured <b>%4</b>.")
                          .arg(shortName(self.program))
                          .arg(record)
                          .arg(originInWords(self.origin), std::isfinite(self.seconds)
                                                               ? timeText(self.seconds)
                                                               : tr("failed")));
  const QString parent = self.parents.empty() ? QString() : shortName(self.parents.front());
  family_->show(std::move(family.family));
  familyTree_->expandAll();
  nest_->show(tr("Program %1").arg(shortName(self.program)), family.nest);
  const bool isPinned = !pinned_.empty() && pinned_ != self.program;
  const NestText& other = isPinned ? pinnedNest_ : family.parentNest;
  if (other.text.isEmpty()) {
    parentNest_->showNothing(tr("It was drawn at random and has no parents."));
    nest_->markAgainst({});
    comparing_->clear();
  } else {
    parentNest_->show(isPinned ? tr("Kept: program %1").arg(shortName(pinned_))
                               : tr("Its parent %1").arg(parent),
                      other);
    parentNest_->markAgainst(nest_->text());
    nest_->markAgainst(parentNest_->text());
    comparing_->setText(countedText(std::max(nest_->markedLines(), parentNest_->markedLines()),
                                    tr("One line differs"), tr("%1 lines differ")));
  }
  Q_EMIT familyShown();
}

/// A record that was selected elsewhere is shown with its family.
void GenerationsView::followRecord() {
  const RowId record = document_.selection().current().record;
  if (record == 0 || record == followedRecord_ || !isVisible()) return;
  if (isLater(document_, record)) {
    plot_->setSelected(-1);
    family_->show({});
    nest_->showNothing({});
    parentNest_->showNothing({});
    return details_->setText(laterTitle(record) + QStringLiteral(". ") + laterText());
  }
  followedRecord_ = record;
  for (std::size_t i = 0; i < data_.measured.size(); ++i)
    if (data_.measured[i].record == record) {
      plot_->setSelected(static_cast<int>(i));
      details_->setText(describe(static_cast<int>(i)));
      return showFamily(data_.row.programs[i].program, record);
    }
  plot_->setSelected(-1);
  document_.reader().ask<FamilyData>(
      this, Reader::Channel::Family,
      [session = document_.session().row().id, task = task_, record](const RecordStore& store) {
        const std::optional<Record> found = store.records().one(record);
        return found ? readFamily(store, session, task, found->program, 0) : FamilyData{};
      },
      [this, record](FamilyData family) {
        if (!family.family.empty()) takeFamily(std::move(family), record);
      });
}

Exports GenerationsView::exports() {
  if (data_.row.programs.empty()) return seenOf(this);
  Exports exports;
  exports.name = QStringLiteral("generations");
  const TaskEntry* task = document_.session().task(task_);
  exports.title =
      tr("Generations of round %1 of %2")
          .arg(data_.row.round)
          .arg(task ? taskTitle(task->row.name) : qs(document_.session().contents().network));
  plot_->exportPicture(exports);
  exports.table = placesTable(data_);
  exports.tableName = tr("Programs of the generations");
  exports.text = QTextDocumentFragment::fromHtml(details()).toPlainText();
  return exports;
}

} // namespace nestwright::ui

#include "moc_generations_view.cpp"
