/** The subscribers of a status page. */
import {
  type Subscriber,
  SubscriberStatus,
  SubscriberType,
  type SubscriptionKind
} from "../../../../schema/subscriber/Subscriber.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { Filters, PlainSelect } from "../../design/Filters.tsx"
import { CallButton } from "../../design/Form.tsx"
import { Badge, CapturedNote, Empty, Figures, inWords, type Tone } from "../../design/Parts.tsx"
import { RecordTable } from "../../design/Table.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { read, together, view } from "../../frame/View.ts"
import { pageHead, readPage } from "./PageHead.tsx"

/** The most that the operation lists on one page. */
const most = 1000

const tones: Readonly<Record<Subscriber["status"], Tone>> = {
  active: "good",
  pending: "calm",
  unsubscribed: "none",
  disabled: "warn"
}

const kindNames: Readonly<Record<SubscriptionKind, string>> = {
  incidents: "incidents",
  maintenance: "maintenance",
  postmortems: "postmortems",
  components: "status changes"
}

const aboutOf = ({ components, incident, kinds }: Subscriber): string => {
  const news = kinds.map((kind) => kindNames[kind]).join(", ")
  const about = incident !== null ? "One incident" : components.length === 0 ? "" : counted(components.length, "component")
  return [about, news].filter((part) => part !== "").join(": ") || "Everything"
}

const RemoveButton = ({ of: { id }, who }: { readonly of: Subscriber; readonly who: string }) => (
  <details class="remove">
    <summary>
      Remove<span class="sr">{" "}{who}</span>
    </summary>
    <p class="note">{who} gets no more news, and has to subscribe again.</p>
    <CallButton call="delete_subscriber" id={`delete-${id}`} fixed={{ id }} said={`${who} removed`} look="danger tight">
      Remove<span class="sr">{" "}{who}</span>
    </CallButton>
  </details>
)

const whoOf = ({ email, type, url }: Subscriber): string => email ?? url ?? type

const Subscribers = ({ of }: { readonly of: ReadonlyArray<Subscriber> }) => (
  <RecordTable
    of={of}
    idOf={({ id }) => `subscriber-${id}`}
    columns={[
      {
        name: "Subscriber",
        cell: (subscriber) => (
          <>
            {whoOf(subscriber)}
            {subscriber.agent === null ? null : <p class="note">{subscriber.agent}</p>}
          </>
        )
      },
      { name: "Kind", cell: ({ type }) => inWords(type) },
      { name: "About", cell: aboutOf },
      { name: "Language", cell: ({ language }) => language },
      { name: "Connected", cell: ({ createdAt }) => <Moment at={createdAt} style="day" /> },
      { name: "Status", cell: ({ status }) => <Badge tone={tones[status]}>{inWords(status)}</Badge> }
    ]}
    actions={{
      cell: (subscriber) =>
        subscriber.status === "active" || subscriber.status === "pending"
          ? <RemoveButton of={subscriber} who={whoOf(subscriber)} />
          : null
    }}
  />
)

const mostShown = 200

const Counts = ({ all }: { readonly all: ReadonlyArray<Subscriber> }) => {
  const { count } = useNumber()
  return (
    <Figures
      of={SubscriberType.literals.map((type) => {
        const number = all.filter((subscriber) => subscriber.type === type).length
        return [inWords(type), `${count(number)}${all.length === most ? "+" : ""}`]
      })}
    />
  )
}

const Cut = ({ all }: { readonly all: number }) => {
  const { count } = useNumber()
  return all <= mostShown ? null : (
    <p class="pager">
      The newest {mostShown} of {count(all)}
      {all === most ? " or more" : ""}. The API lists all of them.
    </p>
  )
}

export const subscribersView = view("/app/pages/:id/subscribers", "pages", function*({ id: pageId, query }) {
  const status = SubscriberStatus.literals.find((value) => value === query.get("status"))
  const [page, { data: all }] = yield* together([readPage, read("list_subscribers", { pageId, limit: most, status })])
  return {
    title: `Subscribers of ${page.name}`,
    head: pageHead(page, "/subscribers"),
    stack: [
      <CapturedNote>Confirmations and news by email are captured, not sent: no mail server is set.</CapturedNote>,
      <Counts all={all} />,
      <section class="panel">
        <Filters>
          <PlainSelect
            id="status"
            label="Status"
            value={status}
            options={[["", "Any"], ...SubscriberStatus.literals.map((value) => [value, inWords(value)] as const)]}
          />
        </Filters>
        {all.length === 0
          ? (
            <Empty
              title={status === undefined ? "Nobody has subscribed yet" : "No subscriber has this status"}
              text="Visitors subscribe on the page, by email, webhook, Slack, Discord or feed."
            >
              <a class="button plain" href={`/s/${page.slug}`}>View the page</a>
            </Empty>
          )
          : <Subscribers of={all.slice(0, mostShown)} />}
        <Cut all={all.length} />
      </section>
    ]
  }
})
