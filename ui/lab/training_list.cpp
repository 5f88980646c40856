#include "ui/lab/training_list.h"

#include "core/support/infinity.h"
#include "ui/kit/colours.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QFileInfo>
#include <QPainter>
#include <QPixmap>

#include <cmath>
#include <set>

namespace nestwright::ui {
namespace {

/// So many of those that are found are drawn at first; the others when they are ticked.
constexpr int kShownAtFirst = 4;

QPixmap swatch(const QColor& colour) {
  constexpr int kSide = 10;
  QPixmap square(kSide, kSide);
  square.fill(Qt::transparent);
  QPainter painter(&square);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawRoundedRect(QRectF(0, 0, kSide, kSide), 1.5, 1.5);
  return square;
}

QString passesText(const Training& training, int count) {
  const bool network = isNetwork(training.wish.model);
  if (count == 1) return network ? tr("1 epoch") : tr("1 tree");
  return (network ? tr("%1 epochs") : tr("%1 trees")).arg(count);
}

QString runningText(const Training& training) {
  const TrainingCourse& course = training.course;
  switch (course.phase) {
  case TrainingPhase::Reading:
    return tr("reading records, %1").arg(percentText(course.read));
  case TrainingPhase::Judging:
    return tr("judging what it did not see");
  case TrainingPhase::Training:
    break;
  }
  const TrainingProgress& progress = course.progress;
  if (progress.epochs == 0) return tr("starting to learn");
  const QString pass = (isNetwork(training.wish.model) ? tr("epoch %1 of %2") : tr("tree %1 of %2"))
                           .arg(progress.epoch)
                           .arg(progress.epochs);
  return std::isfinite(progress.secondsLeft)
             ? tr("%1, %2 left").arg(pass, durationText(progress.secondsLeft))
             : pass;
}

/// The pass whose network is kept, or else the last one; null before there is one.
const EpochResult* epochOf(const Training& training) {
  const std::vector<EpochResult>& curve = training.course.curve;
  if (curve.empty()) return nullptr;
  if (training.course.model)
    for (const EpochResult& result : curve)
      if (result.epoch == training.course.model->kept) return &result;
  return &curve.back();
}

} // namespace

bool isUnderWay(const Training& training) {
  return training.course.state == TrainingState::Running ||
         training.course.state == TrainingState::Waiting;
}

bool canGoOn(const Training& training) {
  return training.course.kept && !isUnderWay(training);
}

QString titleOf(const Training& training) {
  return QFileInfo(training.file).fileName();
}

QString stateText(const Training& training) {
  const TrainingCourse& course = training.course;
  const int passes = int(course.curve.size());
  switch (course.state) {
  case TrainingState::Waiting:
    return tr("waits for the one before");
  case TrainingState::Running:
    return runningText(training);
  case TrainingState::Stopped:
    return course.kept ? tr("stopped, %1 kept").arg(passesText(training, passes))
                       : tr("stopped, nothing kept");
  case TrainingState::Failed:
    return course.kept ? tr("✗ failed, %1 kept").arg(passesText(training, passes)) : tr("✗ failed");
  case TrainingState::Elsewhere:
    return tr("trained elsewhere, %1 done").arg(passesText(training, passes));
  case TrainingState::Finished:
    break;
  }
  if (!course.model) return tr("trained");
  const ModelFile& model = *course.model;
  QString text = isNetwork(training.wish.model) && model.kept > 0 && passes > 0
                     ? tr("epoch %1 of %2 kept").arg(model.kept).arg(passes)
                     : passesText(training, std::max(model.kept, passes));
  if (model.seconds > 0) text += QStringLiteral(" · ") + durationText(model.seconds);
  return text;
}

std::optional<double> shareDone(const Training& training) {
  const TrainingCourse& course = training.course;
  if (course.state != TrainingState::Running) return std::nullopt;
  if (course.phase == TrainingPhase::Reading) return course.read;
  if (course.phase == TrainingPhase::Judging) return 1;
  const TrainingProgress& progress = course.progress;
  if (progress.epochs <= 0) return 0;
  const double ofEpoch = progress.programsOfEpoch > 0
                             ? double(progress.programs) / double(progress.programsOfEpoch)
                             : 0;
  return std::clamp((progress.epoch - 1 + ofEpoch) / progress.epochs, 0.0, 1.0);
}

bool hasValidation(const Training& training) {
  return std::ranges::any_of(training.course.curve, [](const EpochResult& result) {
    return result.top5 > 0 || result.validationLoss != 0;
  });
}

QColor colourOf(const Training& training) {
  return colours().series[std::size_t(training.colour) % colours().series.size()];
}

TrainingList::TrainingList(QObject* parent) : TableModel(parent) {
  setColumns(columns());
}

int TrainingList::rowOf(const QString& file) const {
  return firstRow([&](const Training& training) { return training.file == file; });
}

void TrainingList::add(Training training) {
  if (const int before = rowOf(training.file); before >= 0) remove(before);
  training.colour = colours_++;
  beginInsertRows({}, 0, 0);
  rows_.insert(rows_.begin(), std::move(training));
  endInsertRows();
}

void TrainingList::addPast(std::vector<Training> trainings) {
  std::set<QString> known;
  for (const Training& training : rows_)
    known.insert(training.file);
  std::erase_if(trainings,
                [&](const Training& training) { return !known.insert(training.file).second; });
  auto drawn = std::ranges::count_if(rows_, &Training::shown);
  for (Training& training : trainings) {
    training.colour = colours_++;
    const bool draws =
        !training.course.curve.empty() || training.course.state == TrainingState::Elsewhere;
    training.shown = draws && drawn < kShownAtFirst;
    if (training.shown) ++drawn;
  }
  appendRows(trainings);
}

void TrainingList::bringUpToDate(const std::vector<Training>& found) {
  for (const Training& training : found)
    if (const int at = rowOf(training.file); at >= 0 && !row(at).isHere)
      change(at, [&training](Training& known) {
        known.wish = training.wish;
        known.course = training.course;
      });
}

void TrainingList::remove(int row) {
  if (row < 0 || row >= rowCount()) return;
  beginRemoveRows({}, row, row);
  rows_.erase(rows_.begin() + row);
  endRemoveRows();
}

void TrainingList::removePast() {
  std::vector<Training> here;
  for (const Training& training : rows_)
    if (training.isHere) here.push_back(training);
  if (here.size() == rows_.size()) return;
  setRows(std::move(here));
}

void TrainingList::change(int row, const std::function<void(Training&)>& change) {
  change(rows_.at(std::size_t(row)));
  Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

TrainingList::Columns TrainingList::columns() const {
  using Row = Training;
  const auto number = [](const QString& title, const QString& tip, auto value) {
    return TableColumn<Row>{.title = title,
                            .tip = tip,
                            .text =
                                [value](const Row& row) {
                                  const std::optional<double> known = value(row);
                                  return known ? figureText(*known) : noValue();
                                },
                            .align = kRight,
                            .sort = [value](const Row& row) { return value(row).value_or(-1); },
                            .bare =
                                [value](const Row& row) {
                                  const std::optional<double> known = value(row);
                                  return known ? QVariant(*known) : QVariant(QString());
                                }};
  };
  const auto ofEpoch = [](double EpochResult::*figure, bool ofValidation) {
    return [figure, ofValidation](const Row& row) -> std::optional<double> {
      const EpochResult* epoch = epochOf(row);
      if (!epoch || (ofValidation && !hasValidation(row))) return std::nullopt;
      return epoch->*figure;
    };
  };
  // Of trees the figures come at the end alone.
  const auto top = [ofEpoch](double EpochResult::*figure, double PartFigures::*atEnd) {
    return [atEnd, during = ofEpoch(figure, true)](const Row& row) {
      const auto& model = row.course.model;
      return model && model->validation ? std::optional((*model->validation).*atEnd) : during(row);
    };
  };
  std::vector<TableColumn<Row>> all(When + 1);
  all[Shown] = {.title = tr("Draw"),
                .tip = tr("Whether its curves are drawn below."),
                .align = kRight,
                .sort = [](const Row& row) { return row.shown ? 0 : 1; },
                .bare = [](const Row& row) { return row.shown ? tr("yes") : tr("no"); },
                .other = [](const Row& row, int role) -> QVariant {
                  if (role == Qt::AccessibleTextRole) return tr("Draw its curves");
                  if (role != Qt::CheckStateRole) return {};
                  return row.shown ? Qt::Checked : Qt::Unchecked;
                }};
  all[Name] = {.title = tr("Training"),
               .tip = tr("The model's file, in the colour of its curves. The newest is first."),
               .text = [](const Row& row) { return titleOf(row); },
               .other = [](const Row& row, int role) -> QVariant {
                 return role == Qt::DecorationRole ? QVariant(swatch(colourOf(row))) : QVariant();
               }};
  all[Model] = {.title = tr("Model"),
                .tip = tr("What is trained, and the loss that is made small."),
                .text = [](const Row& row) {
                  if (row.wish.model.empty() ||
                      (row.course.state == TrainingState::Failed && !row.isHere))
                    return noValue();
                  return row.wish.loss.empty()
                             ? qs(row.wish.model)
                             : QStringLiteral("%1 · %2").arg(qs(row.wish.model), qs(row.wish.loss));
                }};
  all[State] = {.title = tr("State"),
                .tip = tr("How far it is and how long it takes if no early end comes; of one that "
                          "is done what was kept."),
                .text = [](const Row& row) { return stateText(row); },
                .colour = [](const Row& row) -> QVariant {
                  return row.course.state == TrainingState::Failed ? QVariant(colours().failed)
                                                                   : QVariant();
                },
                .fraction = [](const Row& row) -> QVariant {
                  const std::optional<double> done = shareDone(row);
                  return done ? QVariant(*done) : QVariant();
                }};
  all[Loss] = number(tr("Loss"),
                     tr("Mean loss of the programs that are learned from, after the epoch that is "
                        "kept or the last one. Lower is better; losses of different names do not "
                        "compare."),
                     ofEpoch(&EpochResult::trainingLoss, false));
  all[Validation] = number(tr("Validation"),
                           tr("The same of the programs to validate with. Lower is better; that it "
                              "grows while the other falls says that programs are learned by "
                              "heart."),
                           ofEpoch(&EpochResult::validationLoss, true));
  all[Top1] = number(tr("Top-1"),
                     tr("Of each validation task the best time by that of the model's favourite, "
                        "in the mean. Higher is better; 1 is the best there is."),
                     top(&EpochResult::top1, &PartFigures::top1));
  all[Top5] = number(tr("Top-5"),
                     tr("The same with the fastest of the model's five favourites. Higher is "
                        "better."),
                     top(&EpochResult::top5, &PartFigures::top5));
  all[Tested] = number(tr("Test Top-1"),
                       tr("Top-1 on the data set's test part, which no training sees. Higher is "
                          "better; it is known at the end."),
                       [](const Row& row) -> std::optional<double> {
                         const auto& model = row.course.model;
                         if (!model || !model->test) return std::nullopt;
                         return model->test->top1;
                       });
  all[When] = {.title = tr("Trained"),
               .tip = tr("When the model was done."),
               .text =
                   [](const Row& row) {
                     return row.course.model && row.course.model->trained > 0
                                ? momentText(row.course.model->trained)
                                : noValue();
                   },
               .sort =
                   [](const Row& row) {
                     return row.course.model ? qint64(row.course.model->trained) : qint64(0);
                   }};
  return all;
}

QVariant TrainingList::rowData(const Training& training, int role) const {
  if (role != Qt::ToolTipRole) return {};
  QString tip = training.file;
  if (!training.course.problem.empty()) tip += QStringLiteral("\n✗ ") + qs(training.course.problem);
  return tip;
}

bool TrainingList::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.column() != Shown || role != Qt::CheckStateRole) return false;
  change(index.row(), [&](Training& training) { training.shown = value.toInt() == Qt::Checked; });
  return true;
}

Qt::ItemFlags TrainingList::flags(const QModelIndex& index) const {
  return TableModel::flags(index) |
         (index.isValid() && index.column() == Shown ? Qt::ItemIsUserCheckable : Qt::NoItemFlags);
}

} // namespace nestwright::ui

#include "moc_training_list.cpp"
