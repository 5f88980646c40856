#include "core/search/origin.h"

#include "core/support/name_table.h"

namespace nestwright {

namespace {

constexpr NameTable<Origin, 21> kOriginNames = {{"",
                                                 "random sample",
                                                 "measured before",
                                                 "seeded by the user",
                                                 "tile-size mutation",
                                                 "parallel mutation",
                                                 "unroll mutation",
                                                 "compute-location mutation",
                                                 "crossover",
                                                 "measured on demand",
                                                 "edited by hand",
                                                 "imported",
                                                 "kernel mutation",
                                                 "measured again",
                                                 "annealing",
                                                 "grid",
                                                 "knob crossover",
                                                 "beam",
                                                 "remembered",
                                                 "polish",
                                                 "proposed by a program"}};

} // namespace

const char* name(Origin origin) {
  return kOriginNames.of(origin);
}

Origin originFromName(std::string_view text) {
  return kOriginNames.find(text).value_or(Origin::Unknown);
}

} // namespace nestwright
