/** A monitor or heartbeat of Better Stack as one of ours. */
import { makeNotes, monitorInput, type Notes, within } from "../Carry.ts"
import type { FoundMonitor } from "../Inventory.ts"
import { entryOf, flagAt, idOf, type Loose, namesOf, numberAt, recordOf, textAt } from "../Loose.ts"
import {
  describedBy,
  expectedStatusOf,
  headersOf,
  heartbeatOf,
  hostOf,
  methodOf,
  ofUnknownType,
  pausedIf,
  scheduledHeartbeatOf,
  tagsOf,
  timingOf,
  unsupported
} from "../MonitorParts.ts"
import { groupOf, type Read, sayUnread } from "../Unread.ts"

/** The columns of a monitor that are read. */
const read: Read = {
  texts: ["url", "pronounceable_name", "monitor_type", "required_keyword", "http_method", "request_body"],
  numbers: ["check_frequency", "request_timeout", "confirmation_period", "recovery_period", "port", "ssl_expiration"],
  flags: ["follow_redirects"],
  lists: ["expected_status_codes"],
  rows: { request_headers: ["name"] }
}

/** Better Stack's ports of mail servers when none is set. */
const mailPorts: Readonly<Record<string, number>> = { smtp: 25, pop: 110, imap: 143 }

const httpFields = (notes: Notes, monitor: Loose): Loose => {
  if (textAt(monitor, "auth_username") !== null) notes.say("The basic authentication is not carried; add an Authorization header")
  return {
    kind: "http",
    url: textAt(monitor, "url"),
    method: methodOf(notes, textAt(monitor, "http_method")),
    headers: headersOf(notes, monitor["request_headers"]),
    body: textAt(monitor, "request_body"),
    followRedirects: typeof monitor["follow_redirects"] === "boolean" ? monitor["follow_redirects"] : null,
    expectedStatus: expectedStatusOf(notes, namesOf(monitor["expected_status_codes"])),
    tlsVerify: monitor["verify_ssl"] === false ? false : null,
    sslExpiryDays: within(notes, "ssl_expiration", numberAt(monitor, "ssl_expiration"), [1, 365])
  }
}

const keywordOf = (notes: Notes, monitor: Loose): string | null => {
  const keyword = textAt(monitor, "required_keyword")
  if (keyword === null) notes.say("It has no keyword: its URL is checked")
  return keyword
}

const tcpFields = (notes: Notes, monitor: Loose): Loose => {
  const type = textAt(monitor, "monitor_type") ?? ""
  if (entryOf(mailPorts, type) !== undefined) {
    notes.say(`Checks that the ${type.toUpperCase()} port accepts connections, without its greeting`)
  }
  return {
    kind: "tcp",
    host: hostOf(textAt(monitor, "url") ?? ""),
    port: numberAt(monitor, "port") ?? entryOf(mailPorts, type) ?? null
  }
}

/** Better Stack keeps the resolver in `url` and the name in `request_body`. */
const dnsFields = (_: Notes, monitor: Loose): Loose => {
  const resolver = textAt(monitor, "url")
  return {
    kind: "dns",
    host: textAt(monitor, "request_body"),
    resolvers: resolver === null ? null : [hostOf(resolver)],
    expected: textAt(monitor, "required_keyword") === null ? null : [textAt(monitor, "required_keyword")]
  }
}

const fieldsByType: Readonly<Record<string, (notes: Notes, monitor: Loose) => Loose | null>> = {
  status: httpFields,
  expected_status_code: httpFields,
  keyword: (notes, monitor) => ({ ...httpFields(notes, monitor), keyword: keywordOf(notes, monitor) }),
  keyword_absence: (notes, monitor) => ({ ...httpFields(notes, monitor), keywordAbsent: keywordOf(notes, monitor) }),
  tcp: tcpFields,
  smtp: tcpFields,
  pop: tcpFields,
  imap: tcpFields,
  dns: dnsFields,
  ping: unsupported("Ping"),
  udp: unsupported("UDP"),
  playwright: (notes) => {
    notes.say("Playwright scenarios are not carried; write a script or browser monitor")
    return null
  }
}

