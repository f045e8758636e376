/** The list of monitors: its filters, order and grouping are in the address, pages come from the server, and many change at a time. */
import type { MonitorSort, MonitorState } from "../../../../schema/monitor/Monitor.ts"
import { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { totalOf } from "../../design/Amounts.ts"
import { BulkForm } from "../../design/BulkForm.tsx"
import { BareFilter, BareFilterSelect } from "../../design/Filters.tsx"
import { useMay } from "../../design/May.tsx"
import { Empty, inWords, Island, Pager } from "../../design/Parts.tsx"
import { useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, together, view } from "../../frame/View.ts"
import { noWorkspace } from "../account/NoWorkspace.tsx"
import { kindForms } from "./form/KindForms.ts"
import {
  addressOf,
  nextPage,
  type Paging,
  pagingOf,
  previousPage,
  usualSort,
  type Wanted,
  wantedOf,
  withFilter
} from "./ListAddress.ts"
import { MonitorsBulkBar } from "./MonitorsBulkBar.tsx"
import { bulkForm, type ListedMonitor, MonitorTable } from "./MonitorTable.tsx"
import { type TagCount, TagGroups } from "./TagGroups.tsx"

/** In order of urgency. */
const states = ["down", "degraded", "pending", "up", "paused"] as const satisfies ReadonlyArray<MonitorState>

const StateTabs = (
  { counts, wanted }: { readonly counts: Readonly<Record<MonitorState, number>>; readonly wanted: Wanted }
) => {
  const { count } = useNumber()
  const tab = (state: MonitorState | null, name: string, monitors: number) => (
    <a href={withFilter(wanted, "state", state)} aria-current={(wanted.filter.state ?? null) === state ? "page" : undefined}>
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

const sorts = {
  state: "Worst first",
  name: "By name",
  newest: "Newest first",
  created: "Oldest first"
} as const satisfies Record<MonitorSort, string>

const MonitorFilters = ({ regions, wanted }: { readonly wanted: Wanted; readonly regions: ReadonlyArray<string> }) => {
  const { byTag, filter, sort } = wanted
  return (
    <form class="filters tight" method="get" action="/app/monitors" data-auto role="search" aria-label="Monitors">
      {filter.state === undefined ? null : <input type="hidden" name="state" value={filter.state} />}
      <BareFilter
        id="filter-search"
        label="Name or address"
        grow
        type="search"
        name="search"
        value={filter.search ?? ""}
        maxlength={200}
      />
      <div class="filters-more">
        <BareFilterSelect
          id="filter-kind"
          label="Kind"
          name="kind"
          value={filter.kind}
          options={[["", "Any kind"], ...MonitorKind.literals.map((kind) => [kind, kindForms[kind].name] as const)]}
        />
        <BareFilter id="filter-tag" label="Tag" name="tag" value={filter.tag ?? ""} maxlength={40} />
        {regions.length < 2 && filter.region === undefined
          ? null
          : (
            <BareFilterSelect
              id="filter-region"
              label="Region"
              name="region"
              value={filter.region}
              options={[["", "Any region"], ...regions.map((id) => [id, id] as const)]}
            />
          )}
        <BareFilterSelect
          id="filter-sort"
          label="Order"
          name="sort"
          value={sort === usualSort ? "" : sort}
          options={Object.entries(sorts).map(([name, text]) => [name === usualSort ? "" : name, text] as const)}
        />
        <BareFilterSelect
          id="filter-group"
          label="Groups"
          name="group"
          value={byTag ? "tag" : ""}
          options={[["", "No groups"], ["tag", "Group by tag"]]}
        />
        {Object.keys(filter).length === 0 && sort === usualSort && !byTag
          ? null
          : <a class="button plain tight" href="/app/monitors">Clear</a>}
      </div>
      <button class="plain tight" data-redundant>Filter</button>
    </form>
  )
}

const Nothing = ({ all }: { readonly all: boolean }) =>
  all
    ? (
      <Empty title="No monitors yet" text="A monitor checks an address, a port, a name or a job, and alerts you when it fails.">
        <a class="button" href="/app/monitors/new">New monitor</a>
        <a class="button plain" href="/app/import">Import from another service</a>
      </Empty>
    )
    : (
      <Empty title="No monitors match" text="Change the filters, or clear them to see all monitors.">
        <a class="button plain" href="/app/monitors">Clear filters</a>
      </Empty>
    )

const New = () => useMay("create_monitor") ? <a class="button" href="/app/monitors/new">New monitor</a> : null

interface ListProps {
  readonly wanted: Wanted
  readonly paging: Paging
  readonly monitors: ReadonlyArray<ListedMonitor>
  readonly next: string | null
  readonly channels: AnswerOf<"list_channels">["data"]
  readonly regions: AnswerOf<"list_regions">["data"]
}

const List = ({ channels, monitors, next, paging, regions, wanted }: ListProps) => {
  const mayEdit = useMay("update_monitor")
  const sortedBy = (sort: MonitorSort) => addressOf({ ...wanted, sort })
  const isPaged = paging.after !== null || next !== null
  return (
    <>
      <BulkForm id={bulkForm} then={addressOf(wanted, paging)}>
        <MonitorTable monitors={monitors} sorting={{ sort: wanted.sort, addressOf: sortedBy }} />
        {mayEdit ? <MonitorsBulkBar channels={channels} regions={regions.map(({ id }) => id)} /> : null}
      </BulkForm>
      <Pager
        said={<span data-found>{isPaged ? `Page ${paging.trail.length + 1}` : counted(monitors.length, "monitor")}</span>}
        previous={previousPage(wanted, paging)}
        next={next === null ? null : nextPage(wanted, paging, next)}
      />
    </>
  )
}

/** Of the groups, the one whose tag is filtered for is open. */
const Grouped = ({ list, tags }: { readonly list: ListProps; readonly tags: ReadonlyArray<TagCount> }) => (
  <TagGroups
    tags={tags}
    open={list.wanted.filter.tag ?? null}
    addressOf={(tag) => withFilter(list.wanted, "tag", tag)}
  >
    {list.monitors.length === 0 ? <Nothing all={false} /> : <List {...list} />}
  </TagGroups>
)

export const monitorsView = view("/app/monitors", "monitors", function*({ query, workspace }) {
  if (workspace === null) return noWorkspace("Monitors")
  const wanted = wantedOf(query)
  const { byTag, filter, sort } = wanted
  const paging = pagingOf(query)
  const [page, regions, channels] = yield* together([
    read("list_monitors", {
      ...filter,
      sort,
      ...(paging.after === null ? {} : { after: paging.after }),
      // Closed groups show no monitors.
      ...(byTag && filter.tag === undefined ? { limit: 1 } : { limit: 50, trend: true }),
      ...(byTag ? { tags: true } : {}),
      counts: true
    }),
    read("list_regions", { results: false }),
    read("list_channels")
  ])
  const { counts, data, next, tags = [] } = page
  const list: ListProps = { wanted, paging, monitors: data, next, channels: channels.data, regions: regions.data }
  return {
    title: "Monitors",
    live: ["monitor.*"],
    head: { actions: <New /> },
    body: (
      <>
        {counts === undefined ? null : <StateTabs counts={counts} wanted={wanted} />}
        <Island name="views" keep props={{ workspace: workspace.id }}>{null}</Island>
        <section class="panel" aria-label="Monitors">
          <MonitorFilters wanted={wanted} regions={regions.data.map(({ id }) => id)} />
          {byTag
            ? <Grouped list={list} tags={tags} />
            : data.length === 0
            ? <Nothing all={Object.keys(filter).length === 0 && paging.after === null} />
            : <List {...list} />}
        </section>
        <Island name="monitors" props={null}>{null}</Island>
      </>
    )
  }
})
