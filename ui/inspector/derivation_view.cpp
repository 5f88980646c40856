#include "ui/inspector/derivation_view.h"

#include "core/plugin/plugin.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "core/tensor/text.h"
#include "ui/document/document.h"
#include "ui/document/reading/reader.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/derivation_model.h"
#include "ui/inspector/rule_words.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {

DerivationView::DerivationView(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
  model_ = new DerivationModel(this);
  tree_ = new QTreeView(this);
  tree_->setModel(model_);
  tree_->setAccessibleName(tr("Derivation of the sketches"));
  addCopying(tree_);
  tree_->setUniformRowHeights(true);
  tree_->setAllColumnsShowFocus(true);
  tree_->setTextElideMode(Qt::ElideRight);
  tree_->header()->setStretchLastSection(true);
  summary_ = new QLabel(this);
  summary_->setContentsMargins(6, 3, 6, 3);
  summary_->setMinimumWidth(1);
  summary_->setWordWrap(true);
  meaning_ = new QLabel(this);
  meaning_->setContentsMargins(6, 3, 6, 4);
  meaning_->setMinimumWidth(1);
  meaning_->setWordWrap(true);
  meaning_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  meaning_->setAccessibleName(tr("What the rule is for"));
  meaning_->hide();
  before_ = new NestPane(this);
  after_ = new NestPane(this);
  auto* nests = new QSplitter(Qt::Horizontal, this);
  nests->addWidget(before_);
  nests->addWidget(after_);
  auto* parts = new QSplitter(Qt::Vertical, this);
  auto* rules = new QWidget(this);
  auto* asked = new QVBoxLayout(rules);
  asked->setContentsMargins(0, 0, 0, 0);
  asked->setSpacing(0);
  asked->addWidget(tree_, 1);
  asked->addWidget(meaning_);
  parts->addWidget(rules);
  parts->addWidget(nests);
  parts->setStretchFactor(0, 3);
  parts->setStretchFactor(1, 2);
  parts->setSizes({600, 400});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(summary_);
  layout->addWidget(parts, 1);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &DerivationView::showNode);
  connect(&document, &Document::stateChanged, this, &DerivationView::follow);
  connect(&document.selection(), &SharedSelection::changed, this, &DerivationView::follow);
  const auto restyle = [this] {
    meaning_->setFont(smallFont());
    setTextColour(meaning_, colours().dim);
    fitColumns();
  };
  restyle();
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  follow();
}

void DerivationView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  follow();
}

void DerivationView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitColumns();
}

/// Names whole where there is room, deep as they may be nested; reasons have at least half.
void DerivationView::fitColumns() {
  QHeaderView* header = tree_->header();
  tree_->setIndentation(fontMetrics().averageCharWidth() * 2);
  const int answer = fontMetrics().horizontalAdvance(QStringLiteral("✗ does not hold")) + 24;
  const int names =
      static_cast<const QAbstractItemView*>(tree_)->sizeHintForColumn(DerivationModel::What);
  header->resizeSection(DerivationModel::What,
                        std::clamp(names, header->minimumSectionSize(),
                                   std::max(header->minimumSectionSize(),
                                            (tree_->viewport()->width() - answer) / 2)));
  header->resizeSection(DerivationModel::Answer, answer);
}

DerivationView::Derived DerivationView::derive(const RecordStore& store, RowId taskId,
                                               const SessionConfig& config) {
  const std::optional<TaskRow> task = store.tasks().one(taskId);
  if (!task) throw InputError(fmt::format("The file has no task {}.", taskId));
  TargetFacts target; // of one from elsewhere without facts: the usual ones
  for (const TargetRow& row : store.targets().all())
    if (row.id == task->target) target = factsIfKnown(row).value_or(TargetFacts());
  SpaceOptions options = spaceOptionsFor(target, drawsOf(config.rules));
  options.tf32 = config.tf32;
  const ComputeDag dag = parseDag(task->dag);
  Derived derived;
  derived.isGpu = target.gpu.has_value();
  auto tree = std::make_shared<DerivationTree>(
      deriveSketches(dag, options, sketchRules(config.rules, target)));
  for (const DerivationNode& node : tree->nodes)
    derived.nests.push_back(nestOf(dag, node.steps));
  derived.tree = std::move(tree);
  return derived;
}

