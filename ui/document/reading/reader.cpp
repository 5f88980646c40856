#include "ui/document/reading/reader.h"

#include <utility>

namespace nestwright::ui {

void Reader::setPath(const QString& path) {
  for (auto& [channel, question] : questions_)
    question.cancel();
  path_ = path;
  // The file may be another one of the same name. It is closed where it was opened.
  thread_.start([old = std::exchange(store_, std::make_shared<StoreCache>())] { old->close(); });
}

void Reader::cancel(Channel channel) {
  if (const auto found = questions_.find(channel); found != questions_.end())
    found->second.cancel();
}

bool Reader::busy(Channel channel) const {
  const auto found = questions_.find(channel);
  return found != questions_.end() && found->second.isBusy();
}

} // namespace nestwright::ui

#include "moc_reader.cpp"
