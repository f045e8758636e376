/** Converts the checks and integrations of Healthchecks. */
import { createHash } from "node:crypto"
import type { Steps } from "../../tools/Steps.ts"
import { makeNotes, monitorInput, type Notes } from "../Carry.ts"
import { cronOf, longestGapOf } from "../Cron.ts"
import { emptyInventory, type FoundChannel, type FoundMonitor, type Inventory } from "../Inventory.ts"
import { flagAt, idOf, type Loose, numberAt, textAt } from "../Loose.ts"
import { describedBy, heartbeatOf, pausedIf, tagsOf } from "../MonitorParts.ts"
import { takeInSteps } from "../TakeInSteps.ts"
import { sayUnread } from "../Unread.ts"

/** The longest period of our heartbeats, s. */
const longestPeriod = 31 * 86_400

/** The period of a cron schedule in seconds; null for one that is not understood, or has longer gaps than our heartbeats take. */
export const cronPeriod = (schedule: string): number | null => {
  const cron = cronOf(schedule)
  const gap = cron === null ? null : longestGapOf(cron)
  return gap === null || gap > longestPeriod ? null : gap
}

const uuidIn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** Names a check for any key: read-only keys see a hash of the first half of the uuid, and earlier versions only addresses with it. */
const keyOf = (check: Loose): string | null => {
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
      ? `The schedule "${schedule}" is not understood, or leaves out more than 31 days`
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
  const id = idOf({ id: keyOf(check) }, named, index)
  const notes = makeNotes()
  const name = named ?? `Check ${id.slice(0, 8)}`
  const found = { ref: `monitor:${id}`, name, channelRefs: null }
  sayUnread(notes, check, { texts: ["name", "desc", "tags", "schedule", "status"], numbers: ["timeout", "grace"] })
  const period = periodOf(notes, check)
  uncarried(notes, check)
  const input = monitorInput(notes, {
    ...heartbeatOf(notes, { interval: ["timeout", period], timeout: ["grace", numberAt(check, "grace")] }),
    ...describedBy(notes, name, textAt(check, "desc")),
    tags: tagsOf(notes, (textAt(check, "tags") ?? "").split(/\s+/).filter((tag) => tag !== "")),
    ...pausedIf(textAt(check, "status") === "paused")
  })
  return { ...found, notes: notes.all, input }
}

const channelOf = (channel: Loose, index: number): FoundChannel => {
  const kind = textAt(channel, "kind") ?? "unknown"
  const named = textAt(channel, "name")
  return {
    ref: `channel:${idOf(channel, named, index)}`,
    name: named ?? kind,
    notes: [`Healthchecks does not show the settings of an integration (${kind}); create a channel for it`],
    input: null
  }
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
