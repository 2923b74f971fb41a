// Pictures and pages, without looking at them.

#include <gtest/gtest.h>

#include <limits>

#include "page/chart.hpp"
#include "page/html.hpp"

namespace polyak::internal::page {
namespace {

Chart small_chart() {
  Chart chart;
  Panel panel;
  panel.title = "it's a_test";
  panel.y_range = std::pair{1e-6, 10.0};
  Line line;
  line.label = "median";
  line.x = {0, 1, 2};
  line.y = {1, 1e-3, std::numeric_limits<double>::infinity()};
  line.low = {1, 1e-4, 0};
  line.high = {1, 1e-2, std::numeric_limits<double>::infinity()};
  panel.lines = {line};
  panel.marks = {{true, 1.5, "B*"}, {false, 1e-3, "here"}};
  chart.panels = {panel, panel, panel};
  chart.columns = 2;
  return chart;
}

TEST(script, quotes_titles_and_keeps_infinity_out) {
  const std::string script = gnuplot_script(small_chart(), Picture::svg);
  EXPECT_NE(script.find("'it''s a_test'"), std::string::npos);
  EXPECT_EQ(script.find("inf"), std::string::npos);
  EXPECT_EQ(script.find("nan"), std::string::npos);
}

TEST(script, names_each_line_once_in_the_legend) {
  const std::string script = gnuplot_script(small_chart(), Picture::svg);
  const auto first = script.find("title 'median'");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(script.find("title 'median'", first + 1), std::string::npos);
}

TEST(script, is_what_gnuplot_draws) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot here";
  const Drawing svg = run_gnuplot(gnuplot_script(small_chart(), Picture::svg));
  EXPECT_TRUE(svg.ok) << svg.message;
  EXPECT_NE(svg.bytes.find("<svg"), std::string::npos);
  const Drawing png = run_gnuplot(gnuplot_script(small_chart(), Picture::png));
  EXPECT_TRUE(png.ok) << png.message;
  EXPECT_EQ(png.bytes.substr(1, 3), "PNG");
  const std::string inside = inline_svg(svg.bytes);
  EXPECT_TRUE(inside.starts_with("<svg"));
  EXPECT_EQ(inside.find("://"), std::string::npos);
}

TEST(gnuplot, faults_are_told_in_one_line) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot here";
  const Drawing drawn = run_gnuplot("plot nonsense(\n");
  EXPECT_FALSE(drawn.ok);
  EXPECT_FALSE(drawn.message.empty());
  EXPECT_EQ(drawn.message.find('\n', 1), std::string::npos);
}

TEST(html, escapes_what_is_text) {
  EXPECT_EQ(escaped("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
  EXPECT_NE(paragraph("<i>").find("&lt;i&gt;"), std::string::npos);
}

TEST(html, pictures_are_encoded_as_rfc_4648_says) {
  const std::vector<std::pair<std::string, std::string>> known = {{"", ""},
                                                                  {"f", "Zg=="},
                                                                  {"fo", "Zm8="},
                                                                  {"foo", "Zm9v"},
                                                                  {"foob", "Zm9vYg=="},
                                                                  {"fooba", "Zm9vYmE="},
                                                                  {"foobar", "Zm9vYmFy"},
                                                                  {"\xff\xfe", "//4="}};
  for (const auto& [bytes, letters] : known) {
    const std::string html = gallery({{bytes, "caption <1>", "detail"}});
    EXPECT_NE(html.find("base64," + letters + "\""), std::string::npos) << bytes << html;
    EXPECT_NE(html.find("alt=\"caption &lt;1&gt;\""), std::string::npos);
  }
}

TEST(html, sentences_stack_on_a_narrow_screen_and_numbers_do_not) {
  const Row head = {"claim", "expected", ""};
  const std::string stacked = table(head, {{"c", "e", "yes"}}, Narrow::stacked);
  EXPECT_NE(stacked.find("<td>c</td><td data-head=\"expected\">e</td><td>yes</td>"),
            std::string::npos)
      << stacked;
  EXPECT_EQ(table(head, {{"c", "e", "yes"}}).find("data-head"), std::string::npos);
}

TEST(html, a_picture_stays_near_the_size_it_was_drawn_for) {
  const std::string html = picture("<?xml?>\n<svg \n viewBox=\"0 0 1000 400\"\n><g/></svg>");
  EXPECT_NE(html.find("<svg style=\"min-width: 800px; max-width: 1300px\" \n viewBox"),
            std::string::npos)
      << html;
  EXPECT_EQ(picture(""), "");
}

TEST(html, a_page_names_no_other_host) {
  const std::string page = document("t", section("s", "T", table({"a"}, {{"b"}, {"c"}})));
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("<td>c</td>"), std::string::npos);
}

}  // namespace
}  // namespace polyak::internal::page
