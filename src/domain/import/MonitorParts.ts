/** Converts the parts of monitors that all sources have (headers, methods, hosts, statuses, timing) to fit our limits. */
import { Either, Predicate, Schema } from "effect"
import { httpUrl } from "../../../schema/Fields.ts"
import { DnsRecordType } from "../../../schema/monitor/kinds/dns.ts"
import { HttpMethod } from "../../../schema/monitor/kinds/http.ts"
import { heartbeat } from "../monitor/kinds/heartbeat.ts"
import { pairRefusal, pemRefusal } from "../monitor/settings/TlsSettings.ts"
import { cut, cutIfGiven, type Notes, within } from "./Carry.ts"
import { jsonAt, type Loose, recordOf, recordsOf, textAt } from "./Loose.ts"
import { zoneNamed } from "./ZoneNames.ts"

const mostTags = 20
const longestTag = 40
const mostExpected = 20
/** Characters of the name of a header. */
const longestHeader = 200

export const isUrl = Schema.is(httpUrl(2000))
export const isRecordType = Schema.is(DnsRecordType)
const isMethod = Schema.is(HttpMethod)

const otherRecords = ["ANY", "CAA", "DNSKEY", "DS", "HTTPS", "NAPTR", "PTR", "SOA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA"]

/** The type of the records that a DNS monitor looks up; null for the default, undefined with a note for types that ours lack. */
export const recordTypeOf = (notes: Notes, given: string | null): DnsRecordType | null | undefined => {
  const type = given?.toUpperCase() ?? null
  if (type === null || isRecordType(type)) return type
  if (otherRecords.includes(type)) {
    notes.say(`Records of type ${type} cannot be looked up`)
    return undefined
  }
  notes.say(`Its record type "${type}" is not known, and becomes A`)
  return null
}

/** The host of a URL; another text is one already. */
export const hostOf = (url: string): string => (isUrl(url) ? new URL(url).hostname : url)

/** The method in capitals; null without one, and with a note for one that we do not send. */
export const methodOf = (notes: Notes, method: string | null): HttpMethod | null => {
  const named = method?.toUpperCase() ?? null
  if (isMethod(named)) return named
  if (method !== null) notes.say(`The method ${method} becomes GET`)
  return null
}

/** Headers given as an object of texts, or as a list of records with `name` and `value`; null without any. */
export const headersOf = (notes: Notes, given: unknown): Record<string, string> | null => {
  const listed = recordsOf(given).flatMap((header) => {
    const name = textAt(header, "name")
    const value = textAt(header, "value") ?? (header["value"] ?? "")
    return name === null || typeof value !== "string" ? [] : [[name, value] as const]
  })
  const named = Array.isArray(given) ?
    [] :
    Object.entries(recordOf(given)).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : []
    )
  const entries = [...listed, ...named].filter(([name]) => name.length <= longestHeader)
  const said = Array.isArray(given) ? given.length : Predicate.isRecord(given) ? Object.keys(given).length : given ? 1 : 0
  if (entries.length < said) notes.say(`${said - entries.length} of its headers cannot be read, or have names that are too long`)
  const last = new Map(entries.map((entry) => [entry[0].toLowerCase(), entry] as const))
  if (last.size < entries.length) notes.say("Of a header that it has twice, the last value is carried")
  return last.size === 0 ? null : Object.fromEntries(last.values())
}

/** The same given as the JSON of an object. */
export const headersIn = (notes: Notes, from: Loose, name: string): Record<string, string> | null =>
  headersOf(notes, jsonAt(from, name) ?? (from[name] === "null" ? null : from[name]))

/** Codes, ranges and classes such as "2xx" as one text of ours; null if there are none. */
export const expectedStatusOf = (notes: Notes, codes: ReadonlyArray<string>): string | null => {
  const ranges = codes.flatMap((code) => {
    const known = /^([1-5])xx$/i.exec(code)
    if (known !== null) return [`${known[1]}00-${known[1]}99`]
    if (/^[1-5]\d\d(?:-[1-5]\d\d)?$/.test(code)) return [code]
    notes.say(`The accepted status "${code}" is not carried`)
    return []
  })
  return ranges.length === 0 ? null : ranges.join(",")
}

/** A source's own numbers of seconds, and its names for them, which notes repeat. */
interface Timing {
  readonly interval: readonly [what: string, seconds: number | null]
  readonly timeout: readonly [what: string, seconds: number | null]
}

export const expectedOf = (notes: Notes, values: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (values.length > mostExpected) notes.say(`Of ${values.length} expected records ${mostExpected} are carried`)
  return values.slice(0, mostExpected)
}