void DerivationView::follow() {
  const RowId task = document_.selection().current().task;
  if (document_.state() != DocumentState::Ready || task == 0) {
    task_ = 0;
    return showNothing(document_.state() == DocumentState::Ready
                           ? tr("Select a task to see how its sketches are derived.")
                           : tr("Sketches are shown once a document is open."));
  }
  // Nobody looks: it is derived when the page comes into sight.
  if (!isVisible() || (task == task_ && document_.session().row().id == session_)) return;
  task_ = task;
  session_ = document_.session().row().id;
  document_.reader().ask<Derived>(
      this, Reader::Channel::Sketches,
      [task, config = document_.session().config()](const RecordStore& store) {
        return derive(store, task, config);
      },
      [this](Derived derived) { show(std::move(derived)); },
      [this](const QString& why) {
        showNothing(tr("The sketches cannot be derived. %1").arg(why));
      });
}

void DerivationView::showNothing(const QString& why) {
  model_->show(nullptr);
  nests_.clear();
  summary_->setText(why);
  meaning_->clear();
  meaning_->hide();
  before_->showNothing({});
  after_->showNothing({});
}

void DerivationView::show(Derived derived) {
  nests_ = std::move(derived.nests);
  model_->show(derived.tree);
  const TaskEntry* task = document_.session().task(task_);
  const QString sketches =
      countedText(std::int64_t(derived.tree->sketches), tr("one sketch"), tr("%1 sketches"));
  summary_->setText(tr("%1: %2. The rules look at one stage after the other, from the "
                       "last to the first, and every rule that holds makes its own variants.")
                        .arg(task ? taskTitle(task->row.name) : QString(), sketches) +
                    (derived.isGpu ? tr(" For a GPU, loops are bound to blocks and threads once "
                                        "their sizes are drawn.")
                                   : QString()));
  tree_->expandAll();
  fitColumns();
  tree_->setCurrentIndex(model_->ofSketch(0));
  tree_->scrollToTop();
  Q_EMIT shown();
}

void DerivationView::showNode() {
  const QModelIndex current = tree_->currentIndex();
  const DerivationTree* tree = model_->tree();
  meaning_->setText(current.isValid() && tree
                        ? ruleMeaning(current.data(RuleRole).toString().toStdString())
                        : QString());
  meaning_->setVisible(!meaning_->text().isEmpty());
  if (!current.isValid() || !tree) return;
  const auto at = [&](int index) -> const DerivationNode& {
    return tree->nodes[static_cast<std::size_t>(index)];
  };
  int node = current.data(ItemRole).toInt();
  const auto titleOf = [&](int index) {
    const DerivationNode& shown = at(index);
    return shown.sketch >= 0 ? tr("Sketch %1").arg(shown.sketch + 1)
                             : tr("Before the rules look at %1").arg(qs(shown.stageName));
  };
  // Where nothing changed between two stages, the last change is of more interest.
  int parent = at(node).parent;
  while (parent >= 0 && at(parent).steps == at(node).steps)
    parent = at(parent).parent;
  after_->show(titleOf(node), nests_[static_cast<std::size_t>(node)]);
  if (parent >= 0) {
    before_->show(titleOf(parent), nests_[static_cast<std::size_t>(parent)]);
    before_->markAgainst(after_->text());
    after_->markAgainst(before_->text());
  } else {
    before_->showNothing(tr("This is where the derivation begins: the naive program."));
    after_->markAgainst({});
  }
}

} // namespace nestwright::ui

#include "moc_derivation_view.cpp"
