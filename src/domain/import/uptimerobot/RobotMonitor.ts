/** A monitor of UptimeRobot as one of ours. Reads the shapes of its API v3 (names) and v2 (numbers). */
import { Option, Predicate } from "effect"
import { makeNotes, monitorInput, type Notes, ownAssertions, within } from "../Carry.ts"
import type { FoundMonitor } from "../Inventory.ts"
import {
  entryOf,
  flagAt,
  idOf,
  isOff,
  jsonAt,
  listOf,
  type Loose,
  namesOf,
  numberAt,
  recordOf,
  recordsOf,
  textAt,
  unescaped
} from "../Loose.ts"
import {
  describedBy,
  expectedOf,
  expectedStatusOf,
  headersOf,
  heartbeatOf,
  hostOf,
  isRecordType,
  methodOf,
  ofUnknownType,
  pausedIf,
  tagsOf,
  timingOf,
  unsupported
} from "../MonitorParts.ts"
import { groupOf, type Read, sayUnread } from "../Unread.ts"

const operators: Readonly<Record<string, string>> = {
  equals: "eq",
  not_equals: "neq",
  contains: "contains",
  not_contains: "not_contains",
  greater_than: "gt",
  less_than: "lt",
  greater_than_or_equal: "gte",
  less_than_or_equal: "lte",
  is_null: "not_exists",
  is_not_null: "exists",
  exists: "exists",
  not_exists: "not_exists"
}

const isValue = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** Unknown assertions become notes. Ours must all hold, so a list of alternatives is carried only when it has one entry. */
const robotAssertions = (notes: Notes, assertions: Loose): Loose => {
  const checks = recordsOf(assertions["checks"])
  const logic = textAt(assertions, "logic")?.toUpperCase() ?? "AND"
  if (logic === "OR" && checks.length > 1) {
    notes.say("Its assertions are alternatives (OR) and are not carried: ours must all hold")
    return {}
  }
  const carried = checks.flatMap((check) => {
    const property = textAt(check, "property", "path")
    const comparison = textAt(check, "comparison", "operator") ?? ""
    const op = entryOf(operators, comparison.toLowerCase())
    if (property === null || op === undefined) {
      notes.say(`The assertion "${property ?? ""} ${comparison}" is not carried`)
      return []
    }
    const value = check["target"] ?? check["value"]
    return [{ source: "json", path: property.replace(/^\$\.(?=\w)/, ""), op, ...(isValue(value) ? { value } : {}) }]
  })
  return ownAssertions(notes, carried)
}

/** The types of API v2, by number from 1. */
const types = ["http", "keyword", "ping", "port", "heartbeat"]

