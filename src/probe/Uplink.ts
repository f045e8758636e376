/** Holds checks that reach nothing until a self-check shows whether independent targets are out of reach as well. */
import { Duration, Effect } from "effect"
import type { Cause } from "../../schema/check/Check.ts"
import type { ProbeTarget } from "../../schema/monitor/kinds.ts"
import { parsedUrl } from "../../schema/UrlText.ts"
import type { Canary } from "../domain/check/probe/Canary.ts"
import { type Endpoint, makeUplinkReferences } from "../domain/check/probe/UplinkReferences.ts"
import { type Decided, makeUplinkVerdicts } from "../domain/check/probe/UplinkVerdicts.ts"
import { lookupName } from "../domain/monitor/settings/HostSettings.ts"
import type { EgressGuard } from "../egress/EgressGuard.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import type { ProbeResult } from "./ProbeResult.ts"
import type { ScheduledMonitor } from "./ProbeSchedule.ts"
import { reachCanary, reachTarget } from "./SelfCheck.ts"
import type { Trust } from "./Trust.ts"

/** A concluded check that waits for a verdict; `generation` is that of its run. */
export interface Pending {
  readonly monitor: ScheduledMonitor
  readonly generation: number
  readonly seen: ProbeResult
}

/** Causes that a lost connection has, too. Scripts do not say whether their requests or their assertions failed. */
const doubtfulCauses: ReadonlySet<Cause | null> = new Set<Cause>([
  "dns_error",
  "dns_server_failed",
  "dns_timeout",
  "connect_refused",
  "connect_timeout",
  "connect_error",
  "tls_error",
  "timeout",
  "protocol_error",
  "script_error"
])

/** Pause between self-checks while the connection is lost, ms. */
const lostPauseMs = 1000

/** The endpoint at which a self-check can reach the target again; null for kinds without one of their own. */
const endpointOf = (target: ProbeTarget): Endpoint | null => {
  if (target.kind === "tcp" || target.kind === "grpc") return { host: lookupName(target.host) ?? target.host, port: target.port }
  if (!("url" in target)) return null
  const url = parsedUrl(target.url)
  if (url === null) return null
  const { hostname, port, protocol } = url
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (/^(?:https|wss):$/.test(protocol) ? 443 : 80) : Number(port)
  }
}

