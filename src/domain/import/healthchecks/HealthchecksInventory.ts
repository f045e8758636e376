/** Converts the checks and integrations of Healthchecks. */
import { createHash } from "node:crypto"
import type { Steps } from "../../tools/Steps.ts"
import { makeNotes, monitorInput, type Notes } from "../Carry.ts"
import { cronOf, longestGapOf } from "../Cron.ts"
import { emptyInventory, type FoundChannel, type FoundMonitor, type Inventory } from "../Inventory.ts"
import { flagAt, type Loose, numberAt, textAt } from "../Loose.ts"
import { describedBy, heartbeatOf, tagsOf } from "../MonitorParts.ts"
import { takeInSteps } from "../TakeInSteps.ts"

/** The longest period of our heartbeats, and the one of a schedule that says none, s. */
const longestPeriod = 31 * 86_400
const usualPeriod = 86_400

/** The period of a cron schedule in seconds; null for one that is not understood, or has longer gaps than our heartbeats take. */
export const cronPeriod = (schedule: string): number | null => {
  const cron = cronOf(schedule)
  const gap = cron === null ? null : longestGapOf(cron)
  return gap === null || gap > longestPeriod ? null : gap
}

const uuidIn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** Names a check for any key: read-only keys see a hash of the first half of the uuid, and earlier versions only addresses with it. */
const idOf = (check: Loose): string | null => {
  const [uuid = null] = uuidIn.exec(textAt(check, "uuid", "ping_url", "update_url") ?? "") ?? []
  return textAt(check, "unique_key") ??
    (uuid === null ? null : createHash("sha1").update(uuid.toLowerCase().replaceAll("-", "").slice(0, 16)).digest("hex"))
}

/** Paused is the heartbeat of a schedule that no period stands for: any period would alert when nothing is wrong. */
const periodOf = (notes: Notes, check: Loose): { readonly period: number; readonly isPaused: boolean } => {
  const schedule = textAt(check, "schedule")
  const period = schedule === null ? numberAt(check, "timeout") : cronPeriod(schedule)
  if (period !== null && schedule !== null) {
    notes.say(`The schedule "${schedule}" becomes a period of ${period} s, its longest gap`)
  }
  if (period !== null) return { period, isPaused: textAt(check, "status") === "paused" }
  notes.say(
    schedule === null
      ? "It says no period. It starts paused: set its periodSec, then resume it"
      : `The schedule "${schedule}" is not understood, or leaves out more than 31 days. It starts paused: set its periodSec, then resume it`
  )
  return { period: usualPeriod, isPaused: true }
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
  const { isPaused, period } = periodOf(notes, check)
  uncarried(notes, check)
  const input = monitorInput(notes, {
    ...heartbeatOf(notes, { interval: ["timeout", period], timeout: ["grace", numberAt(check, "grace")] }),
    ...describedBy(notes, name, textAt(check, "desc")),
    tags: tagsOf(notes, (textAt(check, "tags") ?? "").split(/\s+/).filter((tag) => tag !== "")),
    paused: isPaused ? true : null
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
