#include "core/support/process.h"

#include "core/support/printable.h"

#include <fcntl.h>
#include <malloc.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

namespace nestwright {

namespace {

void openStandardStreams() {
  // From the lowest on: a descriptor that is opened gets the lowest free number.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", O_RDWR);
}

class PrintableMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

void makeLogPrintable() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('*');
  formatter->set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%n] [%^%l%$] %*"); // spdlog's own
  spdlog::set_formatter(std::move(formatter));
}

} // namespace

void prepareProcess() {
  openStandardStreams();
  std::signal(SIGXFSZ, SIG_IGN);
  makeLogPrintable();
}

void shareHeaps() {
  mallopt(M_ARENA_MAX, 2);
}

void standBack(int niceness) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);
}

} // namespace nestwright
