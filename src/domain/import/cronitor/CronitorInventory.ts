/** Converts the monitors of Cronitor: its configuration in YAML, or the JSON of its interface. */
import type { Steps } from "../../tools/Steps.ts"
import { readDuration } from "../../tools/time/SpokenDuration.ts"
import { makeNotes, monitorInput, type Notes, within } from "../Carry.ts"
import { emptyInventory, type FoundMonitor, type Inventory } from "../Inventory.ts"
import { entryOf, flagAt, idOf, type Loose, namesOf, numberAt, recordOf, recordsOf, textAt } from "../Loose.ts"
import {
  describedBy,
  headersOf,
  heartbeatOf,
  isUrl,
  methodOf,
  ofUnknownType,
  pausedIf,
  scheduledHeartbeatOf,
  tagsOf,
  timingOf,
  unsupported
} from "../MonitorParts.ts"
import { takeInSteps } from "../TakeInSteps.ts"
import { sayUnread } from "../Unread.ts"

/** The seconds of an interval such as `every 5 minutes`; null for other schedules. */
const intervalIn = (schedule: string): number | null => {
  const [, interval] = /^\s*(?:every\s+)?(\d+\s*[a-z]+|[a-z]+)\s*$/i.exec(schedule) ?? []
  if (interval === undefined) return null
  const ms = readDuration(/^\d/.test(interval) ? interval : `1 ${interval}`, "s")
  return ms === null ? null : ms / 1000
}

/** The first of its schedules; a note names the others. */
const scheduleIn = (notes: Notes, monitor: Loose): string | null => {
  const all = namesOf(monitor["schedules"])
  const first = textAt(monitor, "schedule") ?? all[0] ?? null
  const others = all.filter((one) => one !== first)
  if (others.length > 0) notes.say(`Of its schedules only "${first}" is carried: make a heartbeat for ${others.join(", ")}`)
  return first
}

const heartbeatFields = (notes: Notes, monitor: Loose): Loose => {
  const schedule = scheduleIn(notes, monitor)
  const grace = ["grace_seconds", numberAt(monitor, "grace_seconds")] as const
  const period = schedule === null ? null : intervalIn(schedule)
  const carried = schedule === null || period !== null
    ? null
    : scheduledHeartbeatOf(notes, { schedule, zone: textAt(monitor, "timezone"), grace })
  return carried ?? heartbeatOf(notes, { interval: ["schedule", period], timeout: grace })
}

const checkFields = (notes: Notes, monitor: Loose): Loose | null => {
  const request = { ...monitor, ...recordOf(monitor["request"]) }
  const url = textAt(request, "url")
  if (!isUrl(url)) return unsupported("Such")(notes)
  const schedule = scheduleIn(notes, monitor)
  return {
    kind: "http",
    url,
    method: methodOf(notes, textAt(request, "method")),
    headers: headersOf(notes, request["headers"]),
    body: textAt(request, "body"),
    ...timingOf(notes, {
      interval: ["schedule", schedule === null ? null : intervalIn(schedule)],
      timeout: ["timeout_seconds", numberAt(request, "timeout_seconds")]
    })
  }
}

const fieldsByType: Readonly<Record<string, (notes: Notes, monitor: Loose) => Loose | null>> = {
  job: heartbeatFields,
  heartbeat: heartbeatFields,
  event: heartbeatFields,
  check: checkFields,
  synthetic: checkFields,
  site: unsupported("Site")
}

const uncarried = (notes: Notes, monitor: Loose): void => {
  const assertions = namesOf(monitor["assertions"])
  if (assertions.length > 0) notes.say(`Its assertions are not carried: ${assertions.join("; ").slice(0, 300)}`)
  if (namesOf(monitor["notify"]).length > 0) notes.say("Whom it notifies is not carried; attach channels")
}

const monitorOf = (monitor: Loose, index: number): FoundMonitor => {
  const notes = makeNotes()
  const key = textAt(monitor, "key")
  const name = textAt(monitor, "name") ?? key ?? `Monitor ${index + 1}`
  const ref = `monitor:${idOf({ id: key }, name, index)}`
  sayUnread(notes, monitor, {
    texts: ["key", "name", "type", "schedule", "timezone", "note", "group"],
    numbers: ["grace_seconds"],
    flags: ["paused"],
    lists: ["schedules", "tags"]
  })
  const type = textAt(monitor, "type") ?? "job"
  const fields = (entryOf(fieldsByType, type) ?? ofUnknownType(type, (rest, one) => checkFields(rest, one) ?? {}))(notes, monitor)
  if (fields === null) return { ref, name, notes: notes.all, input: null, channelRefs: null }
  uncarried(notes, monitor)
  const failures = numberAt(monitor, "failure_tolerance")
  const group = textAt(monitor, "group")
  const input = monitorInput(notes, {
    ...fields,
    ...(failures === null || fields["kind"] === "heartbeat" ?
      {} :
      { failureThreshold: within(notes, "failure_tolerance + 1", failures + 1, [1, 10]) }),
    ...describedBy(notes, name, textAt(monitor, "note")),
    tags: tagsOf(notes, [...namesOf(monitor["tags"]), ...(group === null ? [] : [group])]),
    ...pausedIf(flagAt(monitor, "paused") || flagAt(monitor, "disabled"))
  })
  return { ref, name, notes: notes.all, input, channelRefs: null }
}

/** The sections of a configuration, each an object of monitors by their keys. */
const sections = { jobs: "job", heartbeats: "heartbeat", events: "heartbeat", checks: "check", sites: "site" } as const

export const isCronitor = (value: Loose): boolean => "monitors" in value || Object.keys(sections).some((name) => name in value)

export function* cronitorInventory(config: Loose): Steps<Inventory> {
  const warnings: Array<string> = []
  const keyed = Object.entries(sections).flatMap(([section, type]) =>
    Object.entries(recordOf(config[section])).map(([key, monitor]): Loose => ({ type, ...recordOf(monitor), key }))
  )
  const monitors = yield* takeInSteps("monitors", [...recordsOf(config["monitors"]), ...keyed], warnings, monitorOf)
  return { ...emptyInventory, monitors, warnings }
}
