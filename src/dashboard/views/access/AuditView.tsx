/** The audit log: who changed what, when, and from where, with filters that are part of the address. */
import { DateTime, Option } from "effect"
import type { AuditEntry } from "../../../../schema/access/Audit.ts"
import { ShortId } from "../../design/CopyText.tsx"
import { PlainInput } from "../../design/Filters.tsx"
import { Badge, Pager, Panel, Tag } from "../../design/Parts.tsx"
import { type Columns, RecordTable } from "../../design/Table.tsx"
import { Moment } from "../../design/Time.tsx"
import { operationSummary } from "../../frame/CallShapes.ts"
import { read, view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"

const perPage = 50

/** The views of records, by the prefixes of their ids. */
const folders: Readonly<Record<string, string>> = {
  mon: "monitors",
  inc: "incidents",
  pg: "pages",
  ch: "channels",
  sch: "on-call"
}

const linkOf = (target: string): string | null => {
  const folder = folders[target.split("_")[0] ?? ""]
  return folder === undefined ? null : `/app/${folder}/${target}`
}

const filters = ["actor", "operation", "from", "to"] as const

const AuditFilters = () => {
  const { query } = useVisit()
  const field = (name: typeof filters[number]) => ({ id: name, name, value: query.get(name) ?? "" })
  return (
    <form class="filters" method="get" action="/app/audit" role="search" aria-label="Audit log">
      <PlainInput {...field("operation")} grow label="Operation" type="search" placeholder="delete_monitor" />
      <PlainInput {...field("actor")} grow label="Key or person" type="search" placeholder="key_… or usr_…" />
      <PlainInput {...field("from")} label="From" type="date" />
      <PlainInput {...field("to")} label="Until" type="date" />
      <button class="plain">Filter</button>
    </form>
  )
}

const columns: Columns<AuditEntry> = [
  {
    name: "What",
    cell: ({ operation, outcome, target }) => (
      <>
        <b>{operationSummary(operation)}</b> {outcome === "unknown" ? <Badge tone="warn">Unknown outcome</Badge> : null}
        <p class="note">{target === null ? operation : <ShortId id={target} link={linkOf(target)} />}</p>
      </>
    )
  },
  {
    name: "Who",
    class: "named",
    cell: ({ actor }) => (
      <>
        <a href={`/app/audit?actor=${encodeURIComponent(actor.id)}`}>{actor.name ?? actor.id}</a>
        {actor.parent === null ? null : <p class="note">delegated from {actor.parent.name}</p>}
      </>
    )
  },
  {
    name: "Via",
    cell: ({ ip, via }) => (
      <>
        <Tag>{via}</Tag> <span class="note">{ip ?? ""}</span>
      </>
    )
  },
  { name: "When", cell: ({ at }) => <Moment at={at} /> }
]

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

export const auditView = view("/app/audit", "audit", function*({ query, zone }) {
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
    head: { note: "Every change and every sign-in of the last year." },
    body: (
      <Panel id="entries" title="Entries" flush>
        <AuditFilters />
        <RecordTable none={["Nothing found", "No entry fits these filters."]} of={data} idOf={({ id }) => id} columns={columns} />
        <Pager
          previous={query.has("before") ? page(null) : null}
          next={next === null ? null : page(next)}
          said={`Newest first, ${perPage} on a page`}
        />
      </Panel>
    )
  }
})
