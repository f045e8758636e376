/** The incidents of the workspace, open ones first, with filters. */
import { Effect } from "effect"
import type { IncidentSummary } from "../../../../schema/incident/Incident.ts"
import { Filters, PlainSelect } from "../../design/Filters.tsx"
import { CallButton } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Badge, IncidentBadge, inWords, Pager, Tag } from "../../design/Parts.tsx"
import { type Columns, RecordTable } from "../../design/Table.tsx"
import { Moment, Since, useNumber } from "../../design/Time.tsx"
import { read, together, view } from "../../frame/View.ts"

const isOpen = ({ resolvedAt }: Pick<IncidentSummary, "resolvedAt">): boolean => resolvedAt === null

/** How long an incident lasted, or has lasted until now. */
export const Lasted = ({ of: { resolvedAt, startedAt } }: {
  readonly of: Pick<IncidentSummary, "resolvedAt" | "startedAt">
}) => {
  const { between } = useNumber()
  return resolvedAt === null ? <Since at={startedAt} /> : <>{between(startedAt, resolvedAt)}</>
}

const AcknowledgeButton = ({ of: { id, title } }: { readonly of: IncidentSummary }) => (
  <CallButton
    call="acknowledge_incident"
    id={`ack-${id}`}
    fixed={{ id }}
    said={`Acknowledged: ${title}`}
    undo={{ operation: "unacknowledge_incident", given: { id } }}
    look="plain tight"
    otherwise={<Badge tone="warn">No</Badge>}
  >
    Acknowledge
  </CallButton>
)

const columns: Columns<IncidentSummary> = [
  {
    name: "Incident",
    cell: ({ id, likelyUpstream, public: open, title }) => (
      <>
        <a class="title" href={`/app/incidents/${id}`}>{title}</a> {open ? <Tag>public</Tag> : null}
        {likelyUpstream === null ? null : <p class="note">Likely caused by {likelyUpstream.name}</p>}
      </>
    )
  },
  { name: "Status", cell: ({ status }) => <IncidentBadge status={status} /> },
  { name: "Impact", cell: ({ impact }) => inWords(impact) },
  { name: "Started", cell: ({ startedAt }) => <Moment at={startedAt} /> },
  { name: "Lasted", label: (of) => isOpen(of) ? "Open for" : "Lasted", class: "num nowrap", cell: (of) => <Lasted of={of} /> },
  {
    name: "Acknowledged",
    class: ({ acknowledgement }) => acknowledgement === null ? undefined : "named",
    cell: (of) =>
      of.acknowledgement !== null ? <span>{of.acknowledgement.by}</span> : isOpen(of) ? <AcknowledgeButton of={of} /> : "–"
  }
]

interface Filter {
  readonly show: string
  readonly page: string
}

const IncidentFilters = ({ filter: { page, show }, pages }: {
  readonly filter: Filter
  readonly pages: ReadonlyArray<readonly [id: string, name: string]>
}) => (
  <Filters>
    <PlainSelect id="show" label="Show" value={show} options={[["", "All"], ["open", "Open"]]} />
    <PlainSelect id="page" label="Status page" value={page} options={[["", "Any"], ...pages]} />
  </Filters>
)

const NewIncident = ({ look = "button" }: { readonly look?: string }) =>
  useMay("create_incident") ? <a class={look} href="/app/incidents/new">New incident</a> : null

const linkTo = (filter: Filter, before: string | null): string => {
  const query = new URLSearchParams(
    [["show", filter.show], ["page", filter.page], ["before", before ?? ""]].filter(([, value]) => value !== "")
  )
  return `/app/incidents${query.size === 0 ? "" : `?${query}`}`
}

/** On the first page of all, open incidents stand before the others, however old they are. */
const openFirst = (open: ReadonlyArray<IncidentSummary>, all: ReadonlyArray<IncidentSummary>) => {
  const first = new Set(open.map(({ id }) => id))
  return [...open, ...all.filter(({ id }) => !first.has(id))]
}

export const incidentsView = view("/app/incidents", "incidents", function*({ query }) {
  const filter = { show: query.get("show") ?? "", page: query.get("page") ?? "" }
  const before = query.get("before")
  const about = { kind: "incident", ...(filter.page === "" ? {} : { pageId: filter.page }) }
  const cursor = before === null ? {} : { before }
  const list = (open: boolean) => read("list_incidents", { ...about, ...cursor, ...(open ? { open } : {}), limit: 50 })
  const [{ data: pages }, open, others] = yield* together([
    read("list_pages", { components: false, limit: 100 }),
    before === null || filter.show === "open" ? list(true) : Effect.succeed(null),
    filter.show === "open" ? Effect.succeed(null) : list(false)
  ])
  const all = others ?? open ?? { data: [], next: null }
  const rows = openFirst(open?.data ?? [], all.data)
  return {
    title: "Incidents",
    live: ["incident.*"],
    head: {
      note: "What went wrong, who is on it, and what you told your users.",
      actions: (
        <>
          <a class="button plain" href="/app/deploys">Deploys</a>
          <a class="button plain" href="/app/incidents/templates">Templates</a>
          <NewIncident />
        </>
      )
    },
    body: (
      <section class="panel" aria-label="Incidents">
        <IncidentFilters filter={filter} pages={pages.map(({ id, name }) => [id, name])} />
        <RecordTable
          none={[
            filter.show === "open" ? "No open incidents" : "No incidents yet",
            "Monitors that go down open incidents by themselves. Open one by hand to tell visitors of a status page what is going on."
          ]}
          action={<NewIncident look="button plain" />}
          of={rows}
          idOf={({ id }) => `incident-${id}`}
          columns={columns}
        />
        <Pager
          said={`${rows.length} shown`}
          shown={rows.length}
          previous={before === null ? null : linkTo(filter, null)}
          next={all.next === null ? null : linkTo(filter, all.next)}
        />
      </section>
    )
  }
})
