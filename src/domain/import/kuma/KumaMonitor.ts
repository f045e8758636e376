/** A monitor of Uptime Kuma as one of ours. */
import { counted } from "../../tools/text/Counted.ts"
import { makeNotes, monitorInput, type Notes, ownAssertions, within } from "../Carry.ts"
import type { FoundMonitor } from "../Inventory.ts"
import { entryOf, flagAt, idOf, isOff, jsonAt, listOf, type Loose, numberAt, recordOf, recordsOf, textAt } from "../Loose.ts"
import {
  describedBy,
  headersIn,
  heartbeatOf,
  ofUnknownType,
  pausedIf,
  recordTypeOf,
  tagsOf,
  timingOf,
  unsupported
} from "../MonitorParts.ts"
import { type Read, sayUnread } from "../Unread.ts"
import { kumaAssertions } from "./KumaQuery.ts"
import { ignoresTls, kumaRequest } from "./KumaRequest.ts"

const keywordFields = (notes: Notes, monitor: Loose): Loose => ({
  ...kumaRequest(notes, monitor),
  [flagAt(monitor, "invert_keyword") ? "keywordAbsent" : "keyword"]: textAt(monitor, "keyword")
})

const jsonFields = (notes: Notes, monitor: Loose): Loose => {
  const query = textAt(monitor, "json_path") ?? ""
  const operator = textAt(monitor, "json_path_operator", "jsonPathOperator") ?? "=="
  const value = textAt(monitor, "expected_value")
  const carried = kumaAssertions(query, operator, value)
  if (carried === null) notes.say(`The JSON query "${query} ${operator} ${value ?? ""}" is not carried`)
  if (carried?.takesOne === true) notes.say(`Of several values of the JSON query "${query}" each is compared, not only one`)
  return { ...kumaRequest(notes, monitor), ...ownAssertions(notes, carried?.assertions ?? []) }
}

const dnsFields = (notes: Notes, monitor: Loose): Loose => {
  const recordType = recordTypeOf(notes, textAt(monitor, "dns_resolve_type"))
  if (recordType === undefined) return {}
  const resolvers = textAt(monitor, "dns_resolve_server")?.split(",").map((server) => server.trim()) ?? null
  if (resolvers !== null && resolvers.length > 5) notes.say(`Of ${resolvers.length} resolvers 5 are carried`)
  return {
    kind: "dns",
    host: textAt(monitor, "hostname"),
    recordType,
    resolvers: resolvers?.slice(0, 5),
    port: numberAt(monitor, "port")
  }
}

const fieldsByType: Readonly<Record<string, (notes: Notes, monitor: Loose) => Loose | null>> = {
  http: kumaRequest,
  keyword: keywordFields,
  "json-query": jsonFields,
  port: (_, monitor) => ({ kind: "tcp", host: textAt(monitor, "hostname"), port: numberAt(monitor, "port") }),
  ping: (_, monitor) => ({ kind: "ping", host: textAt(monitor, "hostname") }),
  dns: dnsFields,
  "websocket-upgrade": (notes, monitor) => ({
    kind: "websocket",
    url: textAt(monitor, "url"),
    headers: headersIn(notes, monitor, "headers"),
    tlsVerify: ignoresTls(monitor) ? false : null
  }),
  push: (notes, monitor) =>
    heartbeatOf(notes, { interval: ["interval", numberAt(monitor, "interval")], timeout: ["grace", null] }),
  group: (notes) => {
    notes.say("A group becomes a tag of its monitors")
    return null
  }
}

/** The types of Uptime Kuma that ours lack. */
const others = [
  ...[
    "docker",
    "gamedig",
    "grpc-keyword",
    "kafka-producer",
    "manual",
    "mongodb",
    "mqtt",
    "mysql",
    "postgres",
    "rabbitmq",
    "radius"
  ],
  ...["real-browser", "redis", "smtp", "snmp", "sqlserver", "steam", "system-service", "tailscale-ping"]
]

