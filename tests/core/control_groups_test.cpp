// The memory that control groups allow: folders like those of the kernel, of both versions.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "polyak/machine_memory.hpp"

namespace polyak {
namespace {

class ControlGroups : public testing::Test {
 protected:
  ControlGroups() {
    char name[] = "/tmp/polyak-groups-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~ControlGroups() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void version_2(const std::string& group, const std::string& mounted = "/") const {
    write("/proc/self/cgroup", "0::" + group + "\n");
    write("/proc/self/mountinfo", "24 1 0:1 / / rw - ext4 /dev/vda rw\n31 24 0:27 " + mounted +
                                      " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
  }

  std::string root_;
};

TEST_F(ControlGroups, OfVersion2LimitAtAnyDepth) {
  version_2("/user.slice/job/step");
  const std::string top = "/sys/fs/cgroup/user.slice";
  EXPECT_TRUE(std::isinf(control_group_limit(root_)));
  write(top + "/job/step/memory.max", "max\n");
  EXPECT_TRUE(std::isinf(control_group_limit(root_)));
  write(top + "/memory.max", "5000000\n");
  EXPECT_EQ(control_group_limit(root_), 5e6);
  write(top + "/job/memory.max", "3000000\n");
  write(top + "/job/step/memory.max", "4000000\n");
  EXPECT_EQ(control_group_limit(root_), 3e6);
}

TEST_F(ControlGroups, OfAContainerAreFoundBelowItsOwnRoot) {
  version_2("/docker/abc", "/docker/abc");
  write("/sys/fs/cgroup/memory.max", "7000000\n");
  EXPECT_EQ(control_group_limit(root_), 7e6);
  version_2("/", "/");
  EXPECT_EQ(control_group_limit(root_), 7e6);
}

TEST_F(ControlGroups, OfVersion1LimitAtAnyDepth) {
  write("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job/step\n0::/\n");
  write("/proc/self/mountinfo",
        "40 30 0:31 / /sys/fs/cgroup/cpu,memory rw - cgroup cgroup rw,cpu,memory\n"
        "41 30 0:32 / /sys/fs/cgroup/unified rw shared:3 - cgroup2 cgroup2 rw\n");
  const std::string top = "/sys/fs/cgroup/cpu,memory";
  write(top + "/memory.limit_in_bytes", "9223372036854771712\n");
  write(top + "/job/memory.limit_in_bytes", "2000000\n");
  write(top + "/job/step/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(control_group_limit(root_), 2e6);
}

TEST_F(ControlGroups, ThatCannotBeReadLimitNothing) {
  EXPECT_TRUE(std::isinf(control_group_limit(root_)));
  write("/proc/self/cgroup", "nonsense\n:\n::\n0::\n");
  write("/proc/self/mountinfo", "\n1 2 3\n- - -\n");
  EXPECT_TRUE(std::isinf(control_group_limit(root_)));
}

}  // namespace
}  // namespace polyak
