/** The incidents of the workspace, open ones first, with filters. */
import { DateTime, Effect } from "effect"
import type { IncidentSummary } from "../../../../schema/incident/Incident.ts"
import { CallButton } from "../../design/Form.tsx"
import { Badge, Empty, Head, IncidentBadge, inWords, Pager, Tag } from "../../design/Parts.tsx"
import { Table } from "../../design/Table.tsx"
import { durationText, Moment, Since } from "../../design/Time.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { view } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"

const pageSize = 50

const isOpen = ({ resolvedAt }: Pick<IncidentSummary, "resolvedAt">): boolean => resolvedAt === null

/** How long an incident lasted, or has lasted until now. */
export const Lasted = ({ of: { resolvedAt, startedAt } }: {
  readonly of: Pick<IncidentSummary, "resolvedAt" | "startedAt">
}) => {
  const { locale } = useVisit()
  return resolvedAt === null
    ? <Since at={startedAt} />
    : <>{durationText(locale, DateTime.distanceDuration(startedAt, resolvedAt))}</>
}

const Row = ({ of }: { readonly of: IncidentSummary }) => {
  const { acknowledgement, id, impact, likelyUpstream, startedAt, status, title } = of
  return (
    <tr id={`incident-${id}`}>
      <td class="lead">
        <a class="title" href={`/app/incidents/${id}`}>{title}</a> {of.public ? <Tag>public</Tag> : null}
        {likelyUpstream === null ? null : <p class="note">Likely caused by {likelyUpstream.name}</p>}
      </td>
      <td data-label="Status">
        <IncidentBadge status={status} />
      </td>
      <td data-label="Impact">{inWords(impact)}</td>
      <td data-label="Started">
        <Moment at={startedAt} />
      </td>
      <td data-label={isOpen(of) ? "Open for" : "Lasted"} class="num">
        <Lasted of={of} />
      </td>
      <td data-label="Acknowledged" {...(acknowledgement === null ? {} : { class: "named" })}>
        {acknowledgement !== null
          ? <span>{acknowledgement.by}</span>
          : isOpen(of)
          ? (
            <CallButton
              call="acknowledge_incident"
              id={`ack-${id}`}
              fixed={{ id }}
              then="/app/incidents"
              said={`Acknowledged: ${title}`}
              undo={{ operation: "unacknowledge_incident", given: { id } }}
              look="plain tight"
              otherwise={<Badge tone="warn">No</Badge>}
            >
              Acknowledge
            </CallButton>
          )
          : "–"}
      </td>
    </tr>
  )
}

const Incidents = ({ rows }: { readonly rows: ReadonlyArray<IncidentSummary> }) => (
  <Table columns={["Incident", "Status", "Impact", "Started", "Lasted", "Acknowledged"]}>
    {rows.map((of) => <Row of={of} />)}
  </Table>
)

interface Filter {
  readonly show: string
  readonly page: string
}

const Filters = ({ filter: { page, show }, pages }: {
  readonly filter: Filter
  readonly pages: ReadonlyArray<readonly [id: string, name: string]>
}) => (
  <form class="filters" method="get" data-auto>
    <div class="field">
      <label for="show">Show</label>
      <select id="show" name="show">
        {[["", "All"], ["open", "Open"]].map(([value, name]) => <option value={value} selected={value === show}>{name}</option>)}
      </select>
    </div>
    <div class="field">
      <label for="page">Status page</label>
      <select id="page" name="page">
        <option value="">Any</option>
        {pages.map(([id, name]) => <option value={id} selected={id === page}>{name}</option>)}
      </select>
    </div>
    <button class="plain">Filter</button>
  </form>
)

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

const incidents = Effect.gen(function*() {
  const { query } = yield* Visit
  const filter = { show: query.get("show") ?? "", page: query.get("page") ?? "" }
  const before = query.get("before")
  const about = { kind: "incident", ...(filter.page === "" ? {} : { pageId: filter.page }) }
  const cursor = before === null ? {} : { before }
  const list = (open: boolean) => read("list_incidents", { ...about, ...cursor, ...(open ? { open } : {}), limit: pageSize })
  const [{ data: pages }, open, others] = yield* Effect.all([
    read("list_pages", { components: false, limit: 100 }),
    before === null || filter.show === "open" ? list(true) : Effect.succeed(null),
    filter.show === "open" ? Effect.succeed(null) : list(false)
  ], together)
  const all = others ?? open ?? { data: [], next: null }
  const rows = openFirst(open?.data ?? [], all.data)
  return {
    title: "Incidents",
    live: ["incident.*"],
    body: (
      <>
        <Head title="Incidents" note="What went wrong, what was said about it, and who took it.">
          <a class="button plain" href="/app/incidents/templates">Templates</a>
          <a class="button" href="/app/incidents/new">New incident</a>
        </Head>
        <section class="panel" aria-label="Incidents">
          <Filters filter={filter} pages={pages.map(({ id, name }) => [id, name])} />
          {rows.length === 0
            ? (
              <Empty
                title={filter.show === "open" ? "No open incident" : "No incident yet"}
                text="Monitors that go down open incidents by themselves. Open one by hand to tell visitors of a status page what is going on."
              >
                <a class="button plain" href="/app/incidents/new">New incident</a>
              </Empty>
            )
            : <Incidents rows={rows} />}
          <Pager
            said={`${rows.length} shown`}
            previous={before === null ? null : linkTo(filter, null)}
            next={all.next === null ? null : linkTo(filter, all.next)}
          />
        </section>
      </>
    )
  }
})

export const incidentsView = view("/app/incidents", "incidents", incidents)