/** The columns of a monitor that are read, by the names of the database. */
const read: Read = {
  texts: ["name", "description", "type", "url", "hostname", "method", "body", "keyword", "headers", "dns_resolve_type"],
  numbers: ["interval", "timeout", "port", "maxretries", "retry_interval", "retryInterval", "resend_interval", "maxredirects"],
  records: ["notificationIDList"],
  lists: ["accepted_statuscodes"],
  rows: { tags: ["name"] }
}

const mostReminders = 10
const longestReminder = 10_080

/** Uptime Kuma repeats a notification every `resend_interval` checks of an outage. */
const remindersOf = (notes: Notes, monitor: Loose): ReadonlyArray<number> | null => {
  const checks = numberAt(monitor, "resend_interval", "resendInterval") ?? 0
  if (checks < 1) return null
  const minutes = Math.max(1, Math.round((checks * (numberAt(monitor, "interval") ?? 60)) / 60))
  const all = Array.from({ length: mostReminders }, (_, index) => (index + 1) * minutes).filter((one) => one <= longestReminder)
  notes.say(`Its repeated notifications become ${counted(all.length, "reminder")}, ${minutes} min apart`)
  return all
}

/** Retries before a failure counts are failures in a row here, and come as soon after each other. */
const rulesOf = (notes: Notes, monitor: Loose): Loose => {
  const retries = numberAt(monitor, "maxretries")
  const interval = numberAt(monitor, "interval") ?? 60
  const retry = numberAt(monitor, "retry_interval", "retryInterval") ?? 0
  if (retry < 0 || retry > 86_400) notes.say(`The retry interval ${retry} is not carried`)
  const isSooner = retries !== null && retries > 0 && retry >= 1 && retry < interval
  return {
    failureThreshold: retries === null ? null : within(notes, "maxretries + 1", retries + 1, [1, 10]),
    confirmAfterSec: isSooner ? Math.round(retry) : retries === null ? null : 0
  }
}

/** `tags` are its tags and the names of the groups around it. */
export const kumaMonitor = (
  monitor: Loose,
  index: number,
  notifications: ReadonlyArray<string>,
  tags: ReadonlyArray<string>
): FoundMonitor => {
  const notes = makeNotes()
  const named = textAt(monitor, "name", "url", "hostname")
  const id = idOf(monitor, named, index)
  const name = named ?? id
  sayUnread(notes, monitor, read)
  for (const tag of recordsOf(monitor["tags"])) sayUnread(notes, tag, { texts: ["value"] })
  const chosen = recordOf(monitor["notificationIDList"])
  sayUnread(notes, chosen, { flags: Object.keys(chosen) })
  const type = textAt(monitor, "type") ?? ""
  const found = { ref: `monitor:${id}`, name, channelRefs: notifications.map((channel) => `channel:${channel}`) }
  if (flagAt(monitor, "upside_down")) notes.say("An upside-down monitor is not supported: ours is down when its target fails")
  const carry = entryOf(fieldsByType, type) ?? (others.includes(type) ? unsupported(type) : ofUnknownType(type, kumaRequest))
  const fields = carry(notes, monitor)
  if (fields === null || fields["kind"] === undefined || flagAt(monitor, "upside_down")) {
    return { ...found, notes: notes.all, input: null }
  }
  if (listOf(jsonAt(monitor, "conditions")).length > 0) notes.say("Its conditions are not carried")
  const isHeartbeat = fields["kind"] === "heartbeat"
  const timeout = numberAt(monitor, "timeout")
  const input = monitorInput(notes, {
    ...fields,
    ...(isHeartbeat ? {} : timingOf(notes, {
      interval: ["interval", numberAt(monitor, "interval")],
      timeout: ["timeout", timeout === 0 ? null : timeout]
    })),
    ...(isHeartbeat ? {} : rulesOf(notes, monitor)),
    ...describedBy(notes, name, textAt(monitor, "description")),
    reminderMinutes: remindersOf(notes, monitor),
    tags: tagsOf(notes, tags),
    ...pausedIf(isOff(monitor, "active"))
  })
  return { ...found, notes: notes.all, input }
}
