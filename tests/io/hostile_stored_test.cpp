// HDF5, MATLAB and TIFF files that were cut off, damaged or never such: exit
// code 65, nothing worse. HDF5's own library is known to break on some damaged
// files, so every one of them is read in a process of its own.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "stored_testing.hpp"

namespace polyak {
namespace {

using namespace testing;

// How a process that reads all of the file ends: its exit code, or -1 when a
// signal, or a sanitizer (code 1), ended it.
int fate_of(const std::string& path, const std::vector<std::string>& names) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(99);  // abort's last words
#ifdef POLYAK_SANITIZED  // takes its time, and terabytes of addresses for itself
    ::alarm(300);
#else
    ::alarm(20);
    const rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
    int worst = 0;
    for (const std::string& name : names) {
      try {
        worst = std::max(worst, code_of([&] { inspect(path); }));
        worst = std::max(worst, code_of([&] { read_table(path + name); }));
        worst = std::max(worst, code_of([&] { open_array(path + name)->read_all(); }));
      } catch (...) {
        worst = 99;
      }
    }
    ::_exit(worst);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) != 1 ? WEXITSTATUS(status) : -1;
}

struct Seed {
  std::string file;
  std::vector<std::string> names;
};

std::vector<Seed> matlab_seeds() {
  return {{"v4.mat", {":A"}}, {"v5.mat", {":A", ":S"}}, {"v7.mat", {":A", ":S"}}};
}
std::vector<Seed> hdf5_seeds() {
  return {{"system.h5", {":/A", ":/b"}}, {"packed.h5", {":/x/y"}}, {"sparse.h5", {":/columns"}}};
}

std::string suffix(const std::string& name) { return name.substr(name.rfind('.')); }

TEST(HostileStored, EveryCutOffFileIsRefused) {
  const Folder folder;
  auto seeds = matlab_seeds();
  for (const Seed& seed : hdf5_seeds()) seeds.push_back(seed);
  for (const Seed& seed : seeds) {
    const std::string bytes = read_bytes(outside(seed.file));
    for (std::size_t length = 0; length < bytes.size(); length += 64) {
      const auto path = folder.write("cut" + suffix(seed.file), bytes.substr(0, length));
      ASSERT_EQ(fate_of(path, seed.names), 65) << seed.file << " cut after " << length;
    }
  }
}

TEST(HostileStored, AVersion73FileCutOffAnywhereIsRefused) {
  const Folder folder;
  write_mat(folder / "whole.mat", {{"A", {2, 2}, {1, 2, 3, 4}}}, MatVersion::v73);
  const std::string bytes = read_bytes(folder / "whole.mat");
  for (std::size_t length = 0; length < bytes.size(); length += 256) {
    const auto path = folder.write("cut.mat", bytes.substr(0, length));
    ASSERT_EQ(fate_of(path, {":A"}), 65) << length;
  }
}

// Damages a few bytes, `rounds` times; how many readers a signal ended.
int killed_by_damage(const Seed& seed, int rounds) {
  const Folder folder;
  const std::string bytes = read_bytes(outside(seed.file));
  std::mt19937 random(17);
  int killed = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = bytes;
    for (unsigned k = 0; k < 1 + round % 3u; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    const int fate = fate_of(folder.write("x" + suffix(seed.file), damaged), seed.names);
    EXPECT_TRUE(fate == 0 || fate == 65 || fate == -1)
        << seed.file << ", round " << round << ": exit code " << fate;
    killed += fate == -1 ? 1 : 0;
  }
  return killed;
}

TEST(HostileStored, DamagedMatlabFilesAreReadOrRefused) {
  for (const Seed& seed : matlab_seeds()) EXPECT_EQ(killed_by_damage(seed, 200), 0) << seed.file;
}

// About one in 4000 ends HDF5 1.10.8; the manual says to open only files one
// trusts. What our side can refuse beforehand it must, so the bound is tight.
TEST(HostileStored, DamagedHdf5FilesAreReadOrRefusedButForFaultsOfTheLibrary) {
  for (const Seed& seed : hdf5_seeds()) EXPECT_LE(killed_by_damage(seed, 200), 3) << seed.file;
}

TEST(HostileStored, GarbageIsRefused) {
  const Folder folder;
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::string bytes(3000, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    for (const auto* name : {"a.h5", "a.nxs", "a.hdf5", "a.mat", "a.tif"})
      EXPECT_EQ(fate_of(folder.write(name, bytes), {""}), 65) << name;
  }
  for (const auto* name : {"a.h5", "a.mat", "a.tif"})
    for (const auto* text : {"", "x", "%%MatrixMarket matrix array real general\n1 1\n1\n"})
      EXPECT_EQ(fate_of(folder.write(name, text), {""}), 65) << name << ": " << text;
}

TEST(HostileStored, DamagedTiffFilesAreReadOrRefused) {
  const Folder folder;
  for (bool tiled : {false, true}) {
    write_tiff<std::uint16_t>(folder / "seed.tif", 20, 20,
                              {std::vector<std::uint16_t>(400, 7), std::vector<std::uint16_t>(400)},
                              {.tiled = tiled, .compressed = true});
    const std::string bytes = read_bytes(folder / "seed.tif");
    std::mt19937 random(23);
    for (int round = 0; round < 200; ++round) {
      std::string damaged = bytes;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      const int fate = fate_of(folder.write("x.tif", damaged), {""});
      ASSERT_TRUE(fate == 0 || fate == 65) << "round " << round << ": " << fate;
    }
  }
}

}  // namespace
}  // namespace polyak