/** The HTTP methods of API v2, by number from 1. */
const methods = ["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

/** Ports that API v2 names by `sub_type`. */
const subTypePorts: Readonly<Record<string, number>> = { "1": 80, "2": 443, "3": 21, "4": 25, "5": 110, "6": 143 }

/** The type of bodies by their form; API v2 has numbers. */
const bodyTypes: Readonly<Record<string, string>> = {
  KEY_VALUE: "application/x-www-form-urlencoded",
  "1": "application/x-www-form-urlencoded",
  RAW_JSON: "application/json"
}

/** The fields of a form, which API v2 has as the JSON of an object; null for another text. */
const formOf = (fields: Loose): string | null => {
  const entries = Object.entries(fields).flatMap(([name, value]) => isValue(value) ? [[name, String(value)]] : [])
  return entries.length === 0 ? null : new URLSearchParams(entries).toString()
}

const bodyOf = (notes: Notes, monitor: Loose, isForm: boolean): string | null => {
  const value = monitor["postValueData"] ?? monitor["post_value"] ?? ""
  const form = isForm ? formOf(recordOf(Predicate.isRecord(value) ? value : jsonAt({ value }, "value"))) : null
  if (form !== null) return form
  if (typeof value === "string") return value === "" ? null : value
  if (Predicate.isRecord(value)) return Object.keys(value).length > 0 ? JSON.stringify(value) : null
  notes.say("Its body cannot be read, and is not carried")
  return null
}

/** The body with the type that UptimeRobot sends it as, unless the headers name one. */
const messageOf = (notes: Notes, monitor: Loose): Loose => {
  const given = headersOf(notes, monitor["customHttpHeaders"] ?? monitor["custom_http_headers"])
  const type = entryOf(bodyTypes, textAt(monitor, "postValueType", "post_type") ?? "")
  const body = bodyOf(notes, monitor, type === bodyTypes["KEY_VALUE"])
  const isTyped = type === undefined || body === null ||
    Object.keys(given ?? {}).some((name) => name.toLowerCase() === "content-type")
  return { headers: isTyped ? given : { ...given, "content-type": type }, body }
}

/** ALERT_EXISTS alerts while the text is there: then it must be absent. */
const keywordOf = (notes: Notes, monitor: Loose): Loose => {
  const value = textAt(monitor, "keywordValue", "keyword_value")
  const type = (textAt(monitor, "keywordType", "keyword_type") ?? "").toUpperCase()
  if (value === null) {
    notes.say("It has no keyword: its URL is checked")
    return {}
  }
  const isAnyCase = textAt(monitor, "keyword_case_type") === "1" ||
    ["0", "caseinsensitive"].includes(textAt(monitor, "keywordCaseType")?.toLowerCase() ?? "")
  if (isAnyCase) {
    notes.say("The keyword is compared with its case")
  }
  return type === "ALERT_EXISTS" || type === "1" ? { keywordAbsent: value } : { keyword: value }
}

const expiryDays = (notes: Notes, config: Loose): number | undefined => {
  const given = listOf(config["sslExpirationPeriodDays"])
  const days = given.flatMap((day) => numberAt({ day }, "day") ?? [])
  sayUnread(notes, config, { lists: ["sslExpirationPeriodDays"] })
  if (days.length > 1) notes.say(`Of the certificate reminders ${days.join(", ")} the earliest is carried`)
  if (days.length < given.length) notes.say("Some of its certificate reminders cannot be read")
  return within(notes, "sslExpirationPeriodDays", days.length === 0 ? null : Math.max(...days), [1, 365])
}

/** API v2 says so within `ssl`. */
const ignoresTls = (monitor: Loose): boolean =>
  isOff(monitor, "checkSSLErrors") || flagAt(recordOf(monitor["ssl"]), "ignore_errors")

/** The kinds of credentials of API v2, by number. */
const authTypes: Readonly<Record<string, string>> = { "1": "basic", "2": "digest" }

const ownAuthentication = (notes: Notes, monitor: Loose): void => {
  const type = textAt(monitor, "authType", "http_auth_type")?.toUpperCase()
  if (type === undefined || type === "NONE" || type === "0") return
  if (textAt(monitor, "httpUsername", "http_username") !== null || type !== "") {
    notes.say(`The ${entryOf(authTypes, type) ?? type} credentials are not carried; add an Authorization header`)
  }
}

const httpFields = (notes: Notes, monitor: Loose): Loose => {
  ownAuthentication(notes, monitor)
  const method = textAt(monitor, "httpMethodType", "http_method")
  const follows = monitor["followRedirections"] ?? monitor["follow_redirections"]
  return {
    kind: "http",
    url: textAt(monitor, "url"),
    method: methodOf(notes, methods[Number(method) - 1] ?? method),
    ...messageOf(notes, monitor),
    followRedirects: typeof follows === "boolean" ? follows : null,
    expectedStatus: expectedStatusOf(notes, namesOf(monitor["successHttpResponseCodes"])),
    degradedAfterMs: within(notes, "responseTimeThreshold", numberAt(monitor, "responseTimeThreshold"), [50, 120_000]),
    tlsVerify: ignoresTls(monitor) ? false : null,
    sslExpiryDays: expiryDays(notes, recordOf(monitor["config"]))
  }
}

const portFields = (notes: Notes, monitor: Loose): Loose => {
  const url = textAt(monitor, "url") ?? ""
  const host = hostOf(url)
  const subType = textAt(monitor, "sub_type", "subType") ?? ""
  if (host === "") notes.say("It has no host")
  return { kind: "tcp", host, port: numberAt(monitor, "port") ?? entryOf(subTypePorts, subType) ?? null }
}

const dnsFields = (notes: Notes, monitor: Loose): Loose => {
  const url = textAt(monitor, "url") ?? ""
  const records = Object.entries(recordOf(recordOf(monitor["config"])["dnsRecords"])).flatMap(([type, values]) =>
    namesOf(values).length === 0 ? [] : [{ type: type.toUpperCase(), values: namesOf(values) }]
  )
  const first = Option.fromNullable(records.find(({ type }) => isRecordType(type)))
  for (const { type } of records) {
    if (Option.getOrNull(first)?.type !== type) {
      notes.say(`The expected ${type} records are not carried: a monitor checks one type`)
    }
  }
  return {
    kind: "dns",
    host: hostOf(url),
    ...Option.match(first, {
      onNone: () => ({}),
      onSome: ({ type, values }) => ({ recordType: type, expected: expectedOf(notes, values) })
    })
  }
}

const heartbeatFields = (notes: Notes, monitor: Loose): Loose =>
  heartbeatOf(notes, {
    interval: ["interval", numberAt(monitor, "interval")],
    timeout: ["gracePeriod", numberAt(monitor, "gracePeriod")]
  })

const fieldsByType: Readonly<Record<string, (notes: Notes, monitor: Loose) => Loose | null>> = {
  http: httpFields,
  keyword: (notes, monitor) => ({ ...httpFields(notes, monitor), ...keywordOf(notes, monitor) }),
  api: (notes, monitor) => ({
    ...httpFields(notes, monitor),
    ...robotAssertions(notes, recordOf(recordOf(monitor["config"])["apiAssertions"]))
  }),
  port: portFields,
  dns: dnsFields,
  heartbeat: heartbeatFields,
  ping: unsupported("Ping"),
  udp: unsupported("UDP")
}

const timing = (notes: Notes, monitor: Loose, type: string): Loose => {
  if (type === "heartbeat") return {}
  const timeout = numberAt(monitor, "timeout")
  return timingOf(notes, {
    interval: ["interval", numberAt(monitor, "interval")],
    timeout: ["timeout", timeout === 0 ? null : timeout]
  })
}

const contactsOf = (monitor: Loose): unknown => monitor["assignedAlertContacts"] ?? monitor["alert_contacts"]

/** Null if the answer has no such field. */
const contactRefs = (monitor: Loose): ReadonlyArray<string> | null => {
  const contacts = contactsOf(monitor)
  if (contacts === undefined || contacts === null) return null
  return recordsOf(contacts).flatMap((contact) => {
    const id = textAt(contact, "alertContactId", "id")
    return id === null ? [] : [`channel:${id}`]
  })
}

const uncarried = (notes: Notes, monitor: Loose): void => {
  if (recordsOf(monitor["mwindows"] ?? monitor["maintenanceWindows"]).length > 0) {
    notes.say("Its maintenance windows are not carried; schedule them again")
  }
  const isSet = (name: string) => recordsOf(contactsOf(monitor)).some((contact) => (numberAt(contact, name) ?? 0) > 0)
  if (isSet("threshold")) notes.say("The delay of its alerts is not carried")
  if (isSet("recurrence")) notes.say("The repetition of its alerts is not carried: set reminderMinutes")
  if (flagAt(monitor, "domainExpirationReminder")) notes.say("The reminder of the domain's expiry is not carried")
}

/** The columns of a monitor that are read, by the names of both versions. */
const read: Read = {
  texts: [
    ...["friendlyName", "friendly_name", "url", "type", "httpMethodType", "http_method", "keywordType", "keyword_type"],
    ...["keywordValue", "keyword_value", "authType", "status"]
  ],
  numbers: ["interval", "timeout", "gracePeriod", "responseTimeThreshold", "port"],
  flags: ["followRedirections", "follow_redirections"],
  records: ["config"],
  lists: ["tags", "successHttpResponseCodes"],
  rows: { assignedAlertContacts: ["alertContactId", "id"], alert_contacts: ["id"] }
}

/** `groups` are the names of monitor groups by id. */
export const robotMonitor = (monitor: Loose, groups: ReadonlyMap<string, string>, index: number): FoundMonitor => {
  const notes = makeNotes()
  const named = textAt(monitor, "friendlyName", "friendly_name", "name") ?? textAt(monitor, "url")
  const id = idOf(monitor, named, index)
  const name = unescaped(named ?? id)
  const said = textAt(monitor, "type") ?? ""
  const type = types[Number(said) - 1] ?? said.toLowerCase()
  const carry = entryOf(fieldsByType, type) ?? ofUnknownType(said, httpFields)
  const found = { ref: `monitor:${id}`, name, channelRefs: contactRefs(monitor) }
  sayUnread(notes, monitor, read)
  uncarried(notes, monitor)
  const group = groupOf(notes, groups, monitor, "groupId")
  const tags = tagsOf(notes, [...namesOf(monitor["tags"]).map(unescaped), ...(group === null ? [] : [group])])
  const fields = carry(notes, monitor)
  const input = fields === null ? null : monitorInput(notes, {
    ...fields,
    ...timing(notes, monitor, type),
    ...describedBy(notes, name),
    tags,
    ...pausedIf(["paused", "0"].includes(textAt(monitor, "status")?.toLowerCase() ?? ""))
  })
  return { ...found, notes: notes.all, input }
}
