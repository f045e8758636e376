/** Converts the checks and integrations of Healthchecks. */
import { createHash } from "node:crypto"
import type { Steps } from "../../tools/Steps.ts"
import { makeNotes, monitorInput, type Notes } from "../Carry.ts"
import { emptyInventory, type FoundChannel, type FoundMonitor, type Inventory } from "../Inventory.ts"
import { flagAt, idOf, type Loose, numberAt, textAt } from "../Loose.ts"
import { describedBy, heartbeatOf, pausedIf, scheduledHeartbeatOf, tagsOf } from "../MonitorParts.ts"
import { takeInSteps } from "../TakeInSteps.ts"
import { sayUnread } from "../Unread.ts"

const uuidIn = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/** Names a check for any key: read-only keys see a hash of the first half of the uuid, and earlier versions only addresses with it. */
const keyOf = (check: Loose): string | null => {
  const [uuid = null] = uuidIn.exec(textAt(check, "uuid", "ping_url", "update_url") ?? "") ?? []
  return textAt(check, "unique_key") ??
    (uuid === null ? null : createHash("sha1").update(uuid.toLowerCase().replaceAll("-", "").slice(0, 16)).digest("hex"))
}

/** Lines of cron and calendar expressions are carried as they are. One that ours cannot have starts paused. */
const rhythmOf = (notes: Notes, check: Loose): Loose => {
  const schedule = textAt(check, "schedule")
  const grace = ["grace", numberAt(check, "grace")] as const
  const carried = schedule === null ? null : scheduledHeartbeatOf(notes, { schedule, zone: textAt(check, "tz"), grace })
  const period = schedule === null ? numberAt(check, "timeout") : null
  return carried ?? heartbeatOf(notes, { interval: ["timeout", period], timeout: grace })
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
  sayUnread(notes, check, { texts: ["name", "desc", "tags", "schedule", "tz", "status"], numbers: ["timeout", "grace"] })
  const rhythm = rhythmOf(notes, check)
  uncarried(notes, check)
  const input = monitorInput(notes, {
    ...rhythm,
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
