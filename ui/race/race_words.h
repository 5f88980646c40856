#pragma once
/// \file What the view of races says, and what it draws of one.

#include "ui/charts/series_plot.h"
#include "ui/race/race_reader.h"

#include <QString>

#include <vector>

namespace nestwright::ui {

/// "Race 3f9a01c2 · random, evolutionary · 2026-11-26 23:04:11".
QString titleOf(const RaceChoice& race);
/// How far it is, who runs it, and how it goes on: "Race 3f9a01c2 is under way: 5 of 9 sessions
/// have ended, …"
QString progressText(const RaceAnswer& answer, const QString& file);
/// The same of one that runs in this window; `moment` as RaceControl::moment() has it.
QString runsHereText(const RaceAnswer& answer, bool isPausing, const QString& moment);
/// What comes out, in a sentence.
QString verdictText(const RaceResult& result);
/// How a race is made in this file (its path), for a document without one.
QString howToRace(const QString& command);
QString raceCommand(const QString& file);

/// The curves of all racers on one task (by number) with their intervals.
SeriesScene raceScene(const RaceResult& result, std::size_t task, double marked);
/// What the chart shows, as numbers.
ExportTable curveTable(const RaceResult& result);

} // namespace nestwright::ui
