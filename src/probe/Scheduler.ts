/**
 * Decides when each due check starts: spreads checks at one host, shares the slots between workspaces, moves slow checks to
 * the slow lane, and abandons checks that never end. Plain state, driven by the worker's clock.
 */
import { makeHostLimit } from "../domain/check/address/HostLimit.ts"
import { type LatenessSummary, makeLatenessWindow } from "../domain/check/probe/LatenessWindow.ts"
import { makeTimingWheel } from "../domain/check/probe/TimingWheel.ts"
import { makeFifo } from "../domain/tools/Fifo.ts"
import { makeLanes } from "../domain/tools/Lanes.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import type { ProbeLimits } from "./ProbeLimits.ts"
import type { DueCheck, ScheduledMonitor, ScheduleListener } from "./ProbeSchedule.ts"

/** A check that takes longer than this is slow. */
export const slowMs = 1000

/** How much longer than its timeout a check can take, including judging, before the worker abandons it. */
export const leaseMarginMs = 30_000

/** Caps the time one tick counts, so checks do not age while the machine stands still or the loop is blocked. */
const longestTickMs = 1000

export interface SchedulerEvents {
  /** Starts the check of a monitor, which holds a slot until `end`. */
  readonly begin: (monitor: ScheduledMonitor, now: number) => void
  /** The check's lease has expired. */
  readonly abandon: (monitor: ScheduledMonitor) => void
}

export interface Scheduler extends ScheduleListener {
  /** Sets this worker's part of the region's monitors, above 0 and up to 1; with it go the rates of hosts. */
  readonly setShare: (share: number) => void
  /** A check falls due before the monitor's last one has ended: a waiting check takes over the new slot; else it is skipped. */
  readonly skip: (dueCheck: DueCheck) => void
  /** Advances time to `now` (ms since 1970), queues the due checks, and starts every check that has a slot. */
  readonly tick: (now: number, due: ReadonlyArray<DueCheck>) => void
  /** Resets the age of a check that starts over. */
  readonly restart: (monitor: ScheduledMonitor) => void
  /** The check has ended; frees its slot. */
  readonly end: (monitor: ScheduledMonitor) => void
  readonly stop: () => void
  /** Number of checks that wait for their host's rate limit. */
  readonly spread: () => number
  /** How late checks started since the last call. */
  readonly takeLateness: () => LatenessSummary
}

/** A quarter of the slots is fast: fast checks need theirs for a short time only. */
const lanesOf = ({ concurrency, workspacePercent }: ProbeLimits) => {
  const fast = Math.max(1, Math.ceil(concurrency / 4))
  return makeLanes<ScheduledMonitor>({
    slots: { fast, slow: Math.max(1, concurrency - fast) },
    ownerPercent: workspacePercent,
    ownerOf: ({ assignment }) => assignment.workspaceId,
    placeOf: ({ run }) => run
  })
}

