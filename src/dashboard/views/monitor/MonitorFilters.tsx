/** The filters of the monitor list: counts of each state as links, and a form. */
import type { MonitorState } from "../../../../schema/monitor/Monitor.ts"
import { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { inWords } from "../../design/Parts.tsx"
import { useNumber } from "../../design/Time.tsx"
import { kindNames } from "./KindNames.ts"
import { type MonitorFilter, withState } from "./MonitorFilter.ts"

/** In order of urgency. */
const states = ["down", "degraded", "pending", "up", "paused"] as const satisfies ReadonlyArray<MonitorState>

export type StateCounts = Readonly<Record<MonitorState, number>>

export const StateTabs = ({ counts, filter }: { readonly counts: StateCounts; readonly filter: MonitorFilter }) => {
  const { count } = useNumber()
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0)
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
      {tab(null, "All", all)}
      {states.map((state) => tab(state, inWords(state), counts[state]))}
    </nav>
  )
}

const Choice = ({ label, name, options, value }: {
  readonly label: string
  readonly name: string
  readonly value: string | undefined
  readonly options: ReadonlyArray<readonly [string, string]>
}) => (
  <div class="field">
    <label for={`filter-${name}`}>{label}</label>
    <select id={`filter-${name}`} name={name}>
      <option value="">Any</option>
      {options.map(([given, text]) => <option value={given} selected={given === value}>{text}</option>)}
    </select>
  </div>
)

export const MonitorFilters = ({ filter, regions }: {
  readonly filter: MonitorFilter
  readonly regions: ReadonlyArray<string>
}) => (
  <form class="filters" method="get" action="/app/monitors" data-auto role="search" aria-label="Monitors">
    {filter.state === undefined ? null : <input type="hidden" name="state" value={filter.state} />}
    <div class="field grow">
      <label for="filter-search">Name or address</label>
      <input id="filter-search" type="search" name="search" value={filter.search ?? ""} maxlength={200} />
    </div>
    <Choice label="Kind" name="kind" value={filter.kind} options={MonitorKind.literals.map((kind) => [kind, kindNames[kind]])} />
    <div class="field">
      <label for="filter-tag">Tag</label>
      <input id="filter-tag" name="tag" value={filter.tag ?? ""} maxlength={40} />
    </div>
    {regions.length < 2 && filter.region === undefined
      ? null
      : <Choice label="Region" name="region" value={filter.region} options={regions.map((id) => [id, id])} />}
    <div class="buttons">
      <button class="plain">Filter</button>
      {Object.keys(filter).length === 0 ? null : <a class="button plain" href="/app/monitors">Clear</a>}
    </div>
  </form>
)
