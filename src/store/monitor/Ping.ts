/** A ping on its way to its heartbeat's row, and what became of it. */
import type { CheckSummary } from "../../../schema/check/Check.ts"
import type { CheckId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { pushRegion } from "../../domain/monitor/job/Heartbeat.ts"
import type { ArrivedPing, PingCheck } from "../../domain/monitor/job/JobRuns.ts"
import { gather } from "../../domain/tools/Gather.ts"
import { storable } from "../../domain/tools/text/Storable.ts"

/** Pings of one token in a clock minute. (Specification: Limits, Rate limits.) */
export const pingsPerMinute = 120

/** `at` is by the database's clock. */
export interface Ping extends ArrivedPing {
  /** SHA-256 of the token, hexadecimal. */
  readonly tokenHash: string
}

/** The result of a batch for one token. */
export interface StoredPings {
  /** Null when no monitor has the token. */
  readonly monitorId: MonitorId | null
  readonly workspaceId: WorkspaceId | null
  /** How many of its pings are stored: the first ones, up to the limit. */
  readonly stored: number
  /** True when nothing is stored because another transaction has locked the heartbeat's row. */
  readonly locked: boolean
  /** Whether a live stream of the workspace is open. */
  readonly watched: boolean
  /** The checks that its pings became, if these are not as the pings say. */
  readonly checks?: ReadonlyMap<CheckId, PingCheck>
}

/** How long a batch waits for rows that other transactions have locked, ms; then it is written without these. */
export const patienceMs = 100

/** The pings of each token, in the order they came. */
export const byToken = (pings: ReadonlyArray<Ping>): ReadonlyMap<string, ReadonlyArray<Ping>> =>
  gather(pings.map((ping) => [ping.tokenHash, ping]))

/** Written by hand: a Schema's encoder costs as much as all other work on a ping. The type keeps it in line with the schema. */
export const encodeSummary = (check: Omit<PingCheck, "cause">, cause: PingCheck["cause"]): string => {
  const encoded: typeof CheckSummary.Encoded = {
    id: check.checkId,
    at: new Date(check.at).toISOString(),
    outcome: check.outcome,
    statusCode: null,
    latencyMs: check.latencyMs,
    error: check.error === null ? null : storable(check.error),
    cause,
    region: pushRegion,
    hasEvidence: false
  }
  return JSON.stringify(encoded)
}