export interface UplinkOptions {
  readonly guard: EgressGuard
  readonly canaries: ReadonlyArray<Canary>
  /** Says whether an address is beyond the uplink. Targets inside the local network say nothing about it, and do not depend on it. */
  readonly isOutside: (address: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Passes on a held check, once it is decided. */
  readonly settle: (pending: Pending, isTrusted: boolean) => void
}

export const uncheckedUplink: Uplink = {
  begin: () => 0,
  judge: () => "report",
  left: () => {},
  isLost: () => false,
  check: Effect.void,
  doubted: Effect.never
}

export const makeUplink = ({ canaries, guard, isOutside, now, settle }: UplinkOptions) => {
  const verdicts = makeUplinkVerdicts<Pending>()
  const references = makeUplinkReferences<ScheduledMonitor>()
  /** The address from which the target of a monitor last answered. */
  const lastAddresses = new WeakMap<ScheduledMonitor, { readonly address: string; readonly isOutside: boolean }>()
  let tried: ReadonlyArray<Endpoint> = []
  let checkedAt = Number.NEGATIVE_INFINITY
  /** Open from the first doubt until there is none. */
  const doubt = Effect.unsafeMakeLatch(false)

  const pass = ({ distrust, report }: Decided<Pending>): void => {
    for (const pending of report) {
      references.remove(pending.monitor)
      settle(pending, true)
    }
    for (const pending of distrust) settle(pending, false)
  }

  const noteAddress = (monitor: ScheduledMonitor, address: string) => {
    const known = lastAddresses.get(monitor)
    if (known?.address === address) return known
    const last = { address, isOutside: isOutside(address) }
    lastAddresses.set(monitor, last)
    return last
  }

  const answered = (monitor: ScheduledMonitor, address: string): void => {
    if (!noteAddress(monitor, address).isOutside) return references.remove(monitor)
    const { target, workspaceId } = monitor.assignment
    references.answered(monitor, address, workspaceId, () => endpointOf(target))
    pass(verdicts.reached(monitor.run.moment))
  }

  /** Decides on a check. `hold`: `settle` follows. */
  const judge = (pending: Pending): "report" | "hold" | "distrust" => {
    const { monitor, seen } = pending
    const isDoubtful = seen.outcome === "down" && doubtfulCauses.has(seen.cause)
    if (!isDoubtful) {
      if (typeof seen.reached === "string") answered(monitor, seen.reached)
      return "report"
    }
    if (lastAddresses.get(monitor)?.isOutside === false) return "report"
    const canAsk = canaries.length > 0 || references.pick(monitor).length > 0
    const worth = verdicts.failed(pending, monitor.run.moment, canAsk)
    if (worth === "report") references.remove(monitor)
    else doubt.unsafeOpen()
    return worth
  }

  const reachOne = (ways: ReadonlyArray<Effect.Effect<boolean>>): Effect.Effect<boolean> =>
    ways.length === 0
      ? Effect.succeed(false)
      : Effect.isSuccess(Effect.raceAll(ways.map((way) => Effect.filterOrFail(way, (reached) => reached))))

  /** Makes the self-check that is due, if one is. */
  const check = Effect.suspend(() => {
    const isLost = verdicts.isLost()
    if (!verdicts.isAsking() || (isLost && Math.abs(now() - checkedAt) < lostPauseMs)) return Effect.void
    checkedAt = now()
    // While the connection is lost, nothing new answers.
    if (!isLost) tried = references.pick(null, verdicts.held().map(({ monitor }) => monitor))
    const began = verdicts.ask()
    const ways = [...tried.map((one) => reachTarget(guard, one)), ...canaries.map((one) => reachCanary(guard, one))]
    return Effect.map(reachOne(ways), (isWell) => pass(verdicts.answered(isWell, began)))
  })

  return {
    /** The moment at which a check begins, for its run. */
    begin: verdicts.begin,
    judge,
    left: references.remove,
    isLost: verdicts.isLost,
    check,
    /** Waits while there is nothing to check. */
    doubted: Effect.suspend(() => {
      if (!verdicts.isAsking()) doubt.unsafeClose()
      return doubt.await
    })
  }
}
export type Uplink = ReturnType<typeof makeUplink>

/** How long a failed check waits at most until its self-check begins. */
const pause = Duration.millis(250)

/** Shown to every workspace, so it names no target. */
const reason = "The probe has lost its own connection: independent targets that answered before are all out of reach"

/**
 * Checks the connection while there is doubt, and reports when it is lost and found. `onChange` runs when the connection is
 * lost, or works again.
 */
export const uplinkLoop = (
  uplink: Uplink,
  trust: Trust,
  metrics: ProbeMetrics,
  onChange: Effect.Effect<void>
): Effect.Effect<never> => {
  const report = Effect.suspend(() => {
    // An ordinary check that reaches its target ends the loss, too.
    const isLost = uplink.isLost()
    if (isLost === (trust.uplink !== null)) return Effect.void
    trust.uplink = isLost ? reason : null
    metrics.uplinkLost.set(isLost ? 1 : 0)
    const logged = isLost
      ? Effect.logWarning(`${reason}; failed checks do not count until it is back`)
      : Effect.logInfo("The probe's own connection is back; checks that did not count are repeated")
    return Effect.zipRight(logged, onChange)
  })
  // An end of the loss is reported first.
  const doubted = Effect.suspend(() => trust.uplink === null ? uplink.doubted : Effect.void)
  return doubted.pipe(
    Effect.zipRight(uplink.check),
    Effect.zipRight(report),
    Effect.zipRight(Effect.sleep(pause)),
    Effect.forever
  )
}
