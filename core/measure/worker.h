#pragma once
/// \file The worker process's side of the protocol.

#include "core/backend/backend.h"

#include <functional>

namespace nestwright {

/// The worker's main loop with a given backend, which is asked for only once standard output is
/// safe: frames on standard input, answers on standard output, until the end of input. What a
/// kernel or a library prints goes to standard error. Returns the process exit code.
int runWorker(const std::function<const Backend&()>& backend);

} // namespace nestwright
