#pragma once
/// \file A program as a person reads it: its loop nest, its steps in words, and the mathematics of
/// its task. Made on the reader's thread.

#include "core/record/store.h"

#include <QString>
#include <QStringList>

namespace nestwright::ui {

struct ProgramText {
  RowId task = 0, record = 0; // record 0: the naive program
  QString title;              // which program of which task this is
  QString subtitle;           // its latency and how sure that is
  QString loopNest, steps, stepsJson, dag;
  QStringList reductionLoops; // names of loops that reduce, for colouring
  QString problem;            // why the loop nest cannot be shown
};

/// The program of this record; for record 0 the task's best, or its naive program if it has none.
/// Throws InputError when the file has no such task or record.
ProgramText readProgram(const RecordStore& store, RowId task, RowId record);

} // namespace nestwright::ui
