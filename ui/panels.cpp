#include "ui/panels.h"

#include "ui/budget_view.h"
#include "ui/compare_view.h"
#include "ui/cost_model_view.h"
#include "ui/curve_view.h"
#include "ui/import_view.h"
#include "ui/inspector_view.h"
#include "ui/log_view.h"
#include "ui/notes_view.h"
#include "ui/program_compare_view.h"
#include "ui/program_view.h"
#include "ui/recombination_view.h"
#include "ui/record_view.h"
#include "ui/roofline_view.h"
#include "ui/scheduler_view.h"
#include "ui/task_graph_view.h"
#include "ui/task_view.h"
#include "ui/text.h"

namespace nestwright::ui {
namespace {

template <class View>
QWidget* make(Document& document, QWidget* parent) {
  return new View(document, parent);
}

} // namespace

std::vector<PanelSpec> panelSpecs() {
  using enum Place;
  // name, title, widget, place in Tune, Browse, Teach
  return {
      {"tasks", tr("Tasks"), make<TaskView>, {LeftTop, LeftTop, LeftTop}},
      {"curves", tr("Tuning Curves"), make<CurveView>, {CentreTop, LeftBottom, CentreTop}},
      {"scheduler", tr("Scheduler"), make<SchedulerView>, {CentreTop, Hidden, CentreTop}},
      {"task_graph", tr("Task Graph"), make<TaskGraphView>, {CentreTop, Hidden, CentreTop}},
      {"records", tr("Records"), make<RecordView>, {LeftBottom, CentreTop, LeftBottom}},
      {"program", tr("Program"), make<ProgramView>, {CentreBottom, CentreBottom, RightTop}},
      {"compare",
       tr("Compare Programs"),
       make<ProgramCompareView>,
       {CentreBottom, CentreBottom, RightTop}},
      {"inspector",
       tr("Search Inspector"),
       make<InspectorView>,
       {CentreBottom, Hidden, CentreBottom}},
      {"recombination",
       tr("Recombination"),
       make<RecombinationView>,
       {CentreBottom, Hidden, CentreBottom}},
      {"cost_model",
       tr("Cost Model"),
       make<CostModelView>,
       {CentreBottom, CentreBottom, CentreBottom}},
      {"roofline", tr("Roofline"), make<RooflineView>, {CentreTop, LeftBottom, CentreTop}},
      {"log", tr("Log"), make<LogView>, {LeftBottom, Hidden, LeftBottom}},
      {"budget", tr("Budget"), make<BudgetView>, {LeftBottom, Hidden, Hidden}},
      {"notes", tr("Notes"), make<NotesView>, {LeftBottom, LeftBottom, LeftBottom}},
      {"import", tr("Import"), make<ImportView>, {LeftBottom, LeftBottom, Hidden}},
      {"compare-sessions",
       tr("Compare Sessions"),
       make<CompareView>,
       {LeftBottom, LeftBottom, LeftBottom}},
  };
}

} // namespace nestwright::ui
