/** The address of the list of monitors: its filters, order, grouping and page. */
import { Schema } from "effect"
import { MonitorSort } from "../../../../schema/monitor/Monitor.ts"

/** The list begins with what needs attention. */
export const usualSort: MonitorSort = "state"

const filterNames = ["state", "kind", "tag", "region", "search"] as const

type FilterName = (typeof filterNames)[number]
export type MonitorFilter = Readonly<Partial<Record<FilterName, string>>>

/** The list that an address asks for, without its page. */
export interface Wanted {
  readonly filter: MonitorFilter
  readonly sort: MonitorSort
  readonly byTag: boolean
}

/** The cursor of a page, and those of the pages before it: the list itself only goes forward. */
export interface Paging {
  readonly after: string | null
  readonly trail: ReadonlyArray<string>
}

/** Pages that "Previous" can go back one by one; before that, it leads to the first. */
const longestTrail = 20

const given = (query: URLSearchParams, name: string): string | null => {
  const value = query.get(name)?.trim() ?? ""
  return value === "" ? null : value
}

const isSort = Schema.is(MonitorSort)

export const wantedOf = (query: URLSearchParams): Wanted => {
  const sort = given(query, "sort")
  return {
    filter: Object.fromEntries(filterNames.flatMap((name) => {
      const value = given(query, name)
      return value === null ? [] : [[name, value]]
    })),
    sort: isSort(sort) ? sort : usualSort,
    byTag: given(query, "group") === "tag"
  }
}

export const pagingOf = (query: URLSearchParams): Paging => ({
  after: given(query, "after"),
  trail: (given(query, "trail") ?? "").split(",").filter((id) => id !== "")
})

type Address = `/app/monitors${string}`

export const addressOf = (
  { byTag, filter, sort }: Wanted,
  { after, trail }: Paging = { after: null, trail: [] }
): Address => {
  const query = new URLSearchParams({
    ...filter,
    ...(sort === usualSort ? {} : { sort }),
    ...(byTag ? { group: "tag" } : {}),
    ...(after === null ? {} : { after }),
    ...(trail.length === 0 ? {} : { trail: trail.join(",") })
  }).toString()
  return `/app/monitors${query === "" ? "" : `?${query}`}`
}

export const nextPage = (wanted: Wanted, { after, trail }: Paging, next: string): Address =>
  addressOf(wanted, { after: next, trail: [...trail, after ?? "0"].slice(-longestTrail) })

/** Null on the first page. */
export const previousPage = (wanted: Wanted, { after, trail }: Paging): Address | null => {
  if (after === null) return null
  const before = trail.at(-1) ?? "0"
  return addressOf(wanted, { after: before === "0" ? null : before, trail: trail.slice(0, -1) })
}

/** The same list with another value of a filter, from its first page; null for any. */
export const withFilter = ({ filter, ...wanted }: Wanted, name: FilterName, value: string | null): Address => {
  const { [name]: _, ...others } = filter
  return addressOf({ ...wanted, filter: value === null ? others : { ...others, [name]: value } })
}
