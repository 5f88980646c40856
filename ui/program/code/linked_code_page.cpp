#include "ui/program/code/linked_code_page.h"

#include "ui/kit/code_view.h"
#include "ui/kit/colours.h"
#include "ui/kit/elided_label.h"
#include "ui/kit/fonts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace nestwright::ui {
namespace {

QString costTip(const LoweredProgram& lowered, const CompiledProgram& compiled, std::size_t line) {
  const int instructions = compiled.cost.instructions[line];
  if (instructions == 0) return {};
  return LinkedCodePage::tr("%1 instructions came from this line, executed %2 times: an estimated "
                            "%3 of all that are executed.")
      .arg(instructions)
      .arg(countText(static_cast<std::int64_t>(lowered.ir[line].executions)))
      .arg(percentText(compiled.cost.share[line]));
}

double shareInside(const IrCost& cost, const std::vector<IrLine>& ir, int loop) {
  double share = 0;
  for (int i = loop; loop >= 0 && i < ir[static_cast<std::size_t>(loop)].end; ++i)
    share += cost.share[static_cast<std::size_t>(i)];
  return share;
}

} // namespace

LinkedCodePage::LinkedCodePage(Part part, QWidget* parent)
    : QWidget(parent), part_(part), loops_(new CodeView(CodeLanguage::LoopIr, this)),
      code_(new CodeView(part == Part::Source ? CodeLanguage::Llvm : CodeLanguage::Assembly, this)),
      head_(new QWidget(this)), summary_(new ElidedLabel(head_)), message_(new QLabel(this)),
      note_(new QLabel(this)), hot_(new QToolButton(head_)), search_(new QLineEdit(head_)),
      busy_(new QProgressBar(this)), cancel_(new QPushButton(tr("Cancel"), this)),
      compile_(new QPushButton(tr("Compile"), this)) {
  cancel_->setToolTip(tr("Stop compiling; the program stays as it is."));
  compile_->setToolTip(tr("Compile this program to see its code. Nothing is measured."));
  loops_->setAccessibleName(tr("Loop IR"));
  hot_->setText(tr("Hot loop"));
  hot_->setAutoRaise(true);
  hot_->setToolTip(tr("Go to the innermost loop with the largest estimated share of executed "
                      "instructions."));
  search_->setPlaceholderText(tr("Find"));
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(180);
  search_->setAccessibleName(tr("Find in the code"));
  search_->setToolTip(tr("Enter goes to the next line with this text, Shift+Enter to the one "
                         "before."));
  auto* row = new QHBoxLayout(head_);
  row->setContentsMargins(10, 3, 8, 3);
  row->addWidget(summary_, 1);
  row->addWidget(hot_);
  row->addWidget(search_);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setHandleWidth(1);
  split->addWidget(loops_);
  split->addWidget(code_);
  split->setStretchFactor(0, 4);
  split->setStretchFactor(1, 5);
  body_ = split;
  note_->setWordWrap(true);
  note_->setMinimumWidth(1);
  note_->setContentsMargins(10, 0, 10, 4);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  busy_->setRange(0, 0);
  busy_->setMaximumSize(240, 8);
  busy_->setTextVisible(false);
  busy_->setAccessibleName(tr("Compiling"));
  message_->setWordWrap(true);
  message_->setAlignment(Qt::AlignCenter);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head_);
  layout->addWidget(note_);
  layout->addWidget(body_, 1);
  layout->addStretch();
  layout->addWidget(message_, 0);
  layout->addWidget(busy_, 0, Qt::AlignHCenter);
  layout->addWidget(cancel_, 0, Qt::AlignHCenter);
  layout->addWidget(compile_, 0, Qt::AlignHCenter);
  layout->addStretch();

  connect(cancel_, &QPushButton::clicked, this, &LinkedCodePage::cancelled);
  connect(compile_, &QPushButton::clicked, this, &LinkedCodePage::compileWanted);
  connect(hot_, &QToolButton::clicked, this, &LinkedCodePage::goToHotLoop);
  connect(search_, &QLineEdit::returnPressed, this,
          [this] { find(!(QGuiApplication::keyboardModifiers() & Qt::ShiftModifier)); });
  for (CodeView* view : {loops_, code_})
    connect(view, &CodeView::lineChosen, this,
            [this, view](int line) { choose(view->code()->line(line).link); });
  const auto restyle = [this] {
    note_->setFont(smallFont());
    setTextColour(note_, colours().dim);
  };
  restyle();
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  setForms(usualForms({}));
  clear();
}

