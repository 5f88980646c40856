#include "ui/program/launch/launch_page.h"

#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/step_player.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/program/launch/launch_drawing.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kMostRows = 4; // of the table that are seen at once

/// The one that people most likely want to see: tiled, or else with the most threads.
std::size_t mostWork(const std::vector<KernelFacts>& kernels) {
  const auto most = std::ranges::max_element(kernels, {}, [](const KernelFacts& kernel) {
    return std::pair(kernel.sharedBytes, kernel.blocks() * kernel.threadsPerBlock());
  });
  return static_cast<std::size_t>(most - kernels.begin());
}

std::vector<Launch> launchesOf(const LoopFunction& function) {
  std::vector<Launch> launches;
  if (!function.body) return launches;
  visit(function.body, [&](const Stmt& statement) {
    if (statement->kind == StmtKind::Launch) launches.push_back(*statement->launch);
  });
  return launches;
}

/// Of a program without steps, which lowering binds by itself.
KernelFacts factsOf(const Launch& launch, const GpuFacts& gpu) {
  KernelFacts facts;
  facts.name = qs(launch.kernel);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    facts.grid[axis] = launch.grid[axis].extent;
    facts.threads[axis] = launch.threads[axis].extent;
  }
  facts.registers = static_cast<int>(registerEstimate(1, 1));
  facts.occupancy = occupancyOf(gpu, {facts.threadsPerBlock(), facts.registers, 0});
  addLimits(facts, gpu);
  return facts;
}

} // namespace

