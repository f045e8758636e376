/** The health of a process's parts: which work, since when, and the health of the process as a whole. */

/** `degraded`: a part does not work, and the process still serves. `failing`: it cannot do its main work. */
export type HealthState = "ok" | "degraded" | "failing"

const severity = { ok: 0, degraded: 1, failing: 2 } satisfies Record<HealthState, number>

/** The health of one part. `details` are figures for operators. */
export interface Finding {
  readonly state: HealthState
  /** The problem; null while the part is ok. */
  readonly reason: string | null
  readonly details?: Readonly<Record<string, unknown>>
}

export const fine: Finding = { state: "ok", reason: null }

/** A finding and since when the part has been in its state, ms since 1970. */
export interface PartHealth extends Finding {
  readonly since: number
}

export const noteFinding = (before: PartHealth | null, finding: Finding, now: number): PartHealth => ({
  ...finding,
  since: before?.state === finding.state ? before.since : now
})

/** The worst state of all parts, and since when one of them has been in it. */
export const overall = (parts: ReadonlyArray<PartHealth>, start: number) => {
  const state = parts.reduce<HealthState>((worst, one) => severity[one.state] > severity[worst] ? one.state : worst, "ok")
  const times = parts.filter((one) => one.state === state).map(({ since }) => since)
  // All is well since the last part recovered; it is not since the first part went wrong.
  return { state, since: times.length === 0 ? start : state === "ok" ? Math.max(...times) : Math.min(...times) }
}
