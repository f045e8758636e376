/**
 * Reads what the address of a ping says about its run: `/start`, `/fail`, `/log` or an exit code, and `rid`. A job made the address,
 * so nothing in it is refused: a word that is not known says nothing.
 */
import type { HeartbeatInput } from "../../../../schema/monitor/Heartbeat.ts"
import { longestLog, longestRunId, type RunSignal } from "../../../../schema/monitor/JobRun.ts"
import { isPingField, type PingBody, type PingFields, pingReport } from "./PingFields.ts"

/** The part of a ping beyond its report. */
export interface JobSignal {
  readonly kind: RunSignal
  readonly rid: string | null
  readonly exitCode: number | null
  /** The output of the job, cut to `longestLog` bytes. */
  readonly log: string | null
  /** Bytes of it that arrived. */
  readonly logBytes: number
}

export interface PingReport extends HeartbeatInput {
  readonly signal?: JobSignal
}

/** The meaning of the last part of a ping's path. */
interface Suffix {
  readonly kind: RunSignal
  readonly exitCode: number | null
  /** Null: the fields say it. */
  readonly status: "up" | "down" | null
}

const plain: Suffix = { kind: "end", exitCode: null, status: null }
const failed: Suffix = { ...plain, status: "down" }

const words: ReadonlyMap<string, Suffix> = new Map([
  ["start", { ...plain, kind: "start" }],
  ["log", { ...plain, kind: "log" }],
  ["fail", failed],
  ["failed", failed],
  ["failure", failed],
  ["error", failed],
  ["down", failed]
])

/** As a 32-bit number: Windows prints the same code with and without a sign. */
const signed = (code: number): number | null => (Math.abs(code) < 2 ** 32 ? code | 0 : null)

/** 0 is a success, any other number a failure. */
const readSuffix = (suffix: string): Suffix => {
  const word = suffix.trim().toLowerCase()
  if (!/^-?\d+$/.test(word)) return words.get(word) ?? plain
  const code = Number(word)
  return { kind: "end", exitCode: signed(code), status: code === 0 ? "up" : "down" }
}

const ridIn = (query: PingFields): string | null => {
  const given = query.filter(([name, value]) => name.toLowerCase() === "rid" && typeof value === "string" && value.trim() !== "")
  const last = given.at(-1)?.[1]
  return typeof last === "string" ? last.trim().slice(0, longestRunId) : null
}

/** The first bytes of a text that is longer, whole characters of them. */
const firstBytes = (text: string): string => {
  const bytes = Buffer.from(text)
  let end = longestLog
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString("utf8", 0, end)
}

/** The part of a text that is kept, and the bytes of all of it. */
export const logOf = (text: string): Pick<JobSignal, "log" | "logBytes"> => {
  const logBytes = Buffer.byteLength(text)
  return { log: logBytes === 0 ? null : logBytes > longestLog ? firstBytes(text) : text, logBytes }
}

/** Output: a body of other things than the fields of a ping. */
const logIn = ({ fields, text }: PingBody): string | null =>
  text === "" || fields?.every(([name]) => isPingField(name)) === true ? null : text

/** The report of a ping. A plain ping, without bytes, has no signal. */
export const readPing = (suffix: string | null, query: PingFields, body: PingBody): PingReport => {
  const { exitCode, kind, status } = suffix === null ? plain : readSuffix(suffix)
  const report = pingReport(query, body)
  const decided = status === null ? report : { ...report, status }
  const rid = ridIn(query)
  const log = logIn(body)
  if (kind === "end" && exitCode === null && rid === null && log === null) return decided
  return { ...decided, signal: { kind, rid, exitCode, ...logOf(log ?? "") } }
}
