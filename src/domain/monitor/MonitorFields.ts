/** Which settings belong to which kind of monitor: one given to another kind would silently do nothing. */
import type { MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import type { Refusal } from "../Refusal.ts"

/** The kinds of each setting that not every kind has. */
const kindsOf = {
  url: ["http", "manifest"],
  method: ["http"],
  headers: ["http", "manifest"],
  body: ["http"],
  followRedirects: ["http"],
  expectedStatus: ["http"],
  keyword: ["http"],
  keywordAbsent: ["http"],
  degradedAfterMs: ["http", "tcp", "dns", "script", "browser"],
  sslExpiryDays: ["http"],
  host: ["tcp", "dns"],
  port: ["tcp", "dns"],
  recordType: ["dns"],
  expected: ["dns"],
  periodSec: ["heartbeat"],
  graceSec: ["heartbeat"],
  code: ["script", "browser"],
  viewport: ["browser"],
  assertions: ["http"]
} as const satisfies { readonly [Field in keyof MonitorUpdate]?: ReadonlyArray<MonitorKind> }

const kinds = new Map<string, ReadonlyArray<MonitorKind>>(Object.entries(kindsOf))

/** What clears a setting does no harm where there is none: records may be sent back as they came. */
const says = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(typeof value === "object" && Object.keys(value).length === 0)

/** The first setting that monitors of this kind do not have, or null. */
export const foreignField = (input: MonitorUpdate, kind: MonitorKind): Refusal | null => {
  for (const [field, value] of Object.entries(input)) {
    const own = kinds.get(field)
    if (own === undefined || own.includes(kind) || !says(value)) continue
    return { path: field, message: `${field} is not a setting of ${kind} monitors`, hint: `It is for ${own.join(", ")}` }
  }
  return null
}
