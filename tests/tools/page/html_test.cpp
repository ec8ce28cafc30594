#include "tools/page/html.hpp"

#include <gtest/gtest.h>

namespace bombard::tools {
namespace {

TEST(Html, TextHoldsNoMarkup) {
  EXPECT_EQ(html_text("a</script><b x='1' y=\"2\">&amp;"),
            "a&lt;/script&gt;&lt;b x=&#39;1&#39; y=&quot;2&quot;&gt;&amp;amp;");
}

}  // namespace
}  // namespace bombard::tools
