// SPDX-License-Identifier: Apache-2.0
// The distribution's libcpprest is not built with ThreadSanitizer: when it drops the last reference
// to something, the count that it went through is not seen, and the deletion looks like a race with
// the other holder's earlier decrement.

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the runtime's name
extern "C" const char* __tsan_default_suppressions();
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __tsan_default_suppressions() {
  return "race:web::http::client::details::asio_context\n"
         "race:pplx::details::_CancellationToken\n";
}
