/** The subscribers of a status page. */
import { Effect } from "effect"
import type { Page } from "../../../../schema/page/Page.ts"
import { type Subscriber, SubscriberStatus, SubscriberType } from "../../../../schema/subscriber/Subscriber.ts"
import { CapturedNote } from "../../design/CapturedNote.tsx"
import { counted } from "../../design/Counted.ts"
import { CallButton } from "../../design/Form.tsx"
import { Badge, Empty, Figures, inWords, type Tone } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { PageFrame } from "./PageFrame.tsx"

/** The most that the operation lists on one page. */
const most = 1000

const tones: Readonly<Record<Subscriber["status"], Tone>> = {
  active: "good",
  pending: "calm",
  unsubscribed: "none",
  disabled: "warn"
}

const aboutOf = ({ components, incident }: Subscriber): string =>
  incident !== null
    ? "One incident"
    : components.length === 0
    ? "Everything"
    : counted(components.length, "component")

const Row = ({ page, subscriber }: { readonly page: Page; readonly subscriber: Subscriber }) => {
  const { agent, createdAt, email, id, language, status, type, url } = subscriber
  const who = email ?? url ?? type
  return (
    <tr id={`subscriber-${id}`}>
      <td class="lead">
        {who}
        {agent === null ? null : <p class="note">{agent}</p>}
      </td>
      <td data-label="Kind">{inWords(type)}</td>
      <td data-label="About">{aboutOf(subscriber)}</td>
      <td data-label="Language">{language}</td>
      <td data-label="Since">
        <Moment at={createdAt} style="day" />
      </td>
      <td data-label="Status">
        <Badge tone={tones[status]}>{inWords(status)}</Badge>
      </td>
      <td>
        {status === "active" || status === "pending"
          ? (
            <details class="remove">
              <summary>
                Remove<span class="sr">{" "}{who}</span>
              </summary>
              <p class="note">{who} gets no more news, and has to subscribe again.</p>
              <CallButton
                call="delete_subscriber"
                id={`delete-${id}`}
                fixed={{ id }}
                then={`/app/pages/${page.id}/subscribers`}
                said={`${who} removed`}
                look="danger tight"
              >
                Remove<span class="sr">{" "}{who}</span>
              </CallButton>
            </details>
          )
          : null}
      </td>
    </tr>
  )
}

const Filter = ({ status }: { readonly status: string }) => (
  <form class="filters" method="get" data-auto>
    <div class="field">
      <label for="status">Status</label>
      <select id="status" name="status">
        <option value="">Any</option>
        {SubscriberStatus.literals.map((value) => <option value={value} selected={value === status}>{inWords(value)}</option>)}
      </select>
    </div>
    <button class="plain">Filter</button>
  </form>
)

const Subscribers = ({ all, page, status }: {
  readonly page: Page
  readonly all: ReadonlyArray<Subscriber>
  readonly status: string
}) => {
  const { count } = useNumber()
  const shown = all.slice(0, 200)
  return (
    <div class="stack">
      <CapturedNote>Confirmations and news by email are captured, not sent: no mail server is set.</CapturedNote>
      <Figures
        of={SubscriberType.literals.map((type) => {
          const number = all.filter((subscriber) => subscriber.type === type).length
          return [inWords(type), `${count(number)}${all.length === most ? "+" : ""}`]
        })}
      />
      <section class="panel">
        <Filter status={status} />
        {all.length === 0
          ? (
            <Empty
              title={status === "" ? "Nobody has subscribed yet" : "No subscriber has this status"}
              text="Visitors subscribe on the page, by email, webhook, Slack, Discord or feed."
            >
              <a class="button plain" href={`/s/${page.slug}`}>View the page</a>
            </Empty>
          )
          : (
            <Table columns={["Subscriber", "Kind", "About", "Language", "Since", "Status"]} actions>
              {shown.map((subscriber) => <Row page={page} subscriber={subscriber} />)}
            </Table>
          )}
        {all.length <= shown.length
          ? null
          : (
            <p class="pager">
              The newest {shown.length} of {count(all.length)}
              {all.length === most ? " or more" : ""}. The API lists all of them.
            </p>
          )}
      </section>
    </div>
  )
}

export const subscribersView = view(
  "/app/pages/:id/subscribers",
  "pages",
  Effect.gen(function*() {
    const { params, query } = yield* Visit
    const pageId = params["id"] ?? ""
    const status = SubscriberStatus.literals.find((value) => value === query.get("status")) ?? ""
    const [page, subscribers] = yield* Effect.all([
      read("get_page", { pageId }),
      read("list_subscribers", { pageId, limit: most, ...(status === "" ? {} : { status }) })
    ], together)
    return {
      title: `Subscribers of ${page.name}`,
      body: (
        <PageFrame page={page} tab="/subscribers">
          <Subscribers page={page} all={subscribers.data} status={status} />
        </PageFrame>
      )
    }
  })
)
