#pragma once
/// \file What a search and a policy in a process of its own say to one another, as far as it is
/// kept (handbook/policies.md).

#include "core/schedule/step.h"
#include "core/search/origin.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright {

/// A program that was measured, as the process is told of it.
struct ToldProgram {
  std::int64_t trial = 0; // of the session
  int round = 0;
  std::string programId;
  Steps steps;
  int sketch = 0; // its index; -1: of none
  Origin origin = Origin::Unknown;
  std::string label;           // of its own candidate: what it called it
  std::string verdict;         // "ok", "wrong answer", ...
  double seconds = 0;          // median; infinity when it failed
  std::vector<double> repeats; // seconds of each
  std::string error;           // a sentence, when it failed
};

/// A line of JSON.
struct TalkLine {
  bool isFromIt = false;
  std::string text;
  friend bool operator==(const TalkLine&, const TalkLine&) = default;
};

/// What was said in a round of a task, and what came of it.
struct PolicyTalk {
  int round = 0;
  std::string name; // what the program calls itself; empty while it has not said
  /// What another process has to be told, and asked again, to know what this one knew.
  std::vector<TalkLine> lines;
  std::int64_t toldTrial = 0; // the last trial of the session that it was told of
  std::string problems;       // it is still to be told, a JSON list; empty where there are none
  int asked = 0, given = 0;   // candidates
  std::string failure;        // how the process ended or why it was ended, a sentence; else empty
  std::vector<std::string> remarks; // sentences about the rest of what it did
  std::string printed;              // on standard error, the end of it
  friend bool operator==(const PolicyTalk&, const PolicyTalk&) = default;
};

/// "random example proposed 3 of 16 programs, the others were drawn at random: ...", with what it
/// printed last.
std::string sentence(const PolicyTalk& talk);

} // namespace nestwright
