/** The list of monitors: filters and quick filters in the address, pages, and changes of many at a time. */
import type { MonitorState } from "../../../../schema/monitor/Monitor.ts"
import { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { BareInput, BareSelect } from "../../design/BareControls.tsx"
import { BulkButton, BulkForm } from "../../design/BulkForm.tsx"
import { totalOf } from "../../design/Counted.ts"
import { PlainInput, PlainSelect } from "../../design/Filters.tsx"
import { useMay } from "../../design/Form.tsx"
import { Empty, inWords, Pager } from "../../design/Parts.tsx"
import { useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, together, view } from "../../frame/View.ts"
import { noWorkspace } from "../account/NoWorkspace.tsx"
import { kindForms } from "./form/KindForms.ts"
import { bulkForm, type ListedMonitor, MonitorTable } from "./MonitorTable.tsx"

const filterNames = ["state", "kind", "tag", "region", "search"] as const

type FilterName = (typeof filterNames)[number]
type MonitorFilter = Readonly<Partial<Record<FilterName, string>>>

/** The cursor of a page, and those of the pages before it: the list itself only goes forward. */
interface Paging {
  readonly after: string | null
  readonly trail: ReadonlyArray<string>
}

/** Pages that "Previous" can go back one by one; before that, it leads to the first. */
const longestTrail = 20

const given = (query: URLSearchParams, name: string): string | null => {
  const value = query.get(name)?.trim() ?? ""
  return value === "" ? null : value
}

const filterOf = (query: URLSearchParams): MonitorFilter =>
  Object.fromEntries(filterNames.flatMap((name) => {
    const value = given(query, name)
    return value === null ? [] : [[name, value]]
  }))

const pagingOf = (query: URLSearchParams): Paging => ({
  after: given(query, "after"),
  trail: (given(query, "trail") ?? "").split(",").filter((id) => id !== "")
})

type Address = `/app/monitors${string}`

const addressOf = (filter: MonitorFilter, { after, trail }: Paging = { after: null, trail: [] }): Address => {
  const query = new URLSearchParams({
    ...filter,
    ...(after === null ? {} : { after }),
    ...(trail.length === 0 ? {} : { trail: trail.join(",") })
  }).toString()
  return `/app/monitors${query === "" ? "" : `?${query}`}`
}

const nextPage = (filter: MonitorFilter, { after, trail }: Paging, next: string): Address =>
  addressOf(filter, { after: next, trail: [...trail, after ?? "0"].slice(-longestTrail) })

/** Null on the first page. */
const previousPage = (filter: MonitorFilter, { after, trail }: Paging): Address | null => {
  if (after === null) return null
  const before = trail.at(-1) ?? "0"
  return addressOf(filter, { after: before === "0" ? null : before, trail: trail.slice(0, -1) })
}

/** The same list with another state, from its first page. */
const withState = ({ state: _, ...filter }: MonitorFilter, state: string | null): Address =>
  addressOf(state === null ? filter : { ...filter, state })

/** In order of urgency. */
const states = ["down", "degraded", "pending", "up", "paused"] as const satisfies ReadonlyArray<MonitorState>

const StateTabs = (
  { counts, filter }: { readonly counts: Readonly<Record<MonitorState, number>>; readonly filter: MonitorFilter }
) => {
  const { count } = useNumber()
  const tab = (state: MonitorState | null, name: string, monitors: number) => (
    <a href={withState(filter, state)} aria-current={(filter.state ?? null) === state ? "page" : undefined}>
      {name} <span class="count num">{count(monitors)}</span>
    </a>
  )
  return (
    <nav class="tabs" aria-label="States">
      {tab(null, "All", totalOf(counts))}
      {states.map((state) => tab(state, inWords(state), counts[state]))}
    </nav>
  )
}

const MonitorFilters = ({ filter, regions }: {
  readonly filter: MonitorFilter
  readonly regions: ReadonlyArray<string>
}) => (
  <form class="filters" method="get" action="/app/monitors" data-auto role="search" aria-label="Monitors">
    {filter.state === undefined ? null : <input type="hidden" name="state" value={filter.state} />}
    <PlainInput
      id="filter-search"
      label="Name or address"
      grow
      type="search"
      name="search"
      value={filter.search ?? ""}
      maxlength={200}
    />
    <PlainSelect
      id="filter-kind"
      label="Kind"
      name="kind"
      value={filter.kind}
      options={[["", "Any"], ...MonitorKind.literals.map((kind) => [kind, kindForms[kind].name] as const)]}
    />
    <PlainInput id="filter-tag" label="Tag" name="tag" value={filter.tag ?? ""} maxlength={40} />
    {regions.length < 2 && filter.region === undefined
      ? null
      : (
        <PlainSelect
          id="filter-region"
          label="Region"
          name="region"
          value={filter.region}
          options={[["", "Any"], ...regions.map((id) => [id, id] as const)]}
        />
      )}
    <div class="buttons">
      <button class="plain">Filter</button>
      {Object.keys(filter).length === 0 ? null : <a class="button plain" href="/app/monitors">Clear</a>}
    </div>
  </form>
)

type Channels = AnswerOf<"list_channels">["data"]

const BulkBar = ({ channels }: { readonly channels: Channels }) => (
  <div class="bulk-bar" role="group" aria-label="Change the selected monitors">
    <span class="inline-field">
      <BareInput name="tags" as="list" label="Tag to add" attributes={{ maxlength: 40, placeholder: "Tag" }} />
      <BulkButton call="update_monitor" take={["tags:list"]} said="Tag added to {count:monitor}">Add tag</BulkButton>
    </span>
    {channels.length === 0 ? null : (
      <span class="inline-field">
        <BareSelect
          name="channelIds"
          as="all"
          label="Channel to add"
          options={[
            ["", "Channel"],
            ...channels.map(({ id, name }) => [id, name] as const)
          ]}
        />
        <BulkButton call="update_monitor" take={["channelIds:all"]} said="Channel added to {count:monitor}">
          Add channel
        </BulkButton>
      </span>
    )}
    <span class="buttons">
      <BulkButton call="update_monitor" set={{ "paused:boolean": "true" }} said="{count:monitor} paused">Pause</BulkButton>
      <BulkButton call="update_monitor" set={{ "paused:boolean": "false" }} said="{count:monitor} resumed">Resume</BulkButton>
      <BulkButton call="delete_monitor" confirm="/app/monitors/delete" said="" look="danger tight">Delete…</BulkButton>
    </span>
  </div>
)

const Nothing = ({ filter }: { readonly filter: MonitorFilter }) =>
  Object.keys(filter).length === 0
    ? (
      <Empty title="No monitors yet" text="A monitor checks an address, a port, a name or a job, and alerts you when it fails.">
        <a class="button" href="/app/monitors/new">New monitor</a>
        <a class="button plain" href="/app/import">Import from another service</a>
      </Empty>
    )
    : (
      <Empty title="No monitor matches" text="Change the filters, or clear them to see all monitors.">
        <a class="button plain" href="/app/monitors">Clear filters</a>
      </Empty>
    )

const New = () => useMay("create_monitor") ? <a class="button" href="/app/monitors/new">New monitor</a> : null

const List = ({ channels, monitors }: {
  readonly monitors: ReadonlyArray<ListedMonitor>
  readonly channels: Channels
}) => {
  const mayEdit = useMay("update_monitor")
  const table = <MonitorTable monitors={monitors} />
  return mayEdit
    ? (
      <>
        <BulkBar channels={channels} />
        {table}
      </>
    )
    : table
}

export const monitorsView = view("/app/monitors", "monitors", function*({ query, workspace }) {
  if (workspace === null) return noWorkspace("Monitors")
  const filter = filterOf(query)
  const paging = pagingOf(query)
  const [page, regions, channels] = yield* together([
    read("list_monitors", {
      ...filter,
      ...(paging.after === null ? {} : { after: paging.after }),
      limit: 50,
      trend: true,
      counts: true
    }),
    read("list_regions", { results: false }),
    read("list_channels")
  ])
  const { counts, data, next } = page
  const here = addressOf(filter, paging)
  return {
    title: "Monitors",
    live: ["monitor.*"],
    head: { actions: <New /> },
    body: (
      <>
        {counts === undefined ? null : <StateTabs counts={counts} filter={filter} />}
        <section class="panel" aria-label="Monitors">
          <MonitorFilters filter={filter} regions={regions.data.map(({ id }) => id)} />
          {data.length === 0 ? <Nothing filter={filter} /> : (
            <BulkForm id={bulkForm} then={here}>
              <List monitors={data} channels={channels.data} />
            </BulkForm>
          )}
          {paging.after === null && next === null ? null : (
            <Pager
              said={`Page ${paging.trail.length + 1}`}
              previous={previousPage(filter, paging)}
              next={next === null ? null : nextPage(filter, paging, next)}
            />
          )}
        </section>
      </>
    )
  }
})
