#include "ui/program/loop_nest_page.h"

#include "ui/kit/code_view.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/roles.h"
#include "ui/kit/step_player.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/loop_tree_model.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace nestwright::ui {
namespace {

/// A bar in the colour of the loop's role before its name, a ground under what changed.
class LoopDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const auto mark = static_cast<DiffMark>(index.data(MarkRole).toInt());
    if (mark != DiffMark::Same) {
      QColor ground = colours().accent;
      ground.setAlpha(colours().dark ? 64 : 36);
      painter->fillRect(option.rect, ground);
    }
    QStyleOptionViewItem cell = option;
    if (index.column() == LoopTreeModel::Loop) {
      const auto* model = static_cast<const LoopTreeModel*>(index.model());
      const LoopNode& node = model->node(index);
      if (node.kind == LoopNode::Kind::Loop) {
        const QRect bar(option.rect.left(), option.rect.top() + 2, 4, option.rect.height() - 4);
        painter->fillRect(bar, roleOf(node).colour);
      }
      cell.rect.adjust(8, 0, 0, 0);
    }
    paintBar(*painter, option.rect, index);
    QStyledItemDelegate::paint(painter, cell, index);
    if (index.data(HotRole).isValid() && index.column() == LoopTreeModel::Role) {
      painter->fillRect(QRect(option.rect.left(), option.rect.bottom() - 1, option.rect.width(), 2),
                        colours().waiting);
    }
  }

 private:
  /// Behind the number: what it says as a length, a footprint in the colours of its buffers.
  static void paintBar(QPainter& painter, const QRect& cell, const QModelIndex& index) {
    const QRectF area = QRectF(cell).adjusted(3, 1, -3, -1);
    const auto ground = [](QColor colour) {
      colour.setAlpha(colours().dark ? 120 : 90);
      return colour;
    };
    const QVariant fraction = index.data(FractionRole);
    if (fraction.isValid())
      painter.fillRect(
          QRectF(area.topLeft(), QSizeF(area.width() * fraction.toDouble(), area.height())),
          ground(index.column() == LoopTreeModel::Recomputed ? colours().waiting
                                                             : colours().accent));
    if (index.column() != LoopTreeModel::Footprint) return;
    const auto* model = static_cast<const LoopTreeModel*>(index.model());
    const auto parts = index.data(SharesRole).value<QVector<double>>();
    double x = area.left();
    for (qsizetype i = 0; i < parts.size(); ++i) {
      const double width = parts[i] * area.width();
      painter.fillRect(QRectF(x, area.top(), width, area.height()),
                       ground(model->colourOf(model->buffers()[i])));
      x += width;
    }
  }
};

QString stepTip(const ProgramText& program, std::size_t step) {
  QString tip =
      LoopNestPage::tr("Step %1 (%2 in records).").arg(step).arg(qs(program.stepList[step].tag));
  if (step + 1 >= program.trees.size())
    tip += LoopNestPage::tr("\nIt cannot be applied: %1").arg(program.problem);
  return tip;
}

std::vector<CodeLine> stepLines(const ProgramText& program) {
  std::vector<CodeLine> lines;
  for (std::size_t i = 0; i < program.stepList.size(); ++i) {
    CodeLine& line = lines.emplace_back();
    line.text = qs(program.stepList[i].words);
    line.number = static_cast<int>(i); // as steps call one another
    line.tip = stepTip(program, i);
  }
  return lines;
}

} // namespace

