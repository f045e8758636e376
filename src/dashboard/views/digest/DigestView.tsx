/** The weekly digest: who gets it and when, and how the next one looks. */
import { totalOf } from "../../design/Amounts.ts"
import { CallButton, CallForm, Select, Submit, useAnswerOf } from "../../design/Form.tsx"
import { CapturedNote, Facts, Figures, ListPanel, Panel } from "../../design/Parts.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, together, view } from "../../frame/View.ts"

type Settings = AnswerOf<"get_digest_settings">
type Digest = AnswerOf<"preview_digest">

const Delivery = ({ settings: { nextSendAt, recipients, subscribed, timezone } }: { readonly settings: Settings }) => (
  <Panel id="delivery" title="Delivery">
    <Facts
      of={[
        ["Next one", <Moment at={nextSendAt} style="full" />],
        ["Time zone", timezone],
        [
          "Recipients",
          recipients.map(({ email, name }) =>
            name ?? email
          ).join(", ") || "Nobody"
        ]
      ]}
    />
    <CapturedNote>Digests are captured, not sent: no mail server is set.</CapturedNote>
    {subscribed === null ? null : (
      <CallButton
        call="update_digest_settings"
        id="subscribe"
        fixed={{ "subscribed:boolean": !subscribed }}
        said={subscribed ? "You no longer receive the digest" : "You receive the digest"}
      >
        {subscribed ? "Stop sending it to me" : "Send it to me"}
      </CallButton>
    )}
  </Panel>
)

const Runs = ({ runs }: { readonly runs: Settings["lastRuns"] }) => (
  <ListPanel id="runs" title="Past digests" none={["None yet", "The first one goes out on Monday at 08:00."]}>
    {runs.map(({ captured, recipients, sentAt, week }) => (
      <li>
        <div>Week of {week}</div>
        <span class="note">
          <Moment at={sentAt} />,{" "}
          {captured ? `captured for ${recipients} recipients, not sent` : `sent to ${recipients} recipients`}
        </span>
      </li>
    ))}
  </ListPanel>
)

const Preview = ({ digest }: { readonly digest: Digest }) => {
  const { duration, percent } = useNumber()
  return (
    <>
      <p class="lead">{digest.summary}</p>
      {digest.ai === null ? null : <p>{digest.ai}</p>}
      <Figures
        of={[
          ["Uptime", digest.monitors.uptimePercent === null ? "Not observed" : percent(digest.monitors.uptimePercent)],
          ["Downtime", duration(digest.monitors.downSeconds)],
          ["Incidents", digest.incidents.total, digest.incidents.open === 0 ? undefined : `${digest.incidents.open} open`],
          ["Observed", percent(digest.monitors.coveragePercent)]
        ]}
      />
      {digest.focus.length === 0 ? null : (
        <>
          <h3>What needs attention</h3>
          <ul class="plain-list">{digest.focus.map((line) => <li>{line}</li>)}</ul>
        </>
      )}
      {digest.monitors.worst.length === 0 ? null : (
        <>
          <h3>Most downtime</h3>
          <ul class="plain-list">
            {digest.monitors.worst.map(({ downSeconds, id, name }) => (
              <li>
                <a href={`/app/monitors/${id}`}>{name}</a>, {duration(downSeconds)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** Above this many monitors, the preview needs a click: it reads two weeks of each. */
const mostAtOnce = 500

const PreviewPanel = ({ first }: { readonly first: Digest | null }) => {
  const shown = useAnswerOf("preview", "preview_digest") ?? first
  return (
    <Panel
      id="shown"
      title="Preview"
      actions={
        <CallForm call="preview_digest" id="preview" class="inline" copy={false}>
          <Select name="period" label="Period" options={[["last_week", "Last full week"], ["last_7_days", "Last 7 days"]]} />
          <Submit look="plain">Show</Submit>
        </CallForm>
      }
    >
      {shown === null
        ? <p class="note">Choose a period. With many monitors this takes a moment.</p>
        : <Preview digest={shown} />}
    </Panel>
  )
}

export const digestView = view("/app/workspace-digest", "digest", function*() {
  const [settings, { counts }] = yield* together([read("get_digest_settings"), read("list_monitors", { limit: 1, counts: true })])
  const preview = totalOf(counts) > mostAtOnce ? null : yield* read("preview_digest")
  return {
    title: "Weekly digest",
    head: { note: "Every Monday at 08:00: how your monitors did, compared with the week before." },
    split: [<PreviewPanel first={preview} />, [<Delivery settings={settings} />, <Runs runs={settings.lastRuns} />]]
  }
})