export const timingOf = (notes: Notes, { interval, timeout }: Timing) => {
  const intervalSec = within(notes, interval[0], interval[1], [10, 86_400])
  const timeoutSec = within(notes, timeout[0], timeout[1], [1, Math.min(120, intervalSec ?? 60)])
  return {
    ...(intervalSec === undefined ? {} : { intervalSec }),
    ...(timeoutSec === undefined ? {} : { timeoutMs: timeoutSec * 1000 })
  }
}

/** The TLS settings of a source, as PEM. What cannot be used becomes a note; a client certificate goes with its key. */
export const tlsPartsOf = (
  notes: Notes,
  { ca, certificate, key }: { readonly ca: string | null; readonly certificate: string | null; readonly key: string | null }
): Loose => {
  const refused = ca === null ? null : pemRefusal("tlsCa", ca)
  if (refused !== null) notes.say(`Its certificate authority is not carried: ${refused.message}`)
  const tlsCa = refused === null ? ca : null
  if (certificate === null && key === null) return { tlsCa }
  if (certificate === null || key === null) {
    notes.say("Its client certificate is not carried: certificate or key is missing")
    return { tlsCa }
  }
  const unusable = pemRefusal("clientCertificate", certificate) ?? pairRefusal(certificate, key)
  if (unusable === null) return { tlsCa, clientCertificate: certificate, clientKey: key }
  notes.say(`Its client certificate is not carried: ${unusable.message}`)
  return { tlsCa }
}

/** In characters. */
const longestSchedule = 200

/** The period of a heartbeat without one, s. */
const usualPeriod = 86_400

/**
 * The period of a heartbeat and the time by which it may be late. One without a period starts paused: any period would alert when
 * nothing is wrong.
 */
export const heartbeatOf = (notes: Notes, { interval: period, timeout: grace }: Timing): Loose => {
  notes.say("Its ping URL changes: point the job at the new one")
  const graceSec = within(notes, grace[0], grace[1], [0, 86_400])
  if (period[1] !== null) return { kind: "heartbeat", periodSec: within(notes, period[0], period[1], [30, 2_678_400]), graceSec }
  notes.say("Its period is not known. It starts paused: set its periodSec, then resume it")
  return { kind: "heartbeat", periodSec: usualPeriod, graceSec, paused: true }
}

/** When a source expects pings: a schedule, in a zone by any name. */
interface SourceSchedule {
  readonly schedule: string
  readonly zone: string | null
  /** The source's name of its grace, and its seconds. */
  readonly grace: readonly [what: string, seconds: number | null]
}

/** A heartbeat with the schedule of its source; null with a note for one that ours cannot have. */
export const scheduledHeartbeatOf = (notes: Notes, { grace, schedule, zone }: SourceSchedule): Loose | null => {
  const named = zone === null ? "UTC" : /^[a-z]/i.test(zone) ? zoneNamed(zone) : null
  if (named === null) notes.say(`Its time zone "${zone?.slice(0, 60)}" is not known, and becomes UTC`)
  const settled = heartbeat.settle({ schedule, timezone: named ?? "UTC" }, null)
  if (Either.isLeft(settled) || schedule.length > longestSchedule) {
    const why = Either.isLeft(settled) ? settled.left.message : "It is too long"
    notes.say(`The schedule "${schedule.slice(0, 100)}" is not carried: ${why}`)
    return null
  }
  notes.say("Its ping URL changes: point the job at the new one")
  const graceSec = within(notes, grace[0], grace[1], [0, 86_400])
  return { kind: "heartbeat", schedule, timezone: named ?? "UTC", graceSec }
}

export const pausedIf = (isPaused: boolean): Loose => (isPaused ? { paused: true } : {})

/** The fields of a type that the source should not have: a web address is checked as one. */
export const ofUnknownType =
  (type: string, httpFields: (notes: Notes, monitor: Loose) => Loose) => (notes: Notes, monitor: Loose): Loose | null => {
    const isWeb = isUrl(textAt(monitor, "url"))
    notes.say(isWeb ? `Its type "${type}" is not known; its URL is checked` : `Monitors of type "${type}" are not supported`)
    return isWeb ? httpFields(notes, monitor) : null
  }

/** For kinds of monitors that we lack. */
export const unsupported = (what: string) => (notes: Notes): null => {
  notes.say(`${what} monitors are not supported`)
  return null
}

export const tagsOf = (notes: Notes, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const tags = [...new Set(names.map((name) => cut(notes, `The tag "${name}"`, name, longestTag)))]
  if (tags.length > mostTags) notes.say(`Of ${tags.length} tags ${mostTags} are carried`)
  return tags.slice(0, mostTags)
}

export const describedBy = (notes: Notes, name: string, description: string | null = null): Loose => ({
  name: cut(notes, "The name", name, 120),
  description: cutIfGiven(notes, "The description", description, 1000)
})
