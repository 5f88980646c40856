#pragma once
/// \file The worker process's side of the protocol.

#include "core/backend/backend.h"
#include "core/worker/frame.h"

#include <functional>

namespace nestwright {

/// The worker's main loop with a given backend, which is asked for only once standard output is
/// safe: frames on standard input, answers on standard output, until the end of input. What a
/// kernel or a library prints goes to standard error. Returns the process exit code.
int runWorker(const std::function<const Backend&()>& backend);

/// Gives each request its answer.
using RequestHandler = std::function<Frame(Frame&&)>;

/// The main loop for requests of any kind. `makeHandler` is called once standard output is safe;
/// what it throws is the worker's last word. Returns the process exit code.
int serveRequests(const std::function<RequestHandler()>& makeHandler);

} // namespace nestwright
