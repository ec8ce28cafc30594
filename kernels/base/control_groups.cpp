#include "kernels/base/control_groups.hpp"

#include <fstream>

namespace bombard {

std::string system_root = "/";

std::optional<std::int64_t> number_in(const std::filesystem::path& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string word; word != key && in >> word;) {
  }
  std::int64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

void for_each_control_group(
    const std::string& controller,
    const std::function<void(const std::filesystem::path& directory, int version)>& look) {
  const std::filesystem::path top = system_root;
  const auto walk = [&](const std::filesystem::path& mount, const std::filesystem::path& path,
                        int version) {
    for (auto group = mount / path.relative_path();; group = group.parent_path()) {
      look(group, version);
      if (group == mount || group == group.parent_path()) return;
    }
  };
  // A line is "0::/path" for version 2 and "N:controller,controller:/path" for version 1. Inside a
  // container the path may be the host's and missing here: the walk upwards then still ends at the
  // top of the container's own tree.
  std::ifstream groups(top / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::filesystem::path mount = top / "sys/fs/cgroup", path = line.substr(second + 1);
    if (line.starts_with("0::")) {
      walk(mount, path, 2);
    } else if (controllers.find("," + controller + ",") != std::string::npos) {
      walk(mount / controller, path, 1);
    }
  }
}

}  // namespace bombard
