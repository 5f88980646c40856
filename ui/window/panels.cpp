#include "ui/window/panels.h"

#include "ui/compare/compare_view.h"
#include "ui/cost_model/cost_model_view.h"
#include "ui/curves/curve_view.h"
#include "ui/import/import_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/kit/text.h"
#include "ui/lab/data_view.h"
#include "ui/lab/models_view.h"
#include "ui/lab/training_view.h"
#include "ui/log/log_view.h"
#include "ui/notes/notes_view.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_view.h"
#include "ui/recombination/recombination_view.h"
#include "ui/records/record_view.h"
#include "ui/roofline/roofline_view.h"
#include "ui/scheduler/budget_view.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/task_graph/task_graph_view.h"
#include "ui/tasks/task_view.h"
#include "ui/travel/travel_view.h"

namespace nestwright::ui {
namespace {

template <class View>
QWidget* make(Document& document, QWidget* parent) {
  return new View(document, parent);
}

} // namespace

std::vector<PanelSpec> panelSpecs() {
  using enum Place;
  // name, title, widget, place in Tune, Browse, Teach, Lab
  return {
      {"tasks", tr("Tasks"), make<TaskView>, {LeftTop, LeftTop, LeftTop, Hidden}},
      {"curves", tr("Tuning Curves"), make<CurveView>, {CentreTop, LeftBottom, CentreTop, Hidden}},
      {"scheduler", tr("Scheduler"), make<SchedulerView>, {CentreTop, Hidden, CentreTop, Hidden}},
      {"task_graph", tr("Task Graph"), make<TaskGraphView>, {CentreTop, Hidden, CentreTop, Hidden}},
      {"records", tr("Records"), make<RecordView>, {LeftBottom, CentreTop, LeftBottom, LeftBottom}},
      {"program",
       tr("Program"),
       make<ProgramView>,
       {CentreBottom, CentreBottom, RightTop, LeftBottom}},
      {"compare",
       tr("Compare Programs"),
       make<ProgramCompareView>,
       {CentreBottom, CentreBottom, RightTop, Hidden}},
      {"inspector",
       tr("Search Inspector"),
       make<InspectorView>,
       {CentreBottom, Hidden, CentreBottom, Hidden}},
      {"recombination",
       tr("Recombination"),
       make<RecombinationView>,
       {CentreBottom, Hidden, CentreBottom, Hidden}},
      {"cost_model",
       tr("Cost Model"),
       make<CostModelView>,
       {CentreBottom, CentreBottom, CentreBottom, CentreBottom}},
      {"travel",
       tr("Travel Map"),
       make<TravelView>,
       {CentreBottom, CentreBottom, Hidden, CentreTop}},
      {"roofline", tr("Roofline"), make<RooflineView>, {CentreTop, LeftBottom, CentreTop, Hidden}},
      {"log", tr("Log"), make<LogView>, {LeftBottom, Hidden, LeftBottom, LeftBottom}},
      {"budget", tr("Budget"), make<BudgetView>, {LeftBottom, Hidden, Hidden, Hidden}},
      {"notes", tr("Notes"), make<NotesView>, {LeftBottom, LeftBottom, LeftBottom, LeftBottom}},
      {"import", tr("Import"), make<ImportView>, {LeftBottom, LeftBottom, Hidden, LeftBottom}},
      {"compare-sessions",
       tr("Compare Sessions"),
       make<CompareView>,
       {LeftBottom, LeftBottom, LeftBottom, Hidden}},
      {"data-set", tr("Data Set"), make<DataView>, {Hidden, Hidden, Hidden, LeftTop}},
      {"compare-models",
       tr("Compare Models"),
       make<ModelsView>,
       {Hidden, Hidden, Hidden, CentreTop}},
      {"training", tr("Training"), make<TrainingView>, {Hidden, Hidden, Hidden, CentreTop}},
  };
}

} // namespace nestwright::ui
