#include "ui/records/saved_filters.h"

#include "core/record/file/document_file.h"
#include "ui/document/change.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/kit/stored_value.h"
#include "ui/kit/text.h"

#include <nlohmann/json.hpp>

#include <QUndoStack>

#include <algorithm>

namespace nestwright::ui {
namespace {

constexpr const char* kKey = "filters/records";

std::vector<SavedFilter> filtersOf(const std::string& text) {
  std::vector<SavedFilter> filters;
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) return filters;
  for (const nlohmann::json& entry : list)
    if (entry.is_object() && isStored<std::string>(entry.value("name", nlohmann::json())) &&
        isStored<std::string>(entry.value("text", nlohmann::json())))
      filters.push_back({qs(storedText(entry, "name")), qs(storedText(entry, "text"))});
  return filters;
}

std::string jsonOf(const std::vector<SavedFilter>& filters) {
  if (filters.empty()) return {};
  nlohmann::json list = nlohmann::json::array();
  for (const SavedFilter& filter : filters)
    list.push_back({{"name", filter.name.toStdString()}, {"text", filter.text.toStdString()}});
  return list.dump();
}

} // namespace

SavedFilters::SavedFilters(Document& document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document, &Document::stateChanged, this, &SavedFilters::read);
  read();
}

void SavedFilters::read() {
  if (document_.state() != DocumentState::Ready) {
    reading_.cancel();
    filters_.clear();
    return;
  }
  reading_.ask<std::vector<SavedFilter>>(
      [path = document_.file().path().toStdString()](const Job&) {
        return filtersOf(kept(path, kKey).value_or(std::string()));
      },
      [this](std::vector<SavedFilter> filters) { filters_ = std::move(filters); },
      [this](const QString& why) { Q_EMIT failed(why); });
}

void SavedFilters::save(const QString& name, const QString& text) {
  if (document_.state() != DocumentState::Ready || name.isEmpty()) return;
  std::vector<SavedFilter> filters = filters_;
  std::erase_if(filters, [&](const SavedFilter& filter) { return filter.name == name; });
  if (!text.isEmpty()) filters.push_back({name, text});
  std::sort(filters.begin(), filters.end(), [](const SavedFilter& a, const SavedFilter& b) {
    return a.name.localeAwareCompare(b.name) < 0;
  });
  if (filters == filters_) return;
  const QString path = document_.file().path();
  document_.undoStack().push(new Change(
      text.isEmpty() ? tr("removal of the filter %1").arg(name) : tr("saved filter %1").arg(name),
      [this, path, filters] { set(path, filters); },
      [this, path, before = filters_] { set(path, before); }));
}

void SavedFilters::set(const QString& path, std::vector<SavedFilter> filters) {
  reading_.cancel(); // what it would give is out of date
  filters_ = std::move(filters);
  writing_.run(
      this, [path = path.toStdString(), text = jsonOf(filters_)] { keep(path, kKey, text); },
      [this](const QString& error) {
        if (!error.isEmpty()) Q_EMIT failed(error);
      });
}

} // namespace nestwright::ui

#include "moc_saved_filters.cpp"
