/** A monitor or heartbeat of Better Stack as one of ours. */
import { makeNotes, monitorInput, type Notes, within } from "../Carry.ts"
import type { FoundMonitor } from "../Inventory.ts"
import { flagAt, type Loose, namesOf, numberAt, recordOf, textAt } from "../Loose.ts"
import {
  describedBy,
  expectedStatusOf,
  headersOf,
  heartbeatOf,
  hostOf,
  methodOf,
  tagsOf,
  timingOf,
  unsupported
} from "../MonitorParts.ts"

/** Better Stack's ports of mail servers when none is set. */
const mailPorts: Readonly<Record<string, number>> = { smtp: 25, pop: 110, imap: 143 }

const httpFields = (notes: Notes, monitor: Loose): Loose => {
  if (textAt(monitor, "auth_username") !== null) notes.say("The basic authentication is not carried; add an Authorization header")
  return {
    kind: "http",
    url: textAt(monitor, "url"),
    method: methodOf(textAt(monitor, "http_method")),
    headers: headersOf(monitor["request_headers"]),
    body: textAt(monitor, "request_body"),
    followRedirects: typeof monitor["follow_redirects"] === "boolean" ? monitor["follow_redirects"] : null,
    expectedStatus: expectedStatusOf(notes, namesOf(monitor["expected_status_codes"])),
    tlsVerify: monitor["verify_ssl"] === false ? false : null,
    sslExpiryDays: within(notes, "ssl_expiration", numberAt(monitor, "ssl_expiration"), [1, 365])
  }
}

const tcpFields = (notes: Notes, monitor: Loose): Loose => {
  const type = textAt(monitor, "monitor_type") ?? ""
  if (type in mailPorts) notes.say(`Checks that the ${type.toUpperCase()} port accepts connections, without its greeting`)
  return { kind: "tcp", host: hostOf(textAt(monitor, "url") ?? ""), port: numberAt(monitor, "port") ?? mailPorts[type] ?? null }
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
  keyword: (notes, monitor) => ({ ...httpFields(notes, monitor), keyword: textAt(monitor, "required_keyword") }),
  keyword_absence: (notes, monitor) => ({ ...httpFields(notes, monitor), keywordAbsent: textAt(monitor, "required_keyword") }),
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
  const looks = (period: number) => Math.min(10, 1 + Math.ceil(period / intervalSec))
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

const pausedOf = (attributes: Loose): true | null =>
  textAt(attributes, "paused_at") !== null || textAt(attributes, "status") === "paused" ? true : null

export const betterMonitor = (entry: Loose, groups: ReadonlyMap<string, string>): FoundMonitor | null => {
  const id = textAt(entry, "id")
  if (id === null) return null
  const monitor = recordOf(entry["attributes"])
  const notes = makeNotes()
  const type = textAt(monitor, "monitor_type") ?? "status"
  const name = textAt(monitor, "pronounceable_name", "url") ?? id
  const found = { ref: `monitor:${id}`, name, channelRefs: null }
  const carry = fieldsByType[type]
  if (carry === undefined) return { ...found, notes: [`Monitors of type "${type}" are not supported`], input: null }
  const fields = carry(notes, monitor)
  if (fields === null) return { ...found, notes: notes.all, input: null }
  uncarried(notes, monitor)
  const group = groups.get(textAt(monitor, "monitor_group_id") ?? "")
  const input = monitorInput(notes, {
    ...fields,
    ...timing(notes, monitor),
    ...describedBy(notes, name),
    tags: tagsOf(notes, group === undefined ? [] : [group]),
    paused: pausedOf(monitor)
  })
  return { ...found, notes: notes.all, input }
}

export const betterHeartbeat = (entry: Loose, groups: ReadonlyMap<string, string>): FoundMonitor | null => {
  const id = textAt(entry, "id")
  if (id === null) return null
  const heartbeat = recordOf(entry["attributes"])
  const notes = makeNotes()
  const name = textAt(heartbeat, "name") ?? id
  const group = groups.get(textAt(heartbeat, "heartbeat_group_id") ?? "")
  const input = monitorInput(notes, {
    ...heartbeatOf(notes, {
      interval: ["period", numberAt(heartbeat, "period")],
      timeout: ["grace", numberAt(heartbeat, "grace")]
    }),
    ...describedBy(notes, name),
    tags: tagsOf(notes, group === undefined ? [] : [group]),
    paused: pausedOf(heartbeat)
  })
  return { ref: `heartbeat:${id}`, name, notes: notes.all, input, channelRefs: null }
}
