/** Converts the checks and integrations of Healthchecks. */
import { createHash } from "node:crypto"
import type { Steps } from "../../tools/Steps.ts"
import { makeNotes, monitorInput, type Notes } from "../Carry.ts"
import { emptyInventory, type FoundChannel, type FoundMonitor, type Inventory } from "../Inventory.ts"
import { flagAt, type Loose, numberAt, textAt } from "../Loose.ts"
import { describedBy, heartbeatOf, tagsOf } from "../MonitorParts.ts"
import { takeInSteps } from "../TakeInSteps.ts"

const minute = 60
const hour = 3600
const day = 86_400

const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

/** Days by their numbers; 7 is Sunday, too. */
const numbered = (field: string): string =>
  field.toLowerCase().replace(/[a-z]{3}/g, (name) => {
    const index = dayNames.indexOf(name)
    return index < 0 ? name : String(index)
  })

/** The largest gap between the values of a field, round the clock; null if it is not a list, range or step of numbers. */
const gapOf = (field: string, size: number): number | null => {
  const values = new Set<number>()
  for (const part of field.split(",")) {
    const [, from, to, step] = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? []
    if (from === undefined && !part.startsWith("*")) return null
    const first = Number(from ?? 0)
    const last = to !== undefined ? Number(to) : from === undefined || step !== undefined ? size - 1 : first
    const by = Number(step ?? 1)
    if (by < 1) return null
    for (let value = first; value <= Math.min(last, size); value += by) values.add(value % size)
  }
  const sorted = [...values].sort((one, other) => one - other)
  const [first] = sorted
  if (first === undefined) return null
  return sorted.reduce((largest, value, index) => Math.max(largest, (sorted[index + 1] ?? first + size) - value), 0)
}

/** In seconds; null for a schedule that is not understood, such as one of some months or an OnCalendar expression. */
export const cronPeriod = (schedule: string): number | null => {
  const [minutes, hours, dates, months, days, ...rest] = schedule.trim().split(/\s+/)
  if (minutes === undefined || hours === undefined || dates === undefined || months === undefined || days === undefined) {
    return null
  }
  if (rest.length > 0) return null
  if (months !== "*") return null
  if (dates !== "*" && dates !== "?") return days === "*" || days === "?" ? 31 * day : null
  const dayGap = days === "*" || days === "?" ? 1 : gapOf(numbered(days), 7)
  const hourGap = gapOf(hours, 24)
  const minuteGap = gapOf(minutes, 60)
  if (dayGap === null || hourGap === null || minuteGap === null) return null
  if (dayGap > 1) return dayGap * day
  if (hourGap > 1) return hourGap * hour
  return minuteGap * minute
}

const uuidIn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** Names a check for any key: read-only keys see a hash of the first half of the uuid, and earlier versions only addresses with it. */
const idOf = (check: Loose): string | null => {
  const [uuid = null] = uuidIn.exec(textAt(check, "uuid", "ping_url", "update_url") ?? "") ?? []
  return textAt(check, "unique_key") ??
    (uuid === null ? null : createHash("sha1").update(uuid.toLowerCase().replaceAll("-", "").slice(0, 16)).digest("hex"))
}

const periodOf = (notes: Notes, check: Loose): number | null => {
  const schedule = textAt(check, "schedule")
  if (schedule === null) return numberAt(check, "timeout")
  const period = cronPeriod(schedule)
  notes.say(
    period === null
      ? `The schedule "${schedule}" is not understood; create a heartbeat with its period`
      : `The schedule "${schedule}" becomes a period of ${period} s, its longest gap`
  )
  return period
}

/** Notes on how our heartbeats differ. */
const uncarried = (notes: Notes, check: Loose): void => {
  if (textAt(check, "start_kw", "success_kw", "failure_kw") !== null) notes.say("Its keywords for reports are not carried")
  if (textAt(check, "methods") !== null) notes.say("It takes pings by GET, too")
  if (textAt(check, "status") === "paused" && !flagAt(check, "manual_resume")) notes.say("A ping does not resume it here")
}

const monitorOf = (check: Loose, index: number): FoundMonitor => {
  const named = textAt(check, "name", "slug")
  const id = idOf(check) ?? named ?? String(index + 1)
  const notes = makeNotes()
  const name = named ?? `Check ${id.slice(0, 8)}`
  const found = { ref: `monitor:${id}`, name, channelRefs: null }
  const period = periodOf(notes, check)
  if (period === null) return { ...found, notes: notes.all, input: null }
  uncarried(notes, check)
  const input = monitorInput(notes, {
    ...heartbeatOf(notes, { interval: ["timeout", period], timeout: ["grace", numberAt(check, "grace")] }),
    ...describedBy(notes, name, textAt(check, "desc")),
    tags: tagsOf(notes, (textAt(check, "tags") ?? "").split(/\s+/).filter((tag) => tag !== "")),
    paused: textAt(check, "status") === "paused" ? true : null
  })
  return { ...found, notes: notes.all, input }
}

const channelOf = (channel: Loose): ReadonlyArray<FoundChannel> => {
  const id = textAt(channel, "id")
  const kind = textAt(channel, "kind") ?? "unknown"
  return id === null ? [] : [{
    ref: `channel:${id}`,
    name: textAt(channel, "name") ?? kind,
    notes: [`Healthchecks does not show the settings of an integration (${kind}); create a channel for it`],
    input: null
  }]
}

/** `channels` is null if the key may not list them. */
export function* healthchecksInventory(checks: ReadonlyArray<Loose>, channels: ReadonlyArray<Loose> | null): Steps<Inventory> {
  const warnings = channels === null ? ["A read-only key does not show integrations; create channels for them"] : []
  return {
    ...emptyInventory,
    monitors: yield* takeInSteps("monitors", checks, warnings, monitorOf),
    channels: yield* takeInSteps("channels", channels ?? [], warnings, channelOf),
    warnings
  }
}
