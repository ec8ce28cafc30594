#include "tools/page/html.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

namespace bombard::tools {
namespace {

TEST(Html, TextHoldsNoMarkup) {
  EXPECT_EQ(html_text("a</script><b x='1' y=\"2\">&amp;"),
            "a&lt;/script&gt;&lt;b x=&#39;1&#39; y=&quot;2&quot;&gt;&amp;amp;");
}

// 1 is 00 00 80 3F, starting from the lowest byte.
TEST(Html, NumbersInBase64) {
  const auto text = [](const std::vector<float>& numbers) {
    return base64(std::as_bytes(std::span(numbers)));
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({1}), "AACAPw==");
  EXPECT_EQ(text({1, -2}), "AACAPwAAAMA=");
  EXPECT_EQ(text({1, -2, 0.1F}), "AACAPwAAAMDNzMw9");
}

}  // namespace
}  // namespace bombard::tools
