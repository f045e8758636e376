/** Converts the parts of monitors that all sources have (headers, methods, hosts, statuses, timing) to fit our limits. */
import { Schema } from "effect"
import { httpUrl } from "../../../schema/Fields.ts"
import { DnsRecordType } from "../../../schema/monitor/kinds/dns.ts"
import { HttpMethod } from "../../../schema/monitor/kinds/http.ts"
import { pairRefusal, pemRefusal } from "../monitor/settings/TlsSettings.ts"
import { cut, cutIfGiven, type Notes, within } from "./Carry.ts"
import { type Loose, recordOf, recordsOf, textAt } from "./Loose.ts"

const mostTags = 20
const longestTag = 40
const mostExpected = 20

export const isUrl = Schema.is(httpUrl(2000))
export const isRecordType = Schema.is(DnsRecordType)
const isMethod = Schema.is(HttpMethod)

/** The host of a URL; another text is one already. */
export const hostOf = (url: string): string => (isUrl(url) ? new URL(url).hostname : url)

/** The method in capitals; null for one that we do not send. */
export const methodOf = (method: string | null): HttpMethod | null => {
  const named = method?.toUpperCase() ?? null
  return isMethod(named) ? named : null
}

/** Headers given as an object of texts, or as a list of records with `name` and `value`; null without any. */
export const headersOf = (given: unknown): Record<string, string> | null => {
  const listed = recordsOf(given).flatMap((header) => {
    const name = textAt(header, "name")
    return name === null ? [] : [[name, textAt(header, "value") ?? ""] as const]
  })
  const named = Array.isArray(given) ?
    [] :
    Object.entries(recordOf(given)).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : []
    )
  const entries = [...listed, ...named]
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

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

/** The period of a heartbeat and the time by which it may be late. */
export const heartbeatOf = (notes: Notes, { interval: period, timeout: grace }: Timing): Loose => {
  notes.say("Its ping URL changes: point the job at the new one")
  return {
    kind: "heartbeat",
    periodSec: within(notes, period[0], period[1], [30, 2_678_400]),
    graceSec: within(notes, grace[0], grace[1], [0, 86_400])
  }
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
