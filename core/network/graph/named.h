#pragma once
/// \file Tables of things that a person asks for by name: the zoo's networks, the operators.

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// The entry whose `info.name` is this one, or null.
template <class Entry>
const Entry* findNamed(const std::vector<Entry>& entries, std::string_view name) {
  for (const Entry& entry : entries)
    if (entry.info.name == name) return &entry;
  return nullptr;
}

/// What the entries say of themselves, in their order.
template <class Entry>
auto infosOf(const std::vector<Entry>& entries) {
  std::vector<decltype(Entry::info)> infos;
  for (const Entry& entry : entries)
    infos.push_back(entry.info);
  return infos;
}

template <class Info>
std::vector<std::string> namesOf(const std::vector<Info>& infos) {
  std::vector<std::string> names;
  for (const Info& info : infos)
    names.push_back(info.name);
  return names;
}

} // namespace nestwright
