/** Decides what a change of many monitors means for each of them. */
import type { ManyMonitorsUpdate, MonitorSelection } from "../../../schema/monitor/ManyMonitors.ts"
import type { MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../Refusal.ts"
import type { MonitorSettings } from "./settings/MonitorSettings.ts"

const listNames = ["tags", "channelIds", "regions"] as const

type Lists = Pick<MonitorSettings, typeof listNames[number]>

/** A call without a selection would mean all monitors. */
export const selectionRefusal = ({ ids, search = "", tag = "" }: MonitorSelection): Refusal | null =>
  ids === undefined && search.trim() === "" && tag.trim() === ""
    ? { path: null, message: "No monitors are selected", hint: "Pass ids, a tag, or a search" }
    : ids !== undefined && (search !== "" || tag !== "")
    ? { path: "ids", message: "ids stands alone", hint: "Pass ids, or a tag and a search" }
    : null

export const changeRefusal = ({ add, remove, set }: ManyMonitorsUpdate): Refusal | null =>
  [add, remove, set].every((part) => Object.keys(part ?? {}).length === 0)
    ? { path: null, message: "Nothing is to change", hint: "Pass set, add or remove" }
    : null

const changedList = <Item>(own: ReadonlyArray<Item>, added: ReadonlyArray<Item>, removed: ReadonlyArray<Item>) => [
  ...own.filter((item) => !removed.includes(item)),
  ...added.filter((item) => !own.includes(item) && !removed.includes(item))
]

/** The update of a monitor that has these lists now. */
export const updateOf = ({ add = {}, remove = {}, set = {} }: ManyMonitorsUpdate, now: Lists): MonitorUpdate => {
  const changed = listNames.filter((name) => add[name] !== undefined || remove[name] !== undefined)
  const lists: Record<string, ReadonlyArray<string>> = {}
  for (const name of changed) lists[name] = changedList<string>(set[name] ?? now[name], add[name] ?? [], remove[name] ?? [])
  return { ...set, ...lists }
}

/** The least and most entries of each list, as in the change of one monitor. */
const sizes = { tags: [0, 20], channelIds: [0, 50], regions: [1, 10] } as const

/** The refusal of lists that became too long or too short for a monitor. */
export const listRefusal = (update: MonitorUpdate): Refusal | null => {
  for (const name of listNames) {
    const [least, most] = sizes[name]
    const size = update[name]?.length ?? least
    if (size < least || size > most) {
      return { path: name, message: `\`${name}\` would have ${size} entries; it must have ${least} to ${most}` }
    }
  }
  return null
}

const sameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The names of the settings of an update that differ afterwards. */
export const changedFields = (
  update: MonitorUpdate,
  before: MonitorSettings,
  after: MonitorSettings
): ReadonlyArray<string> => {
  const [was, is] = [new Map<string, unknown>(Object.entries(before)), new Map<string, unknown>(Object.entries(after))]
  return Object.keys(update).filter((name) => !sameValue(was.get(name), is.get(name)))
}
