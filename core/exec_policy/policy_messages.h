#pragma once
/// \file The lines of the conversation with a policy in a process of its own
/// (handbook/policies.md): those that it is sent, and what its own mean.

#include "core/search/decisions/sketch_decisions.h"
#include "core/search/search_policy.h"
#include "core/support/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

inline constexpr int kPolicyProtocol = 1;
/// Bytes that a line of the process may have.
inline constexpr std::size_t kLongestPolicyLine = 1 << 20;

/// The process cannot be asked any further; a sentence says why.
class PolicyFailure : public Error {
 public:
  /// `printed`: what it said on standard error, where nobody can be asked for it any more.
  explicit PolicyFailure(const std::string& sentence, std::string printed = {})
      : Error(sentence), printed_(std::move(printed)) {}
  const std::string& printed() const { return printed_; }

 private:
  std::string printed_;
};

/// A candidate that was refused: its place in the answer, and why.
struct PolicyProblem {
  std::size_t candidate = 0;
  std::string reason;
};
/// A JSON list.
std::string toText(const std::vector<PolicyProblem>& problems);

/// The task, its sketches and what they leave open.
std::string helloLine(const SearchContext& context, double answerSeconds);
/// `problems`: of the answer before, as toText() gives them; empty for none.
std::string askLine(int round, int count, const std::string& problems);
std::string tellLine(const std::vector<ToldProgram>& programs, const SearchContext& context);
std::string byeLine();

/// What it calls itself. Throws PolicyFailure for what is no answer to a hello, and for one of
/// another protocol.
std::string nameInHello(const std::string& line);

/// A program that it proposed, as far as it can be understood.
struct ProposedProgram {
  std::int64_t sketch = 0;
  DecisionValues decisions;
  std::optional<Steps> steps; // in place of a sketch with decisions
  std::string label;          // its own words about it
  std::string problem;        // why it is none, a sentence
};
/// Throws PolicyFailure for what is no answer to an ask.
std::vector<ProposedProgram> candidatesIn(const std::string& line);

/// A text of the process in a sentence: in quotation marks, on one line, and no longer than some
/// hundred bytes.
std::string quotation(const std::string& text);

} // namespace nestwright
