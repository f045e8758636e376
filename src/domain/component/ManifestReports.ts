/** The reports of a manifest on the components that follow it. */
import type { ManifestEntry } from "../../../schema/check/Check.ts"
import type { ComponentStatus } from "../../../schema/component/Component.ts"
import type { PushState } from "../../../schema/component/Push.ts"
import { entryFor } from "../check/answer/Manifest.ts"
import { hear, initialPushState, lapse } from "./PushMachine.ts"

/** A manifest's report on one component; `status` is null if the component's key was not in it. */
export interface ManifestReport {
  readonly status: ComponentStatus | null
  readonly message: string | null
  /** When the round began in which the manifest was read, ms since 1970. All regions of a round observe the same. */
  readonly observedAt: number
}

/** The state of a component after a report. A component whose key is missing is unknown. */
export const hearManifest = (state: PushState, confirmations: number, report: ManifestReport, now: number): PushState => {
  const { message, status } = report
  // A probe's clock that is ahead must not make later reports look outdated.
  const observedAt = Math.min(report.observedAt, now)
  if (status !== null) {
    return hear(state, confirmations, { status, message, observedAt: report.observedAt, confirmed: false }, now).state
  }
  const isOutdated = state.heardUpTo !== null && observedAt <= state.heardUpTo
  return isOutdated || isBlank(state) ? state : { ...lapse(state, observedAt), heardUpTo: observedAt }
}

/** True if there is nothing that a lapse could end. */
export const isBlank = ({ shown, streak }: PushState): boolean => shown === "unknown" && streak.length === 0

export const reportOn = (entries: ReadonlyArray<ManifestEntry>, key: string, observedAt: number): ManifestReport => {
  const entry = entryFor(entries, key)
  return { status: entry?.status ?? null, message: entry?.message ?? null, observedAt }
}

/** True if a report changes more than the time of the last one. A message that changes matters only while something is wrong. */
export const matters = (state: PushState | null, confirmations: number, report: ManifestReport, now: number): boolean => {
  const before = state ?? initialPushState(now)
  const after = hearManifest(before, confirmations, report, now)
  return after.shown !== before.shown || after.streak.length !== before.streak.length ||
    (after.message !== before.message && after.shown !== "operational")
}
