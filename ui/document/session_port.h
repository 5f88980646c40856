#pragma once
/// \file What the document needs of a tuning session. The product uses core's Session; tests put a
/// scripted one in its place.

#include "core/session/run/session.h"

#include <functional>
#include <memory>
#include <string>

namespace nestwright::ui {

/// Commands return at once; the outcome comes as events. Destruction pauses and stores.
class SessionPort {
 public:
  virtual ~SessionPort() = default;
  virtual void start() = 0;
  virtual void pause() = 0;
  virtual void stop() = 0;
  virtual void setImportance(RowId task, double importance) = 0;
  virtual void setTrialBudget(std::int64_t trials) = 0;
  virtual void setTimeBudget(double seconds) = 0;
  virtual void setTaskMode(RowId task, TaskMode mode) = 0;
  virtual void setObjective(const Objective& objective) = 0;
  virtual void setSearchOptions(const SearchOptions& options) = 0;
  virtual void measureNow(RowId task, const NamedProgram& program) = 0;
  virtual void setSeed(RowId task, const NamedProgram& program, bool added) = 0;
  virtual void forget(const std::vector<RowId>& records, bool forgotten) = 0;
  virtual void pauseAfterPhase(bool on) = 0;
  virtual void step(std::optional<SearchPhase> until) = 0;
  virtual SessionStatus status() const = 0;
};

using SessionFactory = std::function<std::unique_ptr<SessionPort>(
    const std::string& path, RowId session, Session::Observer observer)>;

/// Runs core's Session, with the worker's command of the settings; with a `measure` function
/// nothing is really timed.
SessionFactory realSessions(MeasureFunction measure = nullptr);

} // namespace nestwright::ui
