/** The log of deliveries to alert channels, with replay of one and of many. */
import { DateTime } from "effect"
import type { ComponentChildren } from "preact"
import type { Channel } from "../../../../schema/alert/Channel.ts"
import { type Delivery, DeliveryStatus } from "../../../../schema/alert/Delivery.ts"
import { Filters, PlainSelect } from "../../design/Filters.tsx"
import { CallButton, CallForm, Select, Submit, useAnswerOf } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Empty, Pager, Panel, StateBadge, type Tone } from "../../design/Parts.tsx"
import { RecordTable } from "../../design/Table.tsx"
import { Ago, Moment, useNumber } from "../../design/Time.tsx"
import { MomentField } from "../../design/TimeFields.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, together, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"

const stages: Readonly<Record<Delivery["stage"], readonly [Tone, string]>> = {
  queued: ["calm", "Queued"],
  attempting: ["calm", "Sending"],
  retrying: ["warn", "Retrying"],
  delivered: ["good", "Delivered"],
  captured: ["warn", "Captured, not sent"],
  dead: ["bad", "Failed"]
}

const DeliveryBadge = ({ stage }: Pick<Delivery, "stage">) => <StateBadge of={stages[stage]} />

const DeliveryEvent = ({ children, of: { error, eventType } }: {
  readonly of: Delivery
  readonly children?: ComponentChildren
}) => (
  <>
    <span class="mono">{eventType ?? "deleted event"}</span>
    {children}
    {error === null ? null : <p class="note quoted">{error}</p>}
  </>
)

export const DeliveryRows = ({ deliveries }: { readonly deliveries: ReadonlyArray<Delivery> }) => (
  <ul class="rows">
    {deliveries.map((delivery) => (
      <li id={`delivery-${delivery.id}`}>
        <div>
          <DeliveryEvent of={delivery} />
        </div>
        <span class="note">
          <Ago at={delivery.createdAt} />
        </span>
        <DeliveryBadge stage={delivery.stage} />
      </li>
    ))}
  </ul>
)

const statusNames: Readonly<Record<Delivery["status"], string>> = {
  due: "Due",
  delivered: "Delivered",
  captured: "Captured, not sent",
  dead: "Failed"
}

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

const ReplayButton = ({ channelName, of: { eventType, id } }: { readonly of: Delivery; readonly channelName: string }) => {
  const { query } = useVisit()
  return (
    <CallButton
      call="replay_delivery"
      id={`replay-${id}`}
      fixed={{ id }}
      then={`/app/deliveries?${query.toString()}`}
      said="Event queued for delivery again"
      look="plain tight"
    >
      Replay<span class="sr">{" "}{eventType} to {channelName}</span>
    </CallButton>
  )
}

const Deliveries = ({ channels, of }: { readonly of: ReadonlyArray<Delivery>; readonly channels: ReadonlyArray<Channel> }) => {
  const { millis } = useNumber()
  const nameOf = ({ channelId }: Delivery) => channels.find(({ id }) => id === channelId)?.name ?? "Deleted channel"
  return (
    <RecordTable
      of={of}
      idOf={({ id }) => `delivery-${id}`}
      columns={[
        {
          name: "Event",
          cell: (delivery) => (
            <DeliveryEvent of={delivery}>
              <p class="note">
                To <a href={`/app/channels/${delivery.channelId}`}>{nameOf(delivery)}</a>
              </p>
            </DeliveryEvent>
          )
        },
        { name: "Status", cell: ({ stage }) => <DeliveryBadge stage={stage} /> },
        { name: "Attempts", class: "num", cell: (delivery) => <Attempts delivery={delivery} /> },
        { name: "Answer", class: "num", cell: ({ statusCode }) => statusCode ?? "–" },
        { name: "Latency", class: "num", cell: ({ latencyMs }) => millis(latencyMs) },
        { name: "Created", cell: ({ createdAt }) => <Ago at={createdAt} /> }
      ]}
      actions={{
        cell: (delivery) =>
          delivery.status === "due" && delivery.stage !== "retrying"
            ? null
            : <ReplayButton of={delivery} channelName={nameOf(delivery)} />
      }}
    />
  )
}

const Replayed = ({ of: { more, replayed } }: { readonly of: AnswerOf<"replay_deliveries"> }) => {
  const { count } = useNumber()
  return (
    <p class="outcome is-good" role="status">
      {replayed === 0
        ? "There is nothing to replay since then."
        : `${count(replayed)} ${replayed === 1 ? "delivery is" : "deliveries are"} due again.`}
      {more ? " There are more: replay again." : ""}
    </p>
  )
}

const ReplayMany = (
  { channelId, channels }: { readonly channels: ReadonlyArray<Channel>; readonly channelId: string | null }
) => {
  const { now } = useVisit()
  const answer = useAnswerOf("replay-many", "replay_deliveries")
  if (!useMay("replay_deliveries")) return null
  return (
    <Panel id="replay" title="Replay deliveries">
      <p class="note">
        For a receiver that lost events. Sends the same bodies with the same ids, oldest first, up to 1,000 at a time.
      </p>
      {answer === null ? null : <Replayed of={answer} />}
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
            ["dead", "Failed"],
            ["captured", "Captured, not sent"],
            ["delivered", "Delivered"]
          ]}
        />
        <Submit look="plain">Replay</Submit>
      </CallForm>
    </Panel>
  )
}

const addressOf = (query: Readonly<Record<string, string>>) => `/app/deliveries?${new URLSearchParams(query).toString()}`

export const deliveriesView = view("/app/deliveries", "deliveries", function*({ query }) {
  const [channelId, before] = [query.get("channelId") || null, query.get("before") || null]
  const status = DeliveryStatus.literals.find((value) => value === query.get("status")) ?? null
  const [{ data: channels }, { data, next }] = yield* together([
    read("list_channels"),
    read("list_deliveries", {
      limit: 50,
      channelId: channelId ?? undefined,
      status: status ?? undefined,
      before: before ?? undefined
    })
  ])
  const filtered = channelId !== null || status !== null
  return {
    title: "Deliveries",
    live: before === null ? ["monitor.*", "incident.*", "maintenance.*"] : [],
    head: { note: "Every alert sent to your channels, and its outcome. Kept for 30 days." },
    stack: [
      <section class="panel" aria-label="Log">
        <Filters>
          <PlainSelect
            id="by-channel"
            label="Channel"
            name="channelId"
            value={channelId}
            options={[["", "All"], ...channels.map(({ id, name }) => [id, name] as const)]}
          />
          <PlainSelect
            id="by-status"
            label="Status"
            name="status"
            value={status}
            options={[["", "Any"], ...DeliveryStatus.literals.map((value) => [value, statusNames[value]] as const)]}
          />
        </Filters>
        {data.length === 0
          ? (
            <Empty
              title={filtered ? "No deliveries match" : "Nothing was sent yet"}
              text={filtered
                ? "Deliveries are kept for 30 days after they end."
                : "Each alert to a channel appears here with its attempts and answers."}
            />
          )
          : <Deliveries of={data} channels={channels} />}
        <Pager
          said={`${data.length} shown`}
          shown={data.length}
          previous={before === null ? null : addressOf({ channelId: channelId ?? "", status: status ?? "" })}
          next={next === null ? null : addressOf({ ...Object.fromEntries(query), before: next })}
        />
      </section>,
      <ReplayMany channels={channels} channelId={channelId} />
    ]
  }
})
