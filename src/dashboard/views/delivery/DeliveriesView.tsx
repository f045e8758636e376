/** The log of deliveries to alert channels, with replay of one and of many. */
import { DateTime, Effect } from "effect"
import type { Channel } from "../../../../schema/alert/Channel.ts"
import { type Delivery, DeliveryStatus } from "../../../../schema/alert/Delivery.ts"
import { Buttons, CallButton, CallForm, Select, useAnswer, useMay } from "../../design/Form.tsx"
import { MomentField } from "../../design/MomentField.tsx"
import { Empty, Head, Pager, Panel } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Ago, Moment, useNumber } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import type { Json } from "../../frame/FormBody.ts"
import { view } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"
import { DeliveryBadge } from "./DeliveryRows.tsx"

const pageSize = 50

const statusNames: Readonly<Record<Delivery["status"], string>> = {
  due: "Due",
  delivered: "Delivered",
  captured: "Captured, not sent",
  dead: "Failed"
}

const Filters = ({ channelId, channels, status }: {
  readonly channels: ReadonlyArray<Channel>
  readonly channelId: string | null
  readonly status: string | null
}) => (
  <form class="filters" method="get" data-auto>
    <div class="field">
      <label for="by-channel">Channel</label>
      <select id="by-channel" name="channelId">
        <option value="">All</option>
        {channels.map(({ id, name }) => <option value={id} selected={id === channelId}>{name}</option>)}
      </select>
    </div>
    <div class="field">
      <label for="by-status">Status</label>
      <select id="by-status" name="status">
        <option value="">Any</option>
        {DeliveryStatus.literals.map((value) => <option value={value} selected={value === status}>{statusNames[value]}</option>)}
      </select>
    </div>
    <button class="plain">Filter</button>
  </form>
)

const Attempts = ({ delivery: { attempts, nextAttemptAt, stage } }: { readonly delivery: Delivery }) => (
  <>
    {attempts}
    {stage === "retrying" && nextAttemptAt !== null
      ? (
        <span class="note">
          , next <Moment at={nextAttemptAt} style="hour" />
        </span>
      )
      : null}
  </>
)

const Row = ({ channelName, delivery }: { readonly delivery: Delivery; readonly channelName: string }) => {
  const { query } = useVisit()
  const { millis } = useNumber()
  const { channelId, createdAt, error, eventType, id, latencyMs, stage, status, statusCode } = delivery
  return (
    <tr id={`delivery-${id}`}>
      <td class="lead">
        <span class="mono">{eventType ?? "deleted event"}</span>
        {error === null ? null : <p class="note quoted">{error}</p>}
      </td>
      <td data-label="Channel" class="named">
        <a href={`/app/channels/${channelId}`}>{channelName}</a>
      </td>
      <td data-label="Status">
        <DeliveryBadge stage={stage} />
      </td>
      <td data-label="Attempts" class="num">
        <Attempts delivery={delivery} />
      </td>
      <td data-label="Answer" class="num">{statusCode ?? "–"}</td>
      <td data-label="Latency" class="num">{latencyMs === null ? "–" : millis(latencyMs)}</td>
      <td data-label="Created">
        <Ago at={createdAt} />
      </td>
      <td>
        {status === "due" ? null : (
          <CallButton
            call="replay_delivery"
            id={`replay-${id}`}
            fixed={{ id }}
            then={`/app/deliveries?${query.toString()}`}
            said="The event is queued for delivery again"
            look="plain tight"
          >
            Replay<span class="sr">{" "}{eventType} to {channelName}</span>
          </CallButton>
        )}
      </td>
    </tr>
  )
}

const Replayed = ({ answer }: { readonly answer: Json }) => {
  const { count } = useNumber()
  const values = answer !== null && typeof answer === "object" && !Array.isArray(answer) ? Object.entries(answer) : []
  const replayed = values.find(([name]) => name === "replayed")?.[1]
  const more = values.find(([name]) => name === "more")?.[1] === true
  const number = typeof replayed === "number" ? replayed : 0
  return (
    <p class="outcome is-good" role="status">
      {number === 0 ? "Nothing to replay since then." : `${count(number)} deliveries are due again.`}
      {more ? " There are more: replay again." : ""}
    </p>
  )
}

