#pragma once
/// \file A worker whose answers are damaged on the way.

namespace nestwright::fuzz {

/// Answers a session's requests well, as far as it can be seen without running anything, and
/// damages some of the answers as $MUTATE_SEED says: their bytes, their JSON, their number. Returns
/// the exit code.
int beFakeWorker();

} // namespace nestwright::fuzz
