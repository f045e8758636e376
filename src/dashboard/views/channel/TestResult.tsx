/** The result of a channel's test, and the next step. */
import type { Json } from "../../frame/FormBody.ts"

const fieldOf = (answer: Json, name: string): Json =>
  answer !== null && typeof answer === "object" && !Array.isArray(answer)
    ? Object.entries(answer).find(([key]) => key === name)?.[1] ?? null
    : null

export const textOf = (answer: Json, name: string): string | null => {
  const value = fieldOf(answer, name)
  return typeof value === "string" ? value : null
}

export const TestResult = ({ answer }: { readonly answer: Json }) => {
  const status = fieldOf(answer, "statusCode")
  const error = textOf(answer, "error")
  if (fieldOf(answer, "captured") === true) {
    return (
      <p class="outcome is-warn" role="status">
        <b>Captured, not sent.</b> No mail server is set, so the test reached nobody.{" "}
        <a href="/app/mail">Read the captured mail</a> or <a href="/app/providers">set up mail</a>.
      </p>
    )
  }
  const code = typeof status === "number" ? ` The answer was ${status}.` : ""
  return fieldOf(answer, "delivered") === true
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