void LinkedCodePage::setForms(const ShownForms& forms) {
  const bool machine = part_ == Part::Machine;
  code_->setLanguage(languageOf(machine ? forms.machine : forms.source));
  code_->setAccessibleName(machine ? forms.machineName : forms.sourceName);
  note_->setText(machine ? forms.notNearer : QString());
}

void LinkedCodePage::showState(bool busy, bool code) {
  head_->setVisible(code);
  body_->setVisible(code);
  note_->setVisible(code && !note_->text().isEmpty());
  message_->setVisible(!code);
  busy_->setVisible(busy);
  cancel_->setVisible(busy);
  compile_->hide();
}

void LinkedCodePage::show(const LoweredProgram& lowered, const CompiledProgram& compiled,
                          const QSet<QString>& reductions) {
  if (part_ == Part::Machine && !compiled.machineProblem.isEmpty())
    return showProblem(compiled.machineProblem, false);
  ir_ = lowered.ir;
  std::vector<CodeLine> left = codeLines(lowered.passes.back().lines);
  for (std::size_t i = 0; i < left.size(); ++i)
    left[i].link = static_cast<int>(i);
  loops_->setReductions(reductions);
  loops_->setLines(std::move(left));
  const LinkedCode& generated =
      part_ == Part::Machine ? compiled.machine.code : compiled.source.code;
  std::vector<CodeLine> right = codeLines(generated.lines);
  for (std::size_t i = 0; i < right.size(); ++i)
    right[i].link = generated.irLine[i];
  code_->setLines(std::move(right));
  showFirstKernel();
  addCost(lowered, compiled);
  showState(false, true);
}

void LinkedCodePage::addCost(const LoweredProgram& lowered, const CompiledProgram& compiled) {
  hottest_ = compiled.cost.hottestLoop;
  std::vector<LineCost> costs;
  for (std::size_t i = 0; i < compiled.cost.share.size(); ++i)
    costs.push_back({static_cast<float>(compiled.cost.share[i]), costTip(lowered, compiled, i)});
  loops_->setCosts(std::move(costs));
  const double share = shareInside(compiled.cost, ir_, hottest_);
  enableUnless(hot_, hottest_ >= 0 ? QString() : tr("No loop stands out in this code."));
  summary_->setText(hottest_ < 0
                        ? tr("%1 lines").arg(countText(code_->code()->rowCount()))
                        : tr("%1 lines · hot loop %2: an estimated %3 of executed instructions")
                              .arg(countText(code_->code()->rowCount()),
                                   qs(ir_[static_cast<std::size_t>(hottest_)].stmt->var->name),
                                   percentText(share)));
  summary_->setToolTip(tr("Estimated from the number of instructions that came from each loop and "
                          "the extents of the loops around it; what an instruction costs, and what "
                          "the memory does, is not in it."));
}

/// CUDA C begins with some lines that all programs have.
void LinkedCodePage::showFirstKernel() {
  if (code_->language() != CodeLanguage::Cuda) return;
  const int row = code_->find(QStringLiteral("__global__"), -1, true);
  if (row >= 0) code_->scrollTo(code_->code()->index(row), QAbstractItemView::PositionAtTop);
}

void LinkedCodePage::showProgress(const QString& what) {
  message_->setText(what);
  showState(true, false);
}

void LinkedCodePage::showProblem(const QString& why, bool canCompile) {
  message_->setText(why);
  showState(false, false);
  compile_->setVisible(canCompile);
}

void LinkedCodePage::clear() {
  ir_.clear();
  hottest_ = -1;
  loops_->setLines(std::vector<CodeLine>());
  code_->setLines(std::vector<CodeLine>());
  showProblem(tr("Select a task or a record to see the code of its program."), false);
}

void LinkedCodePage::showLinked(int from, int to) {
  loops_->showLinked(from, to);
  code_->showLinked(from, to);
}

void LinkedCodePage::choose(int irLine) {
  if (irLine < 0 || irLine >= static_cast<int>(ir_.size())) return;
  // A loop stands for all that is inside of it.
  const IrLine& line = ir_[static_cast<std::size_t>(irLine)];
  showLinked(irLine, std::max(irLine + 1, line.end));
  Q_EMIT irLineChosen(irLine);
}

void LinkedCodePage::goToHotLoop() {
  if (hottest_ < 0) return;
  loops_->goTo(hottest_);
  choose(hottest_);
}

void LinkedCodePage::find(bool forward) {
  const int row = code_->find(search_->text(), code_->currentIndex().row(), forward);
  if (row >= 0) code_->goTo(row);
}

} // namespace nestwright::ui

#include "moc_linked_code_page.cpp"
