#include "ui/lab/judged_task_model.h"

#include "ui/kit/format.h"
#include "ui/kit/text.h"

namespace nestwright::ui {

JudgedTaskModel::JudgedTaskModel(QObject* parent) : SortedTable(parent) {
  setColumns(columns());
}

void JudgedTaskModel::show(Judged judged, std::size_t model, std::size_t other, std::size_t k) {
  std::vector<JudgedTask> tasks;
  model_ = model, other_ = other, k_ = k;
  if (judged) {
    const ModelEvaluation& evaluation = judged->evaluation;
    for (std::size_t t = 0; t < evaluation.tasks.size(); ++t) {
      const TaskFigures& figures = evaluation.models[model].tasks[t];
      tasks.push_back({int(t), taskTitle(judged->data.tasks[evaluation.tasks[t]].name), &figures,
                       topScore(evaluation, model, t, k), topScore(evaluation, other, t, k),
                       figures.at[k].pickedSeconds});
    }
  }
  const Judged before = std::exchange(judged_, std::move(judged)); // old rows look into it
  setColumns(columns());
  giveRows(std::move(tasks));
  if (columnCount() > 0) Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int JudgedTaskModel::rowOf(int task) const {
  return firstRow([task](const JudgedTask& row) { return row.task == task; });
}

JudgedTaskModel::Columns JudgedTaskModel::columns() const {
  using Row = JudgedTask;
  const auto name = [this](std::size_t model) {
    return judged_ ? modelTitle(judged_->evaluation.models[model].name) : tr("the model");
  };
  const QString k = judged_ ? QString::number(judged_->evaluation.ks[k_]) : QStringLiteral("1");
  const auto number = [](const QString& title, const QString& tip, auto text, auto bare) {
    return TableColumn<Row>{
        .title = title, .tip = tip, .text = text, .align = kRight, .sort = bare, .bare = bare};
  };
  const auto score = [&](const QString& of, double Row::*value) {
    TableColumn<Row> column = number(
        tr("Top-%1, %2").arg(k, of),
        tr("What a search gets that measures the %1 favourites of %2: the task's best time by "
           "theirs. Higher is better; 1 is the best itself.")
            .arg(k, of),
        [value](const Row& row) { return figureText(row.*value); },
        [value](const Row& row) { return row.*value; });
    column.fraction = [value](const Row& row) { return row.*value; };
    return column;
  };
  return {{.title = tr("Task"),
           .tip = tr("The task whose programs were put in order. Click a row to see both orders."),
           .text = [](const Row& row) { return row.name; }},
          score(name(model_), &Row::score),
          score(name(other_), &Row::other),
          number(
              tr("Picked"),
              tr("Time of the fastest among the model's %1 favourites; lower is better. Where all "
                 "failed it is 100,000 times the best.")
                  .arg(k),
              [](const Row& row) { return timeText(row.picked); },
              [](const Row& row) { return row.picked * 1e3; }),
          number(
              tr("Best"), tr("Time of the fastest program that was measured; lower is better."),
              [](const Row& row) { return timeText(row.figures->bestSeconds); },
              [](const Row& row) { return row.figures->bestSeconds * 1e3; }),
          number(
              tr("Pairs"),
              tr("Share of the pairs of programs that the model puts in the right order. Higher is "
                 "better; 50 % is chance."),
              [](const Row& row) { return percentText(row.figures->pairwiseAccuracy); },
              [](const Row& row) { return row.figures->pairwiseAccuracy; }),
          number(
              tr("τ"),
              tr("Kendall's rank correlation of predicted and measured order. Higher is better: 1 "
                 "is the same order, 0 none."),
              [](const Row& row) { return figureText(row.figures->rankCorrelation); },
              [](const Row& row) { return row.figures->rankCorrelation; }),
          number(
              tr("Programs"), tr("Tested programs of the task."),
              [](const Row& row) { return countText(qint64(row.figures->programs)); },
              [](const Row& row) { return qint64(row.figures->programs); }),
          number(
              tr("Failed"), tr("Those of them that did not run."),
              [](const Row& row) { return countText(qint64(row.figures->failed)); },
              [](const Row& row) { return qint64(row.figures->failed); })};
}

QVariant JudgedTaskModel::rowData(const JudgedTask& task, int role) const {
  if (role == ItemRole) return task.task;
  if (role != Qt::ToolTipRole) return {};
  return task.name + tr("\nClick to see the model's order beside the measured one.");
}

} // namespace nestwright::ui

#include "moc_judged_task_model.cpp"
