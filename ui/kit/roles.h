#pragma once
/// \file What models give to views and to the painting of cells, beside Qt's own roles. All of ours
/// are here, so that no two of them are one number.

#include <Qt>

namespace nestwright::ui {

enum CellRole : int {
  SortRole = Qt::UserRole, // raw number, or text for a name
  ExportRole,   // bare value for other programs, without unit; of a header, its title with the unit
  TaskRole,     // RowId
  RecordRole,   // RowId
  ItemRole,     // int: which of those that the model was given, whatever the order of the rows
  RankRole,     // int, for the colour
  FractionRole, // double in [0, 1], drawn as a bar
  TrendRole,    // QVector<double>: best-so-far over the session, evenly spaced
  ActiveRole,   // bool: has the present round, or was chosen
  ErrorRole,    // bool: the measurement failed
  DiffersRole,  // bool: two programs differ in it
  MarkRole,     // DiffMark as int: what changed
  HotRole,      // double: share of the cost inside an innermost loop; invalid: none
  LevelRole,    // CacheLevel as int: which cache holds it
  OriginsRole,  // QList<int>: of which parent each step is
  KindRole,     // text: what sort of thing it is
  DetailRole,   // text: beside the name, dimmed
  GroupingRole, // GroupBy as int: what the values of a facet are of
  StepRole,     // int: step of a program
  StageRole,    // int: stage of a program
  IteratorRole, // int: loop of a stage
  ChoicesRole,  // QStringList: what a cell can be set to
  PathRole,     // text: a file, or a page of the handbook
  RuleRole,     // text: the name of a rule of sketches
  SharesRole,   // QVector<double>: parts of a bar, drawn one behind the other
};

} // namespace nestwright::ui
