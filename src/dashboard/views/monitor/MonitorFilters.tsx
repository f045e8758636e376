/** The filters of the list of monitors, as its address holds them: counts of each state as links, and a form. */
import type { MonitorState } from "../../../../schema/monitor/Monitor.ts"
import { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { totalOf } from "../../design/Counted.ts"
import { PlainInput, PlainSelect } from "../../design/Filters.tsx"
import { inWords } from "../../design/Parts.tsx"
import { useNumber } from "../../design/Time.tsx"
import { kindNames } from "./KindNames.ts"

const filterNames = ["state", "kind", "tag", "region", "search"] as const

type FilterName = (typeof filterNames)[number]
export type MonitorFilter = Readonly<Partial<Record<FilterName, string>>>

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

export const filterOf = (query: URLSearchParams): MonitorFilter =>
  Object.fromEntries(filterNames.flatMap((name) => {
    const value = given(query, name)
    return value === null ? [] : [[name, value]]
  }))

export const pagingOf = (query: URLSearchParams): Paging => ({
  after: given(query, "after"),
  trail: (given(query, "trail") ?? "").split(",").filter((id) => id !== "")
})

type Address = `/app/monitors${string}`

export const addressOf = (filter: MonitorFilter, { after, trail }: Paging = { after: null, trail: [] }): Address => {
  const query = new URLSearchParams({
    ...filter,
    ...(after === null ? {} : { after }),
    ...(trail.length === 0 ? {} : { trail: trail.join(",") })
  }).toString()
  return `/app/monitors${query === "" ? "" : `?${query}`}`
}

export const nextPage = (filter: MonitorFilter, { after, trail }: Paging, next: string): Address =>
  addressOf(filter, { after: next, trail: [...trail, after ?? "0"].slice(-longestTrail) })

/** Null on the first page. */
export const previousPage = (filter: MonitorFilter, { after, trail }: Paging): Address | null => {
  if (after === null) return null
  const before = trail.at(-1) ?? "0"
  return addressOf(filter, { after: before === "0" ? null : before, trail: trail.slice(0, -1) })
}

/** The same list with another state, from its first page. */
const withState = ({ state: _, ...filter }: MonitorFilter, state: string | null): Address =>
  addressOf(state === null ? filter : { ...filter, state })

/** In order of urgency. */
const states = ["down", "degraded", "pending", "up", "paused"] as const satisfies ReadonlyArray<MonitorState>

type StateCounts = Readonly<Record<MonitorState, number>>

export const StateTabs = ({ counts, filter }: { readonly counts: StateCounts; readonly filter: MonitorFilter }) => {
  const { count } = useNumber()
  const tab = (state: MonitorState | null, name: string, monitors: number) => (
    <a
      href={withState(filter, state)}
      {...((filter.state ?? null) === state ? { "aria-current": "page" as const } : {})}
    >
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

export const MonitorFilters = ({ filter, regions }: {
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
      options={[["", "Any"], ...MonitorKind.literals.map((kind) => [kind, kindNames[kind]] as const)]}
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
