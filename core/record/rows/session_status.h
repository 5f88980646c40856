#pragma once
/// \file The state of a session or recombination.

#include <cstdint>
#include <string_view>

namespace nestwright {

enum class SessionStatus : std::uint8_t { Ready, Running, Paused, Finished, Failed };
/// "ready", "running", "paused", "finished", "failed": as it is stored and shown.
const char* name(SessionStatus status);
/// The inverse. Throws InputError for another text.
SessionStatus statusFromName(std::string_view text);

/// Why one is paused, where that matters to those who look at it.
enum class PauseCause : std::uint8_t {
  None,    // it is not paused, or nobody said why
  Asked,   // by a command, or after a phase that it was to pause after
  Closed,  // the program that ran it ended
  Trouble, // its file kept it from going on; it can be started again once that is mended
  Device,  // the same of the device that it measures on
  InUse,   // another program has it: nothing of it was begun here
  Policy,  // its search policy is a process of its own, and gave nothing
};
/// "", "asked", "closed", "trouble", "device", "in use", "policy".
const char* name(PauseCause cause);
/// The inverse. Throws InputError for another text.
PauseCause pauseCauseFromName(std::string_view text);

/// Whether somebody has to do something before it can go on.
inline bool needsHelp(SessionStatus status, PauseCause cause) {
  return status == SessionStatus::Failed || cause == PauseCause::Trouble ||
         cause == PauseCause::Device || cause == PauseCause::InUse || cause == PauseCause::Policy;
}

} // namespace nestwright
