#pragma once
/// \file Real sessions whose measurements are made up: a time that depends on the program alone,
/// and some failures.

#include "core/session/run/session.h"
#include "ui/document/session_port.h"

#include <QString>

#include <atomic>
#include <memory>

namespace nestwright::ui::testing {

/// Core's session on the made-up machine of tests/session.
SessionFactory madeUpSessions();

/// The same at 200 programs per second, as a real machine might.
SessionFactory pacedSessions();

/// The same as far as a test lets it: so many programs are measured, then it waits until more are
/// allowed or it is to stop. However busy the machine is, nothing happens too early.
using Allowance = std::shared_ptr<std::atomic<int>>;
SessionFactory heldSessions(Allowance programs);

/// Small products, bred under a cost model after a few random rounds; or random ones alone.
SessionConfig madeUpConfig(const char* policy = "evolutionary");

/// Makes the file with a session of this configuration and runs it to its end.
RowId runMadeUpSession(const QString& path, const SessionConfig& config);

} // namespace nestwright::ui::testing
