#include "core/exec_policy/policy_conversation.h"

#include "core/support/units.h"

#include <csignal>

namespace nestwright {

namespace {

std::string endText(const ProcessEnd& end) {
  if (end.signal == SIGKILL) return "closed its standard output, or was killed";
  return fmt::format("ended: {}", inWords(end));
}

} // namespace

PolicyConversation::PolicyConversation(const PolicyLaunch& launch, const SearchContext& context)
    : process_(launch.command, kLongestPolicyLine, "policy"), answerSeconds_(launch.answerSeconds) {
  process_.say(helloLine(context, answerSeconds_));
  try {
    name_ = nameInHello(hear(context));
  } catch (const PolicyFailure& failure) {
    throw PolicyFailure(failure.what(), process_.takePrinted());
  }
}

std::string PolicyConversation::hear(const SearchContext& context) {
  using Kind = HeardLine::Kind;
  HeardLine heard = process_.hear(answerSeconds_, context.stop);
  switch (heard.kind) {
  case Kind::Line:
    return std::move(heard.text);
  case Kind::Stopped:
    throw PolicyStopped();
  case Kind::Late:
    throw PolicyFailure(fmt::format("the policy's program did not answer within {}",
                                    formatDuration(answerSeconds_)));
  case Kind::TooLong:
    throw PolicyFailure(fmt::format("the policy's program said more than {} bytes without the end "
                                    "of a line: {}",
                                    kLongestPolicyLine, quotation(heard.text)));
  case Kind::Ended:
    break;
  }
  throw PolicyFailure(fmt::format(
      "the policy's program {}{}", endText(process_.end()),
      heard.text.empty()
          ? std::string()
          : fmt::format("; its last words have no end of a line: {}", quotation(heard.text))));
}

std::string PolicyConversation::ask(const std::string& line, const SearchContext& context) {
  if (process_.hasMore())
    throw PolicyFailure(fmt::format("the policy's program said {} without being asked",
                                    quotation(process_.hear(0, nullptr).text)));
  process_.say(line);
  lastWords_.clear(); // it is told them with this round
  return hear(context);
}

void PolicyConversation::repeat(const std::vector<PolicyTalk>& rounds, const SearchContext& context,
                                bool& others) {
  for (const PolicyTalk& round : rounds) {
    for (std::size_t i = 0; i < round.lines.size(); ++i) {
      const bool asks = i + 1 < round.lines.size() && round.lines[i + 1].isFromIt;
      if (round.lines[i].isFromIt) continue;
      if (asks)
        others |= ask(round.lines[i].text, context) != round.lines[i + 1].text;
      else
        tell(round.lines[i].text);
    }
  }
}

void PolicyConversation::sayBye() {
  if (!lastWords_.empty()) process_.say(lastWords_);
  process_.say(byeLine());
}

void PolicyConversation::finish(double seconds) {
  process_.finish(seconds);
}

} // namespace nestwright
