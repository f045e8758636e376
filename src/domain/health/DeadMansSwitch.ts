/** Whether an installation checks, decides and delivers: only then does it ping the service that waits for its signs of life. */
import { Struct } from "effect"
import type { Finding } from "./Health.ts"

/** Work that waits for longer than this, or results that come later, mean that alerts would come too late, s. */
const tooLate = 120

/** The monitors to check, and those of them that are overdue, of some tenants. */
interface Share {
  readonly tenants: number
  readonly monitors: number
  /** Tenants with overdue monitors. */
  readonly lateTenants: number
  readonly late: number
}

export interface Lateness extends Share {
  /** The tenant with the most overdue monitors. */
  readonly worst: { readonly monitors: number; readonly late: number }
}

/** A tenth, and ten at least; of fewer, all. */
const isMuch = (late: number, of: number): boolean => late > 0 && late >= Math.min(of, Math.max(10, of / 10))

/**
 * Whether so many monitors are overdue that checking has stopped. The tenant with the most is left out, if it is not the only one:
 * nobody alone silences the switch, and a real stop makes the others late as well. Of the others, many monitors must be overdue, of a
 * tenth of the tenants.
 */
export const isStop = ({ late, lateTenants, monitors, tenants, worst }: Lateness): boolean => {
  if (tenants <= 1) return isMuch(late, monitors)
  const others = { tenants: tenants - 1, lateTenants: lateTenants - 1 }
  return isMuch(late - worst.late, monitors - worst.monitors) && others.lateTenants >= others.tenants / 10
}

export interface Signs {
  readonly regions: ReadonlyArray<{
    readonly id: string
    readonly pace: "checking" | "idle" | "stopped"
    /** How old the newest stored check was when the last one was stored, s; null if nothing was stored lately. */
    readonly delaySec: number | null
  }>
  /** The monitors that are overdue for a check; null if none are. */
  readonly overdue: Lateness | null
  /** How long the oldest work of each kind has waited, s. */
  readonly ages: Readonly<Record<"events" | "deliveries" | "mails" | "alarms", number>>
}

const waiting = {
  events: "fan-out of events",
  alarms: "alarms of actors",
  deliveries: "deliveries",
  mails: "mails"
} as const satisfies Record<keyof Signs["ages"], string>

/** Why the installation does not do its work now; empty if it does. */
export const troubles = ({ ages, overdue, regions }: Signs): ReadonlyArray<string> => [
  ...regions.flatMap(({ delaySec, id, pace }) =>
    pace === "stopped"
      ? [`no checks of region ${id} are stored`]
      : delaySec !== null && delaySec > tooLate
      ? [`results of region ${id} are ${Math.round(delaySec)} s late`]
      : []
  ),
  ...(overdue !== null && isStop(overdue)
    ? [
      `checks of ${overdue.late} of ${overdue.monitors} monitors (${overdue.lateTenants} of ${overdue.tenants} tenants) are overdue`
    ]
    : []),
  ...Struct.entries(waiting).flatMap(([what, name]) =>
    ages[what] > tooLate ? [`${name} waited for ${Math.round(ages[what])} s`] : []
  )
]

/** A service that was not pinged for longer than this raises the alarm, ms; pings go out every minute. */
const pingedWithin = 180_000

interface SwitchState {
  /** Why it is silent. */
  readonly troubles: ReadonlyArray<string>
  /** Why the service did not accept the last ping of this process, and when, ms since 1970; null if it did. */
  readonly refusal: { readonly message: string; readonly at: number } | null
  /** When the service last accepted a ping, ms since 1970, from any process; null for never. */
  readonly lastPingAt: number | null
  /** When this process began to watch, ms since 1970. */
  readonly since: number
}

/** The finding for /health. `now` in ms since 1970. */
export const switchFinding = ({ lastPingAt, refusal, since, troubles: found }: SwitchState, now: number): Finding => {
  const details = { on: true, lastPingAt: lastPingAt === null ? null : new Date(lastPingAt).toISOString() }
  if (found.length > 0) return { state: "degraded", reason: `It is silent: ${found.join(", ")}`, details }
  // Another process may have reached it since.
  if (refusal !== null && refusal.at > (lastPingAt ?? 0)) {
    return { state: "degraded", reason: `The outside service was not reached: ${refusal.message}`, details }
  }
  const quiet = now - Math.max(lastPingAt ?? 0, since)
  return quiet > pingedWithin
    ? { state: "degraded", reason: `No ping was accepted for ${Math.round(quiet / 1000)} s`, details }
    : { state: "ok", reason: null, details }
}
