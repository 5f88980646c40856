#pragma once
/// \file What the memory of a session would find, before there is a session: which of its files can
/// be read, and what they know of each task.

#include "core/session/run/memory/session_memory.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

struct MemoryFile {
  std::string file;    // its path
  std::string problem; // why it cannot be read, a clause; no session can be made with it
  std::string remark;  // a clause of why it helps less than it may seem to; may be empty
  std::size_t tasks = 0, onTarget = 0; // all of its tasks, and those of the very target
};

struct MemorySurvey {
  std::vector<MemoryFile> files; // in the order of the settings; the own one only where it is there
  SessionMemory known;           // of those that can be read, without a cost model
  std::string problem;           // of the subjects or the target: then nothing is known
  /// Of the first file that has one, with its name; empty where each can be read.
  std::string fileProblem() const;
  /// Tasks of which this is the nearest source; none: nothing is known.
  std::size_t count(std::optional<MemorySource> source) const;
  std::size_t programs() const; // that would be tried, of all tasks
};

/// The program that tells most of the task: of the nearest source, of those the one with the
/// nearest extents, of those the fastest; null where there is none.
const RememberedProgram* nearest(const TaskRecall& recall);

/// Looks into the files that the settings name; `own` is the file of the session to be, which need
/// not be there, and `launch` what would measure. `check` is called between two steps, and may
/// throw to stop. What is wrong is part of the answer.
MemorySurvey surveyMemory(
    const SessionConfig& config, const std::string& own, const WorkerLaunch& launch = {},
    const std::function<void()>& check = [] {});

} // namespace nestwright
