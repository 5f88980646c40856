#pragma once
/// \file A session or recombination that its file, or the device that it measures on, keeps from
/// going on, or that another program has: it pauses, and start() goes on once that is mended.

#include "core/backend/device_error.h"
#include "core/record/rows/session_status.h"
#include "core/record/sql/file_trouble.h"
#include "core/session/run/session_lock.h"

#include <exception>
#include <string>

namespace nestwright {

/// Calls `turn` until it returns false, and then `close`. When either throws, `end` is called with
/// the status, the reason and the cause to end the run with.
template <class Turn, class Close, class End>
void takeTurns(Turn turn, Close close, End end) {
  const auto orEnd = [&](auto work) {
    try {
      work();
    } catch (const SessionInUse& other) { // no failure: it goes on there
      end(SessionStatus::Paused, std::string(other.what()), PauseCause::InUse);
    } catch (const FileTrouble& trouble) {
      end(SessionStatus::Paused, std::string("nothing can be stored now: ") + trouble.what(),
          PauseCause::Trouble);
    } catch (const DeviceError& e) {
      if (e.fault() == DeviceFault::Absent)
        end(SessionStatus::Paused, std::string("nothing can be measured now: ") + e.what(),
            PauseCause::Device);
      else
        end(SessionStatus::Failed, std::string(e.what()), PauseCause::None);
    } catch (const std::exception& e) {
      end(SessionStatus::Failed, std::string(e.what()), PauseCause::None);
    }
  };
  const auto goesOn = [&] {
    bool more = true; // after a failure it is for `turn` to say
    orEnd([&] { more = turn(); });
    return more;
  };
  while (goesOn()) {
  }
  orEnd(close);
}

} // namespace nestwright
