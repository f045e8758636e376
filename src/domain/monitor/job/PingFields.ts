/**
 * Reads the short form of a ping. Its job printed it, so nothing in it is refused: known words count in any case of letters, and
 * what cannot be used is dropped or kept as the message.
 */
import { Outcome } from "../../../../schema/check/Check.ts"
import { type HeartbeatInput, longestMessage } from "../../../../schema/monitor/Heartbeat.ts"

/** The fields of a query or body in their order, names repeated where they are. */
export type PingFields = ReadonlyArray<readonly [name: string, value: unknown]>

/** The body of a ping. Its text is the message where it has no fields (null), or others than the known ones and no message. */
export interface PingBody {
  readonly fields: PingFields | null
  readonly text: string
}

const statusOf = (value: unknown): Outcome | undefined =>
  typeof value === "string" ? Outcome.literals.find((word) => word === value.trim().toLowerCase()) : undefined

/** Jobs measure in fractions, and shells quote their numbers. */
const durationOf = (value: unknown): number | undefined => {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof read === "number" && read >= 0 && read <= Number.MAX_SAFE_INTEGER ? Math.round(read) : undefined
}

const messageOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)).slice(0, longestMessage)

const says = (name: string, value: unknown): HeartbeatInput | null => {
  const status = name === "status" ? statusOf(value) : undefined
  const durationMs = name === "durationms" ? durationOf(value) : undefined
  if (status !== undefined) return { status }
  if (durationMs !== undefined) return { durationMs }
  return name === "message" ? { message: messageOf(value) } : null
}

export const pingFieldNames: ReadonlyArray<keyof HeartbeatInput> = ["status", "message", "durationMs"]

const knownNames = new Set(pingFieldNames.map((name) => name.toLowerCase()))

export const isPingField = (name: string): boolean => knownNames.has(name.toLowerCase())

const isEmpty = (value: unknown): boolean => value === null || (typeof value === "string" && value.trim() === "")

/** The value of each field; null for one that cannot be used. */
const said = (fields: PingFields) =>
  fields.filter(([, value]) => !isEmpty(value)).map(([name, value]) => says(name.toLowerCase(), value))

/** The last value of a field that can be used counts, in the body before the query. */
export const pingReport = (query: PingFields, body: PingBody): HeartbeatInput => {
  const inBody = said(body.fields ?? [])
  const report = [...said(query), ...inBody].reduce<HeartbeatInput>((all, one) => ({ ...all, ...one }), {})
  const text = body.text.trim()
  const isMessage = body.fields === null || (report.message === undefined && inBody.includes(null))
  return isMessage && text !== "" ? { ...report, message: messageOf(text) } : report
}
