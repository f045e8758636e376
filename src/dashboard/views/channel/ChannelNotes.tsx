/** Notes about a channel: the result of its test with the next step, and other channels with the same settings. */
import type { Channel, ListedChannel } from "../../../../schema/alert/Channel.ts"
import { Moment } from "../../design/Time.tsx"
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
      <p class={`outcome ${error === null ? "is-good" : "is-warn"}`} role="status">
        <b>Delivered.</b> The test arrived.{code}
        {error === null ? null : (
          <>
            {" "}
            <span class="quoted">{error}</span>
          </>
        )}
      </p>
    )
    : (
      <p class="outcome is-bad" role="alert">
        <b>Not delivered.</b>
        {code} {error === null ? null : <span class="quoted">{error}</span>} Check the settings, then test again.
      </p>
    )
}

/** Why nothing arrives, if somebody has to act. */
export const ProblemNote = ({ channel: { problem } }: { readonly channel: Channel }) =>
  problem === undefined ? null : (
    <p class="outcome is-bad">
      <b>Alerts do not arrive.</b> <span class="quoted">{problem.message}</span> Since <Moment at={problem.since} />.
    </p>
  )

/** Their names as links, `A, B and C`. */
const Names = ({ channels }: { readonly channels: ReadonlyArray<Channel> }) => (
  <>
    {channels.map(({ id, name }, index) => (
      <>
        {index === 0 ? "" : index === channels.length - 1 ? " and " : ", "}
        <a href={`/app/channels/${id}`}>{name}</a>
      </>
    ))}
  </>
)

/** Disabled channels do not count: they send nothing. */
export const IdenticalNote = ({ channels, id }: { readonly id: string; readonly channels: ReadonlyArray<ListedChannel> }) => {
  const channel = channels.find((one) => one.id === id)
  const others = channels.filter((one) => one.enabled && channel?.identicalTo.includes(one.id) === true)
  return channel?.enabled !== true || others.length === 0 ? null : (
    <p class="outcome is-warn">
      <b>
        Same settings as <Names channels={others} />.
      </b>{" "}
      What goes to each of these channels arrives once from each. Delete or disable those that you do not need.
    </p>
  )
}