const ReplayMany = (
  { channelId, channels }: { readonly channels: ReadonlyArray<Channel>; readonly channelId: string | null }
) => {
  const { now } = useVisit()
  const answer = useAnswer("replay-many")
  if (!useMay("replay_deliveries")) return null
  return (
    <Panel id="replay" title="Replay many">
      <p class="note">
        For a receiver that lost events. Sends the same bodies with the same ids, the oldest first, at most 1,000 a time.
      </p>
      {answer === null ? null : <Replayed answer={answer} />}
      <CallForm call="replay_deliveries" id="replay-many">
        <MomentField name="since" label="Created since" required at={DateTime.subtract(now, { hours: 24 })} />
        <Select
          name="channelId"
          label="Channel"
          value={channelId ?? ""}
          options={[["", "All"], ...channels.map(({ id, name }) => [id, name] as const)]}
        />
        <Select
          name="status"
          label="Which"
          value="dead"
          options={[
            ["dead", "Those that failed"],
            ["captured", "Those that were captured, not sent"],
            ["delivered", "Those that were delivered"]
          ]}
        />
        <Buttons>
          <button class="plain">Replay</button>
        </Buttons>
      </CallForm>
    </Panel>
  )
}

const columns = ["Event", "Channel", "Status", "Attempts", "Answer", "Latency", "Created"]

const Log = ({ channels, deliveries, filtered }: {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly channels: ReadonlyArray<Channel>
  readonly filtered: boolean
}) =>
  deliveries.length === 0
    ? (
      <Empty
        title={filtered ? "No delivery matches" : "Nothing was sent yet"}
        text={filtered
          ? "Deliveries are kept for 30 days after they end."
          : "Each alert to a channel appears here with its attempts and answers."}
      />
    )
    : (
      <Table columns={columns} actions>
        {deliveries.map((delivery) => (
          <Row
            delivery={delivery}
            channelName={channels.find(({ id }) => id === delivery.channelId)?.name ?? "Deleted channel"}
          />
        ))}
      </Table>
    )

/** The filters of the view with another place in the list. */
const olderPath = (query: URLSearchParams, next: string): string => {
  const asked = new URLSearchParams(query)
  asked.set("before", next)
  return `/app/deliveries?${asked.toString()}`
}

const deliveries = Effect.gen(function*() {
  const { query } = yield* Visit
  const given = (name: string) => {
    const value = query.get(name)
    return value === null || value === "" ? null : value
  }
  const [channelId, before] = [given("channelId"), given("before")]
  const status = DeliveryStatus.literals.find((value) => value === query.get("status")) ?? null
  const [channels, log] = yield* Effect.all([
    read("list_channels"),
    read("list_deliveries", {
      limit: pageSize,
      ...(channelId === null ? {} : { channelId }),
      ...(status === null ? {} : { status }),
      ...(before === null ? {} : { before })
    })
  ], together)
  const filtered = channelId !== null || status !== null
  return {
    title: "Deliveries",
    live: before === null ? ["monitor.*", "incident.*", "maintenance.*"] : [],
    body: (
      <>
        <Head title="Deliveries" note="Alerts to your channels, and what came of each. Kept for 30 days." />
        <div class="stack">
          <section class="panel" aria-label="Log">
            <Filters channels={channels.data} channelId={channelId} status={status} />
            <Log deliveries={log.data} channels={channels.data} filtered={filtered} />
            <Pager
              said={`${log.data.length} shown`}
              previous={before === null
                ? null
                : `/app/deliveries?${new URLSearchParams({ channelId: channelId ?? "", status: status ?? "" }).toString()}`}
              next={log.next === null ? null : olderPath(query, log.next)}
            />
          </section>
          <ReplayMany channels={channels.data} channelId={channelId} />
        </div>
      </>
    )
  }
})

export const deliveriesView = view("/app/deliveries", "deliveries", deliveries)
