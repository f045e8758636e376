/** The timed receipt of a drill, which grows while the drill runs. */
import type { Channel } from "../../../../schema/alert/Channel.ts"
import type { Drill, DrillDelivery, DrillStageName, DrillWay } from "../../../../schema/drill/Drill.ts"
import { CallButton } from "../../design/Form.tsx"
import { Badge, Banner, Item, ListPanel, Panel, StateBadge, type Tone } from "../../design/Parts.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { read, together, view } from "../../frame/View.ts"
import { kindNames } from "../account/PagedBy.tsx"

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

const deliveryStates: Readonly<Record<DrillDelivery["status"], readonly [Tone, string]>> = {
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
    <ListPanel id="deliveries" title="Channels" none="Nothing has been sent yet.">
      {drill.deliveries.map(({ afterMs, channelId, error, event, status }) => (
        <Item
          name={channels.find(({ id }) => id === channelId)?.name ?? "Deleted channel"}
          href={`/app/channels/${channelId}`}
          note={`${event === "monitor.down" ? "Alert" : "All-clear"}${afterMs === null ? "" : ` after ${millis(afterMs)}`}`}
          more={error === null ? null : <p class="quoted">{error}</p>}
        >
          <StateBadge of={deliveryStates[status]} />
        </Item>
      ))}
    </ListPanel>
  )
}

const wayStates: Readonly<Record<DrillWay["state"], readonly [Tone, string]>> = {
  planned: ["calm", "Waiting"],
  sending: ["calm", "Sending"],
  handed_over: ["good", "Handed over"],
  received: ["good", "Received"],
  failed: ["bad", "Failed"],
  not_needed: ["calm", "Not needed"]
}

const Ways = ({ ways }: { readonly ways: ReadonlyArray<DrillWay> }) => {
  const { millis } = useNumber()
  return (
    <ListPanel id="ways" title="Contact methods" none="This person has no contact method yet.">
      {ways.map(({ afterMs, by, error, label, state }) => (
        <Item
          name={label}
          note={`${kindNames[by]}${afterMs === null ? "" : ` after ${millis(afterMs)}`}`}
          more={error === null ? null : <p class="quoted">{error}</p>}
        >
          <StateBadge of={wayStates[state]} />
        </Item>
      ))}
    </ListPanel>
  )
}

const Paged = ({ drill: { captured, paged, unreached } }: { readonly drill: Drill }) => (
  <Panel id="paged" title="People paged">
    {paged.length === 0 ? <p>No escalation policy paged anyone.</p> : (
      <ul class="plain-list">
        {paged.map((email) => <li>{email}{captured.includes(email) ? " (captured, not sent: no mail server is set)" : ""}</li>)}
      </ul>
    )}
    {unreached.length === 0 ? null : (
      <ul class="rows" id="unreached">
        {unreached.map(({ person, reason }) => (
          <Item name={person} note={reason}>
            <Badge tone="bad">Not reached</Badge>
          </Item>
        ))}
      </ul>
    )}
  </Panel>
)

export const drillView = view("/app/drills/:id", "on-call", function*({ id }) {
  const [drill, channels] = yield* together([read("get_drill", { id }), read("list_channels")])
  const { createdAt, error, finishedAt, incidentId, status } = drill
  const [tone, word] = results[status]
  return {
    title: "Drill",
    live: finishedAt === null ? ["*"] : [],
    head: {
      crumbs: [["/app/on-call", "On call"]],
      note: (
        <>
          Started <Moment at={createdAt} style="full" />
        </>
      ),
      actions: finishedAt === null
        ? null
        : (
          <CallButton
            call="create_drill"
            id="again"
            fixed={drill.person === undefined ? {} : { person: drill.person }}
            then="/app/drills/{id}"
          >
            Run again
          </CallButton>
        )
    },
    stack: [
      <Banner
        tone={tone}
        role="status"
        title={word}
        note={error ?? (status === "passed" ? "Everything arrived." : "This view follows the drill.")}
      >
        {incidentId === null ? null : <a class="button plain tight" href={`/app/incidents/${incidentId}`}>Incident</a>}
      </Banner>,
      [
        <Stages drill={drill} />,
        drill.ways === undefined
          ? [<Deliveries drill={drill} channels={channels.data} />, <Paged drill={drill} />]
          : [<Ways ways={drill.ways} />]
      ]
    ]
  }
})
