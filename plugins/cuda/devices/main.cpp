/// \file Prints which CUDA devices there are, as JSON: what others must not ask the driver for
/// themselves.

#include "plugins/cuda/driver/device_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

int main() {
  using namespace nestwright::cuda;
  fmt::print("{}\n", toJson(reportDevices(Driver::instance()))
                         .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}