/** Confirmation is a time there and a number of failures here, which are an interval apart. */
const confirmations = (notes: Notes, monitor: Loose, intervalSec: number): Loose => {
  const confirm = numberAt(monitor, "confirmation_period")
  const recover = numberAt(monitor, "recovery_period")
  const looks = (period: number) => Math.min(10, Math.max(1, 1 + Math.ceil(period / intervalSec)))
  if (recover !== null && (recover < 0 || recover > 9 * intervalSec)) {
    notes.say(`The recovery period of ${recover} s becomes a recoveryThreshold of ${looks(recover)}`)
  }
  if (confirm !== null && confirm > 0) {
    notes.say(`The confirmation period of ${confirm} s becomes a failureThreshold of ${looks(confirm)}`)
  }
  return {
    failureThreshold: confirm === null ? null : looks(confirm),
    confirmAfterSec: confirm === null ? null : 0,
    recoveryThreshold: recover === null ? null : looks(recover)
  }
}

const timing = (notes: Notes, monitor: Loose): Loose => {
  const timeout = numberAt(monitor, "request_timeout")
  // Seconds for web monitors, milliseconds for those of ports.
  const seconds = timeout === null ? null : timeout > 120 ? timeout / 1000 : timeout
  const fitted = timingOf(notes, {
    interval: ["check_frequency", numberAt(monitor, "check_frequency")],
    timeout: ["request_timeout", seconds]
  })
  return { ...fitted, ...confirmations(notes, monitor, fitted.intervalSec ?? 60) }
}

const uncarried = (notes: Notes, monitor: Loose): void => {
  if (textAt(monitor, "maintenance_from") !== null) notes.say("Its daily maintenance window is not carried")
  if (numberAt(monitor, "domain_expiration") !== null) notes.say("The check of the domain's expiry is not carried")
  if (namesOf(monitor["regions"]).length > 0) {
    notes.say(`Its regions (${namesOf(monitor["regions"]).join(", ")}) become the default region`)
  }
  if (flagAt(monitor, "call") || flagAt(monitor, "sms")) notes.say("Calls and SMS are not carried")
}

const isPaused = (attributes: Loose): boolean =>
  textAt(attributes, "paused_at") !== null || textAt(attributes, "status") === "paused"

export const betterMonitor = (entry: Loose, groups: ReadonlyMap<string, string>, index: number): FoundMonitor => {
  const monitor = recordOf(entry["attributes"])
  const notes = makeNotes()
  const type = textAt(monitor, "monitor_type") ?? "status"
  const named = textAt(monitor, "pronounceable_name", "url")
  const id = idOf(entry, named, index)
  const name = named ?? id
  const found = { ref: `monitor:${id}`, name, channelRefs: null }
  sayUnread(notes, monitor, read)
  const fields = (entryOf(fieldsByType, type) ?? ofUnknownType(type, httpFields))(notes, monitor)
  if (fields === null) return { ...found, notes: notes.all, input: null }
  uncarried(notes, monitor)
  const group = groupOf(notes, groups, monitor, "monitor_group_id")
  const input = monitorInput(notes, {
    ...fields,
    ...timing(notes, monitor),
    ...describedBy(notes, name),
    tags: tagsOf(notes, group === null ? [] : [group]),
    ...pausedIf(isPaused(monitor))
  })
  return { ...found, notes: notes.all, input }
}

/** Its interface documents a period; a line of cron beside it says more. */
const rhythmOf = (notes: Notes, heartbeat: Loose): Loose => {
  const schedule = textAt(heartbeat, "cron_expression", "cron", "schedule")
  const grace = ["grace", numberAt(heartbeat, "grace")] as const
  const zone = textAt(heartbeat, "timezone", "server_timezone")
  const carried = schedule === null ? null : scheduledHeartbeatOf(notes, { schedule, zone, grace })
  return carried ?? heartbeatOf(notes, { interval: ["period", numberAt(heartbeat, "period")], timeout: grace })
}

export const betterHeartbeat = (entry: Loose, groups: ReadonlyMap<string, string>, index: number): FoundMonitor => {
  const heartbeat = recordOf(entry["attributes"])
  const notes = makeNotes()
  const named = textAt(heartbeat, "name")
  const id = idOf(entry, named, index)
  const name = named ?? id
  sayUnread(notes, heartbeat, { numbers: ["period", "grace"], texts: ["name"] })
  const group = groupOf(notes, groups, heartbeat, "heartbeat_group_id")
  const input = monitorInput(notes, {
    ...rhythmOf(notes, heartbeat),
    ...describedBy(notes, name),
    tags: tagsOf(notes, group === null ? [] : [group]),
    ...pausedIf(isPaused(heartbeat))
  })
  return { ref: `heartbeat:${id}`, name, notes: notes.all, input, channelRefs: null }
}