LaunchPage::LaunchPage(QWidget* parent)
    : QWidget(parent), player_(new StepPlayer(this)), words_(new QLabel(this)),
      readout_(new QLabel(this)), note_(new QLabel(this)), drawing_(new LaunchDrawing(this)),
      table_(new QTableView(this)), model_(new KernelModel(this)) {
  for (QLabel* label : {words_, readout_, note_}) {
    label->setWordWrap(true);
    label->setMinimumWidth(1);
    label->setContentsMargins(10, 3, 10, 3);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  player_->setTip(tr("Scrub through the steps: the kernels are as they are after this many of "
                     "them."));
  words_->setAccessibleName(tr("The kernel in words"));
  readout_->setAccessibleName(tr("What the chosen thread computes"));
  table_->setModel(model_);
  table_->setAccessibleName(tr("Kernels of the program"));
  setUpTable(table_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setItemDelegate(new BarDelegate(table_));
  table_->horizontalHeader()->setStretchLastSection(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(player_);
  layout->addWidget(words_);
  layout->addWidget(drawing_, 1);
  layout->addWidget(readout_);
  layout->addWidget(table_);
  layout->addWidget(note_);
  connect(player_, &StepPlayer::positionChanged, this, &LaunchPage::showPosition);
  connect(drawing_, &LaunchDrawing::chosen, this,
          [this] { readout_->setText(drawing_->scene() ? drawing_->readout() : QString()); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &LaunchPage::showKernel);
  connect(&Theme::instance(), &Theme::changed, this, &LaunchPage::restyle);
  restyle();
  clear();
}

void LaunchPage::restyle() {
  for (QLabel* label : {readout_, note_}) {
    label->setFont(smallFont());
    setTextColour(label, colours().dim);
  }
  table_->resizeColumnsToContents();
}

void LaunchPage::clear() {
  program_ = {};
  launches_.clear();
  compiled_.reset();
  problem_.clear();
  isCompiling_ = false;
  player_->setSteps(0);
  player_->setText({});
  model_->show({});
  words_->clear();
  note_->clear();
  drawing_->showMessage({});
}

void LaunchPage::show(const ProgramText& program, const LoweredProgram& lowered) {
  clear();
  if (!program.target.gpu) return;
  program_ = program;
  launches_ = launchesOf(lowered.function);
  player_->setSteps(static_cast<int>(program_.trees.size()) - 1);
  showPosition(player_->position());
}

void LaunchPage::showCompiling() {
  if (!program_.target.gpu) return;
  isCompiling_ = true;
  showNote();
}

void LaunchPage::showCompiled(const CompiledProgram& compiled) {
  if (!program_.target.gpu) return;
  isCompiling_ = false;
  compiled_ = compiled;
  problem_ = compiled.machineProblem;
  showPosition(player_->position());
}

void LaunchPage::showProblem(const QString& why) {
  isCompiling_ = false;
  compiled_.reset();
  problem_ = why;
  if (program_.target.gpu) showPosition(player_->position());
}

bool LaunchPage::isFinished() const {
  return player_->position() + 1 == static_cast<int>(program_.trees.size());
}

std::vector<KernelFacts> LaunchPage::factsAt(int position) const {
  const GpuFacts& gpu = *program_.target.gpu;
  std::vector<KernelFacts> facts;
  if (program_.ref.naive) {
    for (const Launch& launch : launches_)
      facts.push_back(factsOf(launch, gpu));
  } else if (position < std::ssize(program_.kernels)) {
    for (const KernelPicture& kernel : program_.kernels[static_cast<std::size_t>(position)])
      facts.push_back(ui::factsOf(kernel, gpu));
  }
  if (!isFinished()) return facts;
  const bool isCompiled = compiled_ && compiled_->launches.size() == launches_.size();
  if (!isCompiled && !isMeasured()) return facts;
  // Launches run in the order in which they are lowered.
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const QString name = qs(launches_[i].kernel);
    const auto same = std::ranges::find(facts, name, &KernelFacts::name);
    if (same == facts.end()) continue;
    if (!isCompiled) {
      *same = withMeasured(*same, program_.result.kernels[i]);
      continue;
    }
    KernelFacts known = ui::factsOf(compiled_->launches[i], name, gpu);
    known.virtualThreads = same->virtualThreads;
    *same = known;
  }
  return facts;
}

bool LaunchPage::isMeasured() const {
  return !launches_.empty() && program_.result.kernels.size() == launches_.size();
}

void LaunchPage::showPosition(int position) {
  if (!program_.target.gpu) return;
  const std::vector<KernelFacts> facts = factsAt(position);
  const QString kernel = kernel_;
  {
    const QSignalBlocker quiet(table_->selectionModel());
    model_->show(facts);
  }
  table_->resizeColumnsToContents();
  const int rows = std::clamp(static_cast<int>(facts.size()), 1, kMostRows);
  table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + rows * tableRowHeight() +
                         2 * table_->frameWidth() + 2);
  player_->setText(program_.stepList.empty() ? tr("The naive program: every operator is a kernel")
                                             : afterStepText(program_, position));
  showNote();
  if (facts.empty()) {
    words_->setText(program_.problem);
    drawing_->showMessage(tr("What is computed where is not known after this step."));
    return;
  }
  const int same = model_->firstRow([&](const KernelFacts& one) { return one.name == kernel; });
  // The table was filled anew and has no current row: this shows the kernel.
  table_->selectRow(same >= 0 ? same : static_cast<int>(mostWork(facts)));
}

void LaunchPage::showKernel() {
  const int row = table_->currentIndex().row();
  if (row < 0 || row >= model_->rowCount()) return;
  const KernelFacts& facts = model_->row(row);
  kernel_ = facts.name;
  words_->setText(inWords(facts));
  const int position = player_->position();
  if (program_.ref.naive) {
    drawing_->showMessage(tr("Every thread computes one element of the output, all of its "
                             "reduction included."));
    return;
  }
  for (const KernelPicture& kernel : program_.kernels[static_cast<std::size_t>(position)])
    if (qs(kernel.name) == kernel_) drawing_->show(kernel, facts, *program_.target.gpu);
}

void LaunchPage::showNote() {
  note_->setText(noteText());
  note_->setVisible(!note_->text().isEmpty());
}

QString LaunchPage::noteText() const {
  QStringList notes;
  const GpuFacts& gpu = *program_.target.gpu;
  if (gpu.architecture.name().empty())
    notes.append(tr("The record does not name its GPU: these are the limits that every one has."));
  if (isCompiling_ && isFinished() && isMeasured())
    notes.append(tr("Registers and spills are those of the measurement until the program is "
                    "compiled: compiling …"));
  else if (isCompiling_)
    notes.append(tr("Registers and spills are estimates (≈) until the program is compiled: "
                    "compiling …"));
  else if (!problem_.isEmpty() && isMeasured())
    notes.append(isFinished() ? tr("Registers and spills are those of the measurement, since the "
                                   "program could not be compiled here: %1")
                                    .arg(problem_)
                              : tr("After the last step the figures of the measurement stand in "
                                   "place of estimates (≈)."));
  else if (!problem_.isEmpty())
    notes.append(tr("Registers and spills are estimates, since the program could not be compiled "
                    "here: %1")
                     .arg(problem_));
  else if (!isFinished())
    notes.append(tr("After the last step the compiler's figures stand in place of estimates (≈)."));
  else if (compiled_ && !compiled_->compiler.isEmpty())
    notes.append(tr("Registers and spills as %1 compiled it for %2.")
                     .arg(compiled_->compiler, compiled_->architecture));
  return notes.join(QLatin1Char(' '));
}

QString LaunchPage::text() const {
  QString text;
  for (const KernelFacts& facts : model_->rows())
    text += inWords(facts) + QLatin1Char('\n');
  if (drawing_->scene()) text += drawing_->readout() + QLatin1Char('\n');
  return text;
}

} // namespace nestwright::ui

#include "moc_launch_page.cpp"
