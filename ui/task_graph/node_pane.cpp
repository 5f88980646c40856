#include "ui/task_graph/node_pane.h"

#include "ui/kit/format.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/task_graph/graph_scene.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

QString tensorValue(const TensorFacts& tensor) {
  QString text = tensorText(tensor.shape, tensor.type);
  if (tensor.learnable)
    text += NodePane::tr(", weights");
  else if (tensor.constant)
    text += NodePane::tr(", constant");
  return text;
}

/// Texts in as many lines as they need: a view of Qt's wraps them only in the height that a row
/// has.
class WrappedDelegate : public QStyledItemDelegate {
 public:
  explicit WrappedDelegate(QTreeView* view) : QStyledItemDelegate(view), view_(view) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    int depth = 0;
    for (QModelIndex at = index.parent(); at.isValid(); at = at.parent())
      ++depth;
    const int margin = view_->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1;
    const int indented = index.column() == 0 ? (depth + 1) * view_->indentation() : 0;
    const int width = view_->columnWidth(index.column()) - indented - 2 * margin;
    const QRect lines = QFontMetrics(item.font).boundingRect(
        QRect(0, 0, std::max(width, 20), 10'000), Qt::TextWordWrap, item.text);
    return {width, lines.height() + 4};
  }

 private:
  QTreeView* view_;
};

QString linesOf(const QTreeWidgetItem* item, int depth) {
  QString text = QString(qsizetype(2) * depth, QLatin1Char(' ')) +
                 QStringLiteral("%1: %2\n").arg(item->text(0), item->text(1));
  for (int i = 0; i < item->childCount(); ++i)
    text += linesOf(item->child(i), depth + 1);
  return text;
}

} // namespace

NodePane::NodePane(QWidget* parent)
    : QWidget(parent), title_(new QLabel(this)), tree_(new QTreeWidget(this)) {
  setObjectName(QStringLiteral("node-details"));
  title_->setWordWrap(true);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* close = new QToolButton(this);
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setToolTip(tr("Close; a click on a node no longer opens it. Details brings it back."));
  close->setAccessibleName(tr("Close the details"));
  connect(close, &QToolButton::clicked, this, &NodePane::closed);
  tree_->setColumnCount(2);
  tree_->setHeaderLabels({tr("Fact"), tr("Value")});
  tree_->headerItem()->setToolTip(0, tr("What is said of the node or of one of its operators."));
  tree_->headerItem()->setToolTip(1, tr("As the network says it, after the graph passes."));
  tree_->setAccessibleName(tr("Details of the node"));
  tree_->setWordWrap(true);
  tree_->setItemDelegate(new WrappedDelegate(tree_));
  connect(tree_->header(), &QHeaderView::sectionResized, this, [this] { tree_->doItemsLayout(); });
  tree_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  tree_->header()->setStretchLastSection(true);
  addCopying(tree_);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(10, 6, 4, 6);
  head->addWidget(title_, 1);
  head->addWidget(close, 0, Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(tree_, 1);
  connect(&Theme::instance(), &Theme::changed, this, &NodePane::restyle);
  restyle();
}

void NodePane::restyle() {
  QFont font = this->font();
  font.setBold(true);
  title_->setFont(font);
  tree_->setColumnWidth(0, tree_->fontMetrics().averageCharWidth() * 22);
}

void NodePane::clear() {
  node_ = -1;
  title_->clear();
  tree_->clear();
}

QString NodePane::text() const {
  QString text = title_->text() + QLatin1Char('\n');
  for (int i = 0; i < tree_->topLevelItemCount(); ++i)
    text += linesOf(tree_->topLevelItem(i), 0);
  return text;
}

QTreeWidgetItem* NodePane::add(QTreeWidgetItem* to, const QString& name, const QString& value,
                               const QString& tip) {
  auto* item = to ? new QTreeWidgetItem(to) : new QTreeWidgetItem(tree_);
  item->setText(0, name);
  item->setText(1, value);
  item->setToolTip(0, tip.isEmpty() ? name : tip);
  item->setToolTip(1, tip.isEmpty() ? value : tip);
  return item;
}

void NodePane::addOperator(const OperatorFacts& facts, bool fromFile) {
  QTreeWidgetItem* item =
      add(nullptr, qs(facts.op), qs(facts.name),
          fromFile ? tr("The operator, and its name in the ONNX file.")
                   : tr("The operator, and what the network's builder calls it."));
  QFont font = tree_->font();
  font.setBold(true);
  item->setFont(0, font);
  for (const OperatorFacts::Attribute& attribute : facts.attributes)
    add(item, qs(attribute.name), qs(attribute.value));
  for (const TensorFacts& input : facts.inputs)
    add(item, tr("reads %1").arg(qs(input.name)), tensorValue(input));
  add(item, tr("makes %1").arg(qs(facts.output.name)), tensorValue(facts.output));
  if (facts.flops && *facts.flops > 0)
    add(item, tr("computes"), flopsText(*facts.flops),
        tr("Floating-point operations of one run; a multiply-add counts as two."));
  add(item, tr("moves"), bytesText(facts.bytes),
      tr("What it reads and writes where each element moves once. Within a kernel most of it "
         "stays in registers and caches."));
  if (!facts.reason.empty())
    add(item, tr("why here"), sentenceOf(facts.reason), tr("Why it is part of this kernel."));
  item->setExpanded(true);
}

void NodePane::show(const TaskGraph& graph, int index) {
  clear();
  if (index < 0 || index >= static_cast<int>(graph.nodes.size())) return;
  node_ = index;
  const TaskGraphNode& node = graph.nodes[static_cast<std::size_t>(index)];
  const bool fromFile = graph.source.ends_with(".onnx");
  using Kind = TaskGraphNode::Kind;
  title_->setText(node.kind == Kind::Input    ? tr("Input %1").arg(qs(node.name))
                  : node.kind == Kind::Output ? tr("Output %1").arg(qs(node.name))
                  : node.kind == Kind::Stage  ? tr("Stage %1").arg(qs(node.name))
                                              : taskTitle(node.title));
  add(nullptr, fromFile ? tr("Name in the file") : tr("Name"), qs(node.name));
  add(nullptr, tr("Result"), tensorText(node.shape, node.type),
      tr("Shape, element type and size of the tensor that leaves it."));
  if (node.kind == Kind::Group) {
    add(nullptr, tr("Kernel"),
        countedText(static_cast<std::int64_t>(node.parts.size()), tr("one operator"),
                    tr("%1 operators fused into one")),
        tr("Operators that run as one kernel, so that what passes between them stays near."));
    if (!node.end.empty())
      add(nullptr, tr("Ends here"), sentenceOf(node.end), tr("Why no further operator joined it."));
    if (!node.tunable)
      add(nullptr, tr("Not tuned"), tr("It only moves elements or works on each by itself."));
  }
  if (node.flops > 0)
    add(nullptr, tr("Computes"), flopsText(node.flops),
        tr("Floating-point operations of one run of the kernel, as its loops have them."));
  for (const OperatorFacts& facts : node.parts)
    addOperator(facts, fromFile);
  for (const int input : node.inputs) {
    const TaskGraphNode& maker = graph.nodes[static_cast<std::size_t>(input)];
    add(nullptr, tr("Reads from"), qs(maker.name), taskTitle(maker.title));
  }
}

} // namespace nestwright::ui

#include "moc_node_pane.cpp"