LoopNestPage::LoopNestPage(QWidget* parent)
    : QWidget(parent), player_(new StepPlayer(this)), left_(new QSplitter(Qt::Vertical, this)),
      steps_(new CodeView(CodeLanguage::Text, this)), before_(new QToolButton(this)),
      tree_(new QTreeView(this)), model_(new LoopTreeModel(this)), legend_(new QLabel(this)),
      note_(new QLabel(this)) {
  steps_->setAccessibleName(tr("Steps"));
  steps_->setToolTip(tr("The schedule primitives that make this program, in order. Choose one to "
                        "see the loop nest after it."));
  steps_->setSelectionMode(QAbstractItemView::SingleSelection);
  player_->setTip(tr("Scrub through the steps: the loop nest below is as it is after this many of "
                     "them, with what the last one changed highlighted."));
  before_->setText(tr("Before"));
  before_->setCheckable(true);
  before_->setAutoRaise(true);
  before_->setToolTip(tr("Show the loop nest before the chosen step instead of after it, with what "
                         "the step is going to change highlighted."));
  buildTree();
  note_->setContentsMargins(10, 3, 10, 3);
  note_->setWordWrap(true);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  keepTextColour(note_, &Colours::failed);
  note_->hide();
  auto* top = new QHBoxLayout;
  top->setContentsMargins(0, 0, 8, 0);
  top->addWidget(player_, 1);
  top->addWidget(before_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(1);
  left_->setHandleWidth(1);
  left_->setChildrenCollapsible(false);
  left_->addWidget(steps_);
  legend_->setContentsMargins(8, 2, 8, 2);
  legend_->setTextFormat(Qt::RichText);
  legend_->setWordWrap(true);
  legend_->setAccessibleName(tr("Colours of the buffers"));
  legend_->setToolTip(
      tr("The bars in Footprint have a part for each buffer; their lengths are "
         "logarithmic, from a cache line to the last cache. The tool tip of a loop "
         "says for each buffer how much of it a run and an iteration touch, and how "
         "often each element is used."));
  auto* nest = new QWidget(this);
  auto* nestLayout = new QVBoxLayout(nest);
  nestLayout->setContentsMargins(0, 0, 0, 0);
  nestLayout->setSpacing(0);
  nestLayout->addWidget(tree_, 1);
  nestLayout->addWidget(legend_);
  split->addWidget(left_);
  split->addWidget(nest);
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(note_);
  layout->addWidget(split, 1);
  connect(player_, &StepPlayer::positionChanged, this, &LoopNestPage::showPosition);
  connect(before_, &QToolButton::toggled, this, [this] { showPosition(player_->position()); });
  connect(steps_, &CodeView::lineChosen, this, [this](int row) {
    if (row + 1 > player_->steps()) return; // it cannot be applied
    if (player_->position() == row + 1) return showPosition(row + 1);
    player_->setPosition(row + 1);
  });
  connect(&Theme::instance(), &Theme::changed, this, &LoopNestPage::fitColumns);
  connect(&Theme::instance(), &Theme::changed, this, &LoopNestPage::tellBuffers);
  connect(model_, &QAbstractItemModel::modelReset, this, &LoopNestPage::tellBuffers);
  tellBuffers();
  fitColumns();
}

void LoopNestPage::setAboveSteps(QWidget* widget) {
  left_->insertWidget(0, widget);
}

void LoopNestPage::buildTree() {
  tree_->setModel(model_);
  tree_->setItemDelegate(new LoopDelegate(tree_));
  tree_->setUniformRowHeights(true);
  tree_->setAccessibleName(tr("Loop nest"));
  tree_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  tree_->setAllColumnsShowFocus(true);
  tree_->header()->setStretchLastSection(false);
  auto* copy = new QAction(tr("Copy Loop Nest"), tree_);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  connect(copy, &QAction::triggered, this, [this] {
    QString text;
    for (const LoopNode& node : model_->tree().nodes)
      text += QString(qsizetype(2) * node.depth, QLatin1Char(' ')) + qs(node.line()) +
              QLatin1Char('\n');
    QApplication::clipboard()->setText(text);
  });
  tree_->addAction(copy);
  tree_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            const bool finished = !program_.trees.empty() &&
                                  position() + 1 == static_cast<int>(program_.trees.size());
            Q_EMIT nodeChosen(current.isValid() && finished ? current.data(ItemRole).toInt() : -1);
          });
}

/// To what is shown: the finished nest when a program comes, so that nothing moves while one goes
/// through the steps.
void LoopNestPage::fitColumns() {
  QHeaderView* header = tree_->header();
  tree_->setIndentation(tree_->fontMetrics().horizontalAdvance(QLatin1Char('n')) * 3 / 2);
  for (int column = LoopTreeModel::Extent; column < LoopTreeModel::ColumnCount; ++column)
    tree_->resizeColumnToContents(column);
  // Room for the bar behind the number.
  header->resizeSection(LoopTreeModel::Footprint, header->sectionSize(LoopTreeModel::Footprint) +
                                                      tree_->fontMetrics().averageCharWidth() * 2);
}

void LoopNestPage::tellBuffers() {
  QStringList parts;
  for (const QString& buffer : model_->buffers())
    parts.append(QStringLiteral("<span style=\"color:%1\">■</span>&nbsp;%2")
                     .arg(model_->colourOf(buffer).name(), buffer.toHtmlEscaped()));
  legend_->setText(parts.join(QStringLiteral("&nbsp;&nbsp; ")));
  legend_->setVisible(!parts.isEmpty());
}

int LoopNestPage::position() const {
  const int position = player_->position();
  return before_->isChecked() && position > 0 ? position - 1 : position;
}

