// Libraries that are loaded at the first use of one of their names.

#include "io/late_library.hpp"

#include <thread>

#include "io/tiff/late_tiff.hpp"
#include "io_testing.hpp"

namespace polyak::test::late {
namespace {

using io::Late;
using io::LateLibrary;
using io::LateValue;

constinit const LateLibrary math("libm.so.6", "libc6");
constexpr Late<double(double)> cosine(math, "cos");
constexpr LateValue<int> sign_of_gamma(math, "signgam");
constinit const LateLibrary absent("libpolyak-absent.so.7", "libpolyak-absent7");
constexpr Late<int(int)> absent_function(absent, "f");
constexpr Late<double(double)> wrong_name(math, "cos_of_polyak");

TEST(late_library, its_functions_are_called_as_if_they_were_linked) {
  EXPECT_EQ(cosine(0.0), 1.0);
  double (*pointer)(double) = cosine;  // as a callback
  EXPECT_EQ(pointer(0.0), 1.0);
  EXPECT_EQ(sign_of_gamma * sign_of_gamma, sign_of_gamma * int{sign_of_gamma});
}

TEST(late_library, functions_of_several_threads_are_the_same) {
  constinit static const LateLibrary fresh("libm.so.6", "libc6");
  std::vector<void*> found(4);
  std::vector<std::thread> threads;
  for (void*& one : found) threads.emplace_back([&one] { one = fresh.address("cos"); });
  for (std::thread& thread : threads) thread.join();
  for (void* one : found) EXPECT_EQ(one, found[0]);
}

TEST(late_library, that_is_absent_is_named_with_its_package) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Error error = testing::error_of([] { absent_function(1); });
    EXPECT_EQ(error.code(), ErrorCode::internal);
    const std::string text = error.what();
    EXPECT_NE(text.find("libpolyak-absent.so.7"), std::string::npos) << text;
    EXPECT_NE(text.find("libpolyak-absent7"), std::string::npos) << text;
  }
}

TEST(late_library, that_lacks_a_function_is_refused) {
  const Error error = testing::error_of([] { wrong_name(1.0); });
  EXPECT_EQ(error.code(), ErrorCode::internal);
  EXPECT_NE(std::string(error.what()).find("cos_of_polyak"), std::string::npos) << error.what();
}

// The library that is loaded is the one of the headers.
TEST(late_library, has_the_version_of_its_headers) {
  constexpr Late<const char*()> version(io::tiff_library, "TIFFGetVersion");
  const std::string headers = TIFFLIB_VERSION_STR;
  EXPECT_EQ(std::string(version()).substr(0, headers.find('\n')),
            headers.substr(0, headers.find('\n')));
}

}  // namespace
}  // namespace polyak::test::late
