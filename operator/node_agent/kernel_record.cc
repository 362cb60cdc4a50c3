// SPDX-License-Identifier: Apache-2.0
#include "operator/node_agent/kernel_record.h"

#include <nlohmann/json.hpp>

namespace app {
namespace {

using Json = nlohmann::ordered_json;

std::string Line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string RecordLine(const KernelRecord& record) {
  return Line({{"v", 1},
               {"bootID", record.boot_id},
               {"seq", record.seq},
               {"time", engine::FormatTime(record.time)},
               {"priority", record.priority},
               {"facility", record.facility},
               {"transport", record.transport},
               {"message", record.message}});
}

std::string NoticeLine(const AgentNotice& notice) {
  Json object = {{"v", 1}, {"bootID", notice.boot_id}, {"kind", notice.kind}};
  if (!notice.mode.empty()) object["mode"] = notice.mode;
  if (notice.count > 0) object["count"] = notice.count;
  object["time"] = engine::FormatTime(notice.time);
  return Line(object);
}

std::string DashedBootId(const std::string& hex) {
  if (hex.size() != 32) return hex;
  std::string dashed;
  for (std::size_t i = 0; i < hex.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) dashed += '-';
    dashed += hex[i];
  }
  return dashed;
}

}  // namespace app
