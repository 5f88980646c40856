#include "core/record/store/network_rows.h"

#include "core/record/format/row_layout.h"

namespace nestwright {

namespace {

constexpr auto kNetworks =
    layoutOf<NetworkRow>("network", Column{"id", &NetworkRow::id},
                         Column{"name", &NetworkRow::name}, Column{"spec", &NetworkRow::spec});

} // namespace

RowId NetworkRows::add(const NetworkRow& row) {
  RowId id = 0;
  db_.transaction([&] {
    const auto same = kNetworks.one(db_, "WHERE name = ? AND spec = ?", row.name, row.spec);
    id = same ? same->id : kNetworks.insert(db_, row);
  });
  return id;
}

std::vector<NetworkRow> NetworkRows::all() const {
  return kNetworks.all(db_, "ORDER BY id");
}

} // namespace nestwright
