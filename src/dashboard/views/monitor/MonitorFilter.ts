/** The filters of the list of monitors, as its address holds them. */

const filterNames = ["state", "kind", "tag", "region", "search"] as const

export type FilterName = (typeof filterNames)[number]
export type MonitorFilter = Readonly<Partial<Record<FilterName, string>>>

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
export const withState = ({ state: _, ...filter }: MonitorFilter, state: string | null): Address =>
  addressOf(state === null ? filter : { ...filter, state })