export const makeScheduler = (
  limits: ProbeLimits,
  metrics: ProbeMetrics,
  now: () => number,
  events: SchedulerEvents
): Scheduler => {
  const lanes = lanesOf(limits)
  let share = 1
  const hosts = makeHostLimit<ScheduledMonitor>(limits.hostRate, ({ assignment }) => assignment.workspaceId, () => share)
  const lateness = makeLatenessWindow()
  /** Monotonic time in which this process was running, ms. */
  let elapsed = 0
  let last = now()
  const leases = makeTimingWheel<ScheduledMonitor>(elapsed, 250, 1024)
  // Checks that are not slow yet, oldest first, with their start time: a monitor may have started another check since.
  const young = { monitors: makeFifo<ScheduledMonitor>(), begun: makeFifo<number>() }
  let beginning = false
  let stopped = false

  const watch = (monitor: ScheduledMonitor): void => {
    monitor.run.begun = elapsed
    young.monitors.push(monitor)
    young.begun.push(elapsed)
  }

  const unwatch = ({ run }: ScheduledMonitor): void => {
    run.endLease?.()
    run.endLease = null
  }

  const begin = (monitor: ScheduledMonitor): void => {
    const { run, rhythm } = monitor
    const at = now()
    const lateMs = Math.max(at - run.ready, 0)
    if (lanes.heldBack(monitor, run.step)) metrics.heldBack.workspace.observe(lateMs / 1000)
    else {
      metrics.lateness[run.lane].observe(lateMs / 1000)
      lateness.began(lateMs, rhythm.intervalMs)
    }
    watch(monitor)
    events.begin(monitor, at)
  }

  /** Takes the next check that can start. A waiting check whose monitor was removed ends without one. */
  const next = (): ScheduledMonitor | undefined => {
    let monitor = stopped ? undefined : lanes.next()
    for (; monitor?.gone === true; monitor = lanes.next()) {
      lanes.end(monitor)
      monitor.busy = false
    }
    return monitor
  }

  /** A check starts in the fast lane unless the monitor's last check was slow. */
  const queue = (monitor: ScheduledMonitor): void => {
    const lane = monitor.wasSlow ? "slow" : "fast"
    monitor.run.step = lanes.step(lane)
    lanes.offer(monitor, lane)
  }

  /** A check can end synchronously. The guard makes the loop start the next one; recursion would nest thousands deep. */
  const pump = (): void => {
    if (beginning) return
    beginning = true
    for (let monitor = next(); monitor !== undefined; monitor = next()) begin(monitor)
    beginning = false
  }

  const admit = (dueChecks: ReadonlyArray<DueCheck>): void => {
    for (const { attempt, due, monitor, slot } of dueChecks) {
      const { run } = monitor
      run.slot = slot
      run.attempt = attempt
      run.due = due
      run.ready = due
      run.again = false
      run.stage = "spread"
      if (hosts.enter(monitor.host, monitor, elapsed)) queue(monitor)
    }
  }

  const skip = ({ attempt, due, monitor, slot }: DueCheck): void => {
    const { run } = monitor
    if (run.stage === "under_way" || run.stage === "idle") return metrics.skipped("under_way")
    run.slot = slot
    run.attempt = attempt
    run.due = due
    run.ready = due
    if (run.stage === "spread") return metrics.skipped("host_rate")
    if (lanes.isFull(monitor)) return metrics.skipped("workspace_share")
    lateness.missed()
    metrics.skipped("no_slot")
  }

  /** Gives checks that have become slow a lease, and requests a slow-lane slot for them. */
  const age = (): void => {
    for (let begun = young.begun.peek(); begun !== undefined && begun <= elapsed - slowMs; begun = young.begun.peek()) {
      young.begun.shift()
      const monitor = young.monitors.shift()
      if (monitor === undefined || monitor.run.stage !== "under_way" || monitor.run.begun !== begun) continue
      const lease = leases.add(begun + monitor.assignment.timeoutMs + leaseMarginMs, monitor)
      monitor.run.endLease = () => leases.cancel(lease)
      if (monitor.run.lane === "fast" && !monitor.run.moving) lanes.overstay(monitor)
    }
    for (const monitor of leases.advance(elapsed)) events.abandon(monitor)
  }

  const release = (at: number): void => {
    for (const monitor of hosts.advance(elapsed)) {
      metrics.heldBack.host.observe(Math.max(at - monitor.run.due, 0) / 1000)
      monitor.run.ready = at
      queue(monitor)
    }
  }

  const tick = (at: number, due: ReadonlyArray<DueCheck>): void => {
    // Still true if the last tick threw.
    beginning = false
    elapsed += Math.min(Math.max(at - last, 0), longestTickMs)
    last = at
    age()
    release(at)
    admit(due)
    pump()
    metrics.inFlight.fast.set(lanes.inFlight("fast"))
    metrics.inFlight.slow.set(lanes.inFlight("slow"))
    metrics.checksWaiting.fast.set(lanes.waiting("fast"))
    metrics.checksWaiting.slow.set(lanes.waiting("slow"))
    metrics.checksWaiting.spread.set(hosts.waiting())
  }

  /** Targets without a host are not rate-limited. */
  const countAt = ({ host }: ScheduledMonitor, monitors: number): void => (host === "" ? undefined : hosts.count(host, monitors))

  return {
    setShare: (part) => {
      share = part
    },
    joined: (monitor) => countAt(monitor, 1),
    left: (monitor) => countAt(monitor, -1),
    skip,
    tick,
    restart: (monitor) => {
      unwatch(monitor)
      watch(monitor)
    },
    end: (monitor) => {
      monitor.wasSlow = elapsed - monitor.run.begun >= slowMs
      monitor.busy = false
      unwatch(monitor)
      lanes.end(monitor)
      pump()
    },
    stop: () => {
      stopped = true
    },
    spread: hosts.waiting,
    takeLateness: lateness.take
  }
}
