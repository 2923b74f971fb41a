// The page about a reconstruction: whole, by itself, and nobody else's.
#include <gtest/gtest.h>

#include "polyak/tomography_phantom.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "scans.hpp"

namespace polyak::tomography {
namespace {

Geometry small_scan() {
  Geometry g;
  g.angles = turn(30, 180.0);
  g.detectors = 24;
  g.image = {16, 16, 1.0};
  return g;
}

std::string page_of(const ReconstructOptions& o, Index slices, const std::string& name) {
  const Geometry g = small_scan();
  const auto image = draw(disc(), g.image);
  std::vector<double> stack, reference;
  for (Index c = 0; c < slices; ++c) {
    const auto y = times(*projector(g, RayModel::line), image);
    stack.insert(stack.end(), y.begin(), y.end());
    reference.insert(reference.end(), image.begin(), image.end());
  }
  return reconstruction_page(g, reconstruct(g, stack, o, nullptr, reference), name);
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t out = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++out;
  return out;
}

TEST(ReconstructionPage, has_the_image_the_residual_and_how_they_were_made) {
  ReconstructOptions o;
  o.max_iterations = 40;
  o.batch = 100;
  const std::string page = page_of(o, 1, "a<b>.npy");
  EXPECT_EQ(count(page, "src=\"data:image/png;base64,iVBORw0KGgo"), 2u);
  for (const char* word : {"minibatch-hbm", "100 rays", "row-norm", "Momentum", "lambda_max/",
                           "iteration limit of 40 reached", "black is", "white is",
                           "30 views x 24 elements", "16 x 16 pixels"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
  EXPECT_NE(page.find("Reconstruction of a&lt;b&gt;.npy"), std::string::npos);
  EXPECT_EQ(page.find("a<b>"), std::string::npos);
}

TEST(ReconstructionPage, needs_nothing_else) {
  const std::string page = page_of({}, 1, "s.npy");
  for (const char* word : {"http:", "https:", "src=\"/", "<script", "@import", "url("})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

TEST(ReconstructionPage, shows_a_stack_from_its_first_to_its_last_slice) {
  ReconstructOptions o;
  o.method = "sirt";
  o.max_iterations = 3;
  const std::string page = page_of(o, 9, "stack.npy");
  EXPECT_EQ(count(page, "data:image/png"), 12u);
  EXPECT_NE(page.find("Image, slice 1 of 9"), std::string::npos);
  EXPECT_NE(page.find("Residual, slice 9 of 9"), std::string::npos);
}

TEST(ReconstructionPage, does_without_a_curve_where_there_is_none) {
  ReconstructOptions o;
  o.method = "fbp";
  const std::string page = page_of(o, 1, "s.npy");
  EXPECT_NE(page.find("there is no curve"), std::string::npos);
  EXPECT_EQ(count(page, "data:image/png"), 2u);
}

}  // namespace
}  // namespace polyak::tomography
