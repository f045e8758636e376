/** The timed receipt of a drill, which grows while the drill runs. */
import { Effect } from "effect"
import type { Channel } from "../../../../schema/alert/Channel.ts"
import type { Drill, DrillDelivery, DrillStageName } from "../../../../schema/drill/Drill.ts"
import { CallButton } from "../../design/Form.tsx"
import { Badge, Head, Panel, type Tone } from "../../design/Parts.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"

const stages: ReadonlyArray<readonly [DrillStageName, string]> = [
  ["detection", "The test monitor was seen down"],
  ["alert", "The alert was handed to its channels"],
  ["acknowledgement", "The incident was acknowledged"],
  ["recovery", "The monitor recovered"],
  ["all_clear", "The all-clear was handed to its channels"]
]

const results: Readonly<Record<Drill["status"], readonly [Tone, string]>> = {
  running: ["calm", "Running"],
  passed: ["good", "Passed"],
  failed: ["bad", "Failed"]
}

const deliveryTones: Readonly<Record<DrillDelivery["status"], readonly [Tone, string]>> = {
  delivered: ["good", "Delivered"],
  captured: ["warn", "Captured, not sent"],
  retrying: ["warn", "Retrying"],
  dead: ["bad", "Failed"],
  grouped: ["calm", "Grouped with others"],
  held: ["calm", "Held until quiet hours end"]
}

const Stages = ({ drill }: { readonly drill: Drill }) => {
  const { millis } = useNumber()
  return (
    <Panel id="stages" title="Receipt" flush>
      <ol class="rows">
        {stages.map(([name, text]) => {
          const reached = drill.stages.find(({ stage }) => stage === name)
          return (
            <li id={`stage-${name}`}>
              <div>{text}</div>
              {reached === undefined
                ? <span class="note">{drill.status === "running" ? "Waiting" : "Not reached"}</span>
                : <b class="num">after {millis(reached.afterMs)}</b>}
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

const Deliveries = ({ channels, drill }: { readonly drill: Drill; readonly channels: ReadonlyArray<Channel> }) => {
  const { millis } = useNumber()
  return (
    <Panel id="deliveries" title="Channels" flush={drill.deliveries.length > 0}>
      {drill.deliveries.length === 0 ? <p class="note">Nothing was sent yet.</p> : (
        <ul class="rows">
          {drill.deliveries.map(({ afterMs, channelId, error, event, status }) => {
            const [tone, word] = deliveryTones[status]
            return (
              <li>
                <div>
                  <a class="title" href={`/app/channels/${channelId}`}>
                    {channels.find(({ id }) => id === channelId)?.name ?? "Deleted channel"}
                  </a>
                  <p class="note">
                    {event === "monitor.down" ? "Alert" : "All-clear"}
                    {afterMs === null ? "" : ` after ${millis(afterMs)}`}
                  </p>
                  {error === null ? null : <p class="quoted">{error}</p>}
                </div>
                <Badge tone={tone}>{word}</Badge>
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
}

const People = ({ drill: { captured, paged } }: { readonly drill: Drill }) =>
  paged.length === 0 ? <p>No escalation policy paged anybody.</p> : (
    <ul class="plain-list">
      {paged.map((email) => <li>{email}{captured.includes(email) ? " (captured, not sent: no mail server is set)" : ""}</li>)}
    </ul>
  )

const Receipt = ({ channels, drill }: { readonly drill: Drill; readonly channels: ReadonlyArray<Channel> }) => {
  const [tone, word] = results[drill.status]
  const { finishedAt, incidentId, unreached } = drill
  return (
    <>
      <Head
        title="Drill"
        crumbs={[["/app/on-call", "On call"]]}
        note={
          <>
            Started <Moment at={drill.createdAt} style="full" />
          </>
        }
      >
        {finishedAt === null ? null : <CallButton call="create_drill" id="again" then="/app/drills/{id}">Run again</CallButton>}
      </Head>
      <div class="stack">
        <div class={`banner is-${tone}`} role="status">
          <span class="dot" aria-hidden="true" />
          <div>
            <h2>{word}</h2>
            <p class="note">
              {drill.error ?? (drill.status === "passed" ? "Everything arrived." : "This view follows the drill.")}
            </p>
          </div>
          {incidentId === null ? null : <a class="button plain tight" href={`/app/incidents/${incidentId}`}>Incident</a>}
        </div>
        <div class="split">
          <Stages drill={drill} />
          <div class="stack">
            <Deliveries drill={drill} channels={channels} />
            <Panel id="paged" title="People paged">
              <People drill={drill} />
              {unreached.length === 0 ? null : (
                <ul class="rows" id="unreached">
                  {unreached.map(({ person, reason }) => (
                    <li>
                      <div>
                        <b>{person}</b>
                        <p class="note">{reason}</p>
                      </div>
                      <Badge tone="bad">Not reached</Badge>
                    </li>
                  ))}
                </ul>
              )}
            </Panel>
          </div>
        </div>
      </div>
    </>
  )
}

export const drillView = view(
  "/app/drills/:id",
  "on-call",
  Effect.gen(function*() {
    const { params } = yield* Visit
    const [drill, channels] = yield* Effect.all([read("get_drill", { id: params["id"] ?? "" }), read("list_channels")], together)
    return {
      title: "Drill",
      live: drill.finishedAt === null ? ["*"] : [],
      body: <Receipt drill={drill} channels={channels.data} />
    }
  })
)
