/** The audit log: who changed what, when, and from where, with filters that are part of the address. */
import { DateTime, Effect, Option } from "effect"
import type { AuditEntry } from "../../../../schema/access/Audit.ts"
import { Badge, Empty, Head, Pager, Panel, Tag } from "../../design/Parts.tsx"
import { ShortId } from "../../design/ShortId.tsx"
import { Table } from "../../design/Table.tsx"
import { Moment } from "../../design/Time.tsx"
import { read } from "../../frame/DashboardApi.ts"
import { operationSummary } from "../../frame/OperationSummary.ts"
import { view } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"

const perPage = 50

const linkOf = (target: string): string | null => {
  const [prefix] = target.split("_")
  const places: Readonly<Record<string, string>> = {
    mon: "monitors",
    inc: "incidents",
    pg: "pages",
    ch: "channels",
    sch: "on-call"
  }
  const place = places[prefix ?? ""]
  return place === undefined ? null : `/app/${place}/${target}`
}

const Entry = ({ entry: { actor, at, id, ip, operation, outcome, target, via } }: { readonly entry: AuditEntry }) => (
  <tr id={id}>
    <td class="lead">
      <b>{operationSummary(operation)}</b> {outcome === "unknown" ? <Badge tone="warn">Unknown outcome</Badge> : null}
      <p class="note">{target === null ? operation : <ShortId id={target} link={linkOf(target)} />}</p>
    </td>
    <td data-label="Who" class="named">
      <a href={`/app/audit?actor=${encodeURIComponent(actor.id)}`}>
        {actor.name ?? actor.id}
      </a>
      {actor.parent === null ? null : <p class="note">delegated from {actor.parent.name}</p>}
    </td>
    <td data-label="Via">
      <Tag>{via}</Tag> <span class="note">{ip ?? ""}</span>
    </td>
    <td data-label="When">
      <Moment at={at} />
    </td>
  </tr>
)

const filters = ["actor", "operation", "from", "to"] as const

const Filters = () => {
  const { query } = useVisit()
  const value = (name: string) => query.get(name) ?? ""
  return (
    <form class="filters" method="get" action="/app/audit" role="search" aria-label="Audit log">
      <div class="field grow">
        <label for="operation">Operation</label>
        <input id="operation" name="operation" type="search" value={value("operation")} placeholder="delete_monitor" />
      </div>
      <div class="field grow">
        <label for="actor">Key or person</label>
        <input id="actor" name="actor" type="search" value={value("actor")} placeholder="key_… or usr_…" />
      </div>
      <div class="field">
        <label for="from">From</label>
        <input id="from" name="from" type="date" value={value("from")} />
      </div>
      <div class="field">
        <label for="to">Until</label>
        <input id="to" name="to" type="date" value={value("to")} />
      </div>
      <button class="plain">Filter</button>
    </form>
  )
}

/** Midnight of a local date in the person's zone. */
const startOf = (date: string | null, zone: string, days: number): string | undefined =>
  date === null || !/^\d{4}-\d{2}-\d{2}$/.test(date)
    ? undefined
    : Option.getOrUndefined(
      Option.map(
        DateTime.makeZoned(`${date}T00:00:00`, { timeZone: zone, adjustForTimeZone: true }),
        (midnight) => DateTime.formatIso(DateTime.toUtc(DateTime.add(midnight, { days })))
      )
    )

const audit = Effect.gen(function*() {
  const { query, zone } = yield* Visit
  const asked = (name: string) => query.get(name)?.trim() || undefined
  const { data, next } = yield* read("list_audit_log", {
    limit: perPage,
    before: asked("before"),
    actor: asked("actor"),
    operation: asked("operation"),
    from: startOf(query.get("from"), zone, 0),
    to: startOf(query.get("to"), zone, 1)
  })
  const kept = new URLSearchParams(filters.flatMap((name) => asked(name) === undefined ? [] : [[name, asked(name) ?? ""]]))
  const page = (before: string | null) => {
    const search = new URLSearchParams(kept)
    if (before !== null) search.set("before", before)
    return `/app/audit?${search.toString()}`
  }
  return {
    title: "Audit log",
    body: (
      <>
        <Head title="Audit log" note="Every change and every sign-in of the last year." />
        <Panel id="entries" title="Entries" flush>
          <Filters />
          {data.length === 0
            ? <Empty title="Nothing found" text="No entry fits these filters." />
            : <Table columns={["What", "Who", "Via", "When"]}>{data.map((entry) => <Entry entry={entry} />)}</Table>}
          <Pager
            previous={query.has("before") ? page(null) : null}
            next={next === null ? null : page(next)}
            said={`Newest first, ${perPage} on a page`}
          />
        </Panel>
      </>
    )
  }
})

export const auditView = view("/app/audit", "audit", audit)
