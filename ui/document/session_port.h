#pragma once
/// \file What the window needs of what runs on a thread of its own: somewhere to post commands. The
/// product uses core's Session and Recombination; tests put a scripted one in their place.

#include "core/session/run/session.h"

#include <functional>
#include <memory>
#include <string>

namespace nestwright::ui {

/// Takes commands of one kind; the outcome comes as events. Destruction pauses and stores.
template <class Message>
class CommandPort {
 public:
  CommandPort() = default;
  CommandPort(const CommandPort&) = delete;
  CommandPort& operator=(const CommandPort&) = delete;
  virtual ~CommandPort() = default;
  /// Returns at once.
  virtual void post(const Message& message) = 0;
};

using SessionPort = CommandPort<Command>;
using SessionFactory = std::function<std::unique_ptr<SessionPort>(
    const std::string& path, RowId session, Session::Observer observer)>;

/// Runs core's Session, with the worker's command of the settings; with a `measure` function
/// nothing is really timed.
SessionFactory realSessions(MeasureFunction measure = nullptr);

} // namespace nestwright::ui
