/** The result of a channel's test, and the next step. */
import type { AnswerOf } from "../../frame/DashboardApi.ts"

export const TestResult = ({ of: { captured, delivered, error, statusCode } }: { readonly of: AnswerOf<"test_channel"> }) => {
  if (captured === true) {
    return (
      <p class="outcome is-warn" role="status">
        <b>Captured, not sent.</b> No mail server is set, so the test reached nobody.{" "}
        <a href="/app/mail">Read the captured mail</a> or <a href="/app/providers">set up mail</a>.
      </p>
    )
  }
  const code = statusCode === null ? "" : ` The answer was ${statusCode}.`
  return delivered
    ? (
      <p class="outcome is-good" role="status">
        <b>Delivered.</b> The test arrived.{code}
      </p>
    )
    : (
      <p class="outcome is-bad" role="alert">
        <b>Not delivered.</b>
        {code} {error === null ? null : <span class="quoted">{error}</span>} Check the settings, then test again.
      </p>
    )
}