void LoopNestPage::show(const ProgramText& program) {
  const bool same = program_.ref == program.ref && program_.program == program.program;
  const int position = player_->position();
  program_ = program;
  hot_ = -1;
  model_->setTarget(program_.target);
  steps_->setLines(stepLines(program_));
  if (steps_->code()->rowCount() == 0) steps_->setLines(tr("No steps: the naive program."));
  note_->setVisible(!program_.problem.isEmpty());
  note_->setText(program_.problem);
  const int steps = static_cast<int>(program_.trees.size()) - 1;
  player_->setSteps(steps);
  if (same && position < steps) {
    player_->setPosition(position);
  } else {
    before_->setChecked(false);
    showPosition(steps);
    fitColumns();
  }
  tellSteps();
}

void LoopNestPage::clear() {
  program_ = {};
  steps_->setLines(std::vector<CodeLine>());
  player_->setSteps(0);
  player_->setText({});
  note_->hide();
  model_->setTree({}, {});
}

void LoopNestPage::showPosition(int position) {
  if (program_.trees.empty()) return;
  const int last = static_cast<int>(program_.trees.size()) - 1;
  const bool before = before_->isChecked() && position > 0;
  const auto shown = static_cast<std::size_t>(before ? position - 1 : position);
  const LoopTree& tree = program_.trees[shown];
  std::vector<DiffMark> marks;
  std::vector<QString> differences;
  // The finished program is shown plainly, unless one looks at its last step.
  const bool stepping = before || position < last || steps_->currentIndex().isValid();
  if (position > 0 && stepping) {
    const auto& change = program_.changes[static_cast<std::size_t>(position) - 1];
    marks = marksOf(change, !before, tree.nodes.size());
    differences = differencesOf(change, !before, tree.nodes.size());
  }
  model_->setTree(
      tree, shown + 1 == program_.trees.size() ? program_.traffic : std::vector<LoopTraffic>(),
      marks, std::move(differences));
  if (shown + 1 == program_.trees.size()) model_->setHot(hot_, hotShare_);
  tree_->expandAll();
  tree_->resizeColumnToContents(LoopTreeModel::Loop);
  tree_->scrollToTop();
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i] != DiffMark::Same) {
      tree_->scrollTo(model_->indexOfNode(static_cast<int>(i)));
      break;
    }
  enableUnless(before_, position > 0 ? QString() : tr("No step comes before the beginning."));
  QString text = afterStepText(program_, position);
  if (before)
    text = tr("Before step %1: %2")
               .arg(position - 1)
               .arg(qs(program_.stepList[static_cast<std::size_t>(position) - 1].words));
  if (program_.stepList.empty()) text = tr("The loops as the compute DAG says");
  player_->setText(text);
  if (position > 0 && steps_->currentIndex().row() != position - 1 && stepping) {
    const QSignalBlocker quiet(steps_);
    steps_->goTo(position - 1);
  }
  if (position == 0) steps_->setCurrentIndex({});
}

void LoopNestPage::showScores(StepScores scores) {
  scores_ = std::move(scores);
  tellSteps();
}

void LoopNestPage::showStep(RowId record, int step) {
  wantedStep_ = {record, step};
  tellSteps();
}

void LoopNestPage::tellSteps() {
  if (program_.record == 0) return;
  const std::vector<double> added =
      scores_.record == program_.record ? scores_.added : std::vector<double>();
  double most = 0;
  for (const double one : added)
    most = std::max(most, std::abs(one));
  std::vector<LineCost> costs;
  for (std::size_t i = 0; i < program_.stepList.size(); ++i) {
    LineCost& cost = costs.emplace_back(LineCost{-1, stepTip(program_, i)});
    if (i >= added.size() || most == 0) continue;
    cost.share = static_cast<float>(std::abs(added[i]) / most);
    cost.added = signedText(added[i]);
    cost.takesAway = added[i] < 0;
    cost.tip += tr("\nThe cost model's score of the program has %1 from it.").arg(cost.added);
  }
  steps_->setCosts(std::move(costs));
  if (wantedStep_.first != program_.record) return;
  const int step = std::exchange(wantedStep_, {}).second;
  if (step >= 0 && step < player_->steps()) player_->setPosition(step + 1);
  Q_EMIT stepShown();
}

void LoopNestPage::showHot(int node, double share) {
  hot_ = node;
  hotShare_ = share;
  if (!program_.trees.empty() && position() + 1 == static_cast<int>(program_.trees.size()))
    model_->setHot(node, share);
}

void LoopNestPage::selectNode(int node) {
  if (program_.trees.empty() || position() + 1 != static_cast<int>(program_.trees.size())) return;
  const QSignalBlocker quiet(this);
  const QModelIndex index = model_->indexOfNode(node);
  if (!index.isValid()) return tree_->clearSelection();
  tree_->setCurrentIndex(index);
  tree_->scrollTo(index);
}

} // namespace nestwright::ui

#include "moc_loop_nest_page.cpp"
