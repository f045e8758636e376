/** Decides when each due check starts: by the rate of its host, the share of its workspace, and the slots of its lane. */
import type { Assignment } from "../../schema/check/Bus.ts"
import { makeAddressLimit } from "../domain/check/address/AddressLimit.ts"
import { makeHostLimit } from "../domain/check/address/HostLimit.ts"
import { makePermitsAt, type OwnPermits } from "../domain/check/address/PermitsAt.ts"
import { makeLatenessWindow } from "../domain/check/probe/LatenessWindow.ts"
import { makeTimingWheel } from "../domain/check/probe/TimingWheel.ts"
import { makeFifo } from "../domain/tools/queues/Fifo.ts"
import { makeLanes } from "../domain/tools/queues/Lanes.ts"
import { makePump } from "../domain/tools/queues/Pump.ts"
import { makeRunningTime } from "../domain/tools/time/RunningTime.ts"
import type { ProbeMetrics } from "./Metrics.ts"
import type { ProbeLimits } from "./ProbeLimits.ts"
import type { DueCheck, ScheduledMonitor } from "./ProbeSchedule.ts"

/** A check that takes longer than this is slow. */
export const slowMs = 1000

/** How much longer than its timeout a check can take, including judging, before the worker abandons it. */
export const leaseMarginMs = 30_000

/** Caps the time one tick counts, so checks do not age while the machine stands still or the loop is blocked. */
const longestTickMs = 1000

interface SchedulerEvents {
  /** Starts the check of a monitor, which holds a slot until `end`. */
  readonly begin: (monitor: ScheduledMonitor, now: number) => void
  readonly abandon: (monitor: ScheduledMonitor) => void
}

/** A quarter of the slots is fast: fast checks need theirs for a short time only. */
const lanesOf = ({ concurrency, workspacePercent }: ProbeLimits) => {
  const fast = Math.max(1, Math.ceil(concurrency / 4))
  return makeLanes<ScheduledMonitor>({
    slots: { fast, slow: Math.max(1, concurrency - fast) },
    ownerPercent: workspacePercent,
    ownerOf: ({ assignment }) => assignment.workspaceId,
    stateOf: ({ run }) => run
  })
}

/** The checks that wait for a slot, and their starts. */
const makeStarts = (limits: ProbeLimits, metrics: ProbeMetrics, now: () => number, start: SchedulerEvents["begin"]) => {
  const lanes = lanesOf(limits)
  const lateness = makeLatenessWindow()
  let stopped = false

  const begin = (monitor: ScheduledMonitor): void => {
    const { run, rhythm } = monitor
    const at = now()
    const lateMs = Math.max(at - run.ready, 0)
    if (lanes.heldBack(monitor, run.step)) metrics.heldBack.workspace.observe(lateMs / 1000)
    else {
      metrics.lateness[run.lane].observe(lateMs / 1000)
      lateness.began(lateMs, rhythm.intervalMs)
    }
    start(monitor, at)
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

  return {
    ...makePump(next, begin),
    lanes,
    lateness,
    /** A check starts in the fast lane unless the monitor's last check was slow. */
    queue: (monitor: ScheduledMonitor): void => {
      const lane = monitor.wasSlow ? "slow" : "fast"
      monitor.run.step = lanes.step(lane)
      lanes.offer(monitor, lane)
    },
    stop: (): void => {
      stopped = true
    }
  }
}

/** The checks under way. */
const makeUnderWay = (start: number, becameSlow: (monitor: ScheduledMonitor) => void, abandon: SchedulerEvents["abandon"]) => {
  const time = makeRunningTime(longestTickMs, start)
  const leases = makeTimingWheel<ScheduledMonitor>(0, 250, 1024)
  // Checks that are not slow yet, oldest first, with their start time: a monitor may have started another check since.
  const young = { monitors: makeFifo<ScheduledMonitor>(), begun: makeFifo<number>() }

  return {
    elapsed: time.now,
    isSlow: ({ run }: ScheduledMonitor): boolean => time.now() - run.begun >= slowMs,
    enter: (monitor: ScheduledMonitor): void => {
      monitor.run.begun = time.now()
      young.monitors.push(monitor)
      young.begun.push(monitor.run.begun)
    },
    leave: ({ run }: ScheduledMonitor): void => {
      run.endLease?.()
      run.endLease = null
    },
    /** Gives checks that have become slow a lease. */
    advance: (at: number): void => {
      time.advance(at)
      const elapsed = time.now()
      for (let begun = young.begun.peek(); begun !== undefined && begun <= elapsed - slowMs; begun = young.begun.peek()) {
        young.begun.shift()
        const monitor = young.monitors.shift()
        if (monitor === undefined || monitor.run.stage !== "under_way" || monitor.run.begun !== begun) continue
        const lease = leases.add(begun + monitor.assignment.timeoutMs + leaseMarginMs, monitor)
        monitor.run.endLease = () => leases.cancel(lease)
        becameSlow(monitor)
      }
      for (const monitor of leases.advance(elapsed)) abandon(monitor)
    }
  }
}

/** Takes over the slot of a check; `ready` is set again if a limit delays it. */
const setDue = ({ run }: ScheduledMonitor, { attempt, due, slot }: DueCheck): void => {
  run.slot = slot
  run.attempt = attempt
  run.due = due
  run.ready = due
}

const noAddresses: ReadonlyArray<string> = []

/** Whether a check may make many connections. */
const isPaced = ({ target: { kind } }: Assignment): boolean => kind === "script" || kind === "browser"

/** The checks that wait for the rate limit of their host, by its name before they begin, and by its addresses once they are known. */
const makeHosts = (
  limits: ProbeLimits,
  metrics: ProbeMetrics,
  elapsed: () => number,
  queue: (monitor: ScheduledMonitor) => void
) => {
  let share = 1
  const ownerOf = ({ assignment }: ScheduledMonitor): string => assignment.workspaceId
  const hosts = makeHostLimit<ScheduledMonitor>(limits.hostRate, ownerOf, () => share)
  const addresses = makeAddressLimit<ScheduledMonitor>({ perSecond: limits.hostRate, ownerOf, share: () => share })
  const readmit = (monitor: ScheduledMonitor, at: number): void => {
    metrics.heldBack.host.observe(Math.max(at - monitor.run.due, 0) / 1000)
    monitor.run.ready = at
    queue(monitor)
  }
  const countAt = ({ host }: ScheduledMonitor, monitors: number): void => (host === "" ? undefined : hosts.count(host, monitors))
  return {
    waiting: (): number => hosts.waiting() + addresses.waiting(),
    setShare: (part: number): void => {
      share = part
    },
    joined: (monitor: ScheduledMonitor): void => countAt(monitor, 1),
    left: (monitor: ScheduledMonitor): void => countAt(monitor, -1),
    admit: (dueCheck: DueCheck): void => {
      const { monitor } = dueCheck
      setDue(monitor, dueCheck)
      monitor.run.again = false
      monitor.run.granted = noAddresses
      monitor.run.stage = "spread"
      if (hosts.enter(monitor.host, monitor, elapsed())) queue(monitor)
    },
    release: (at: number): void => {
      for (const monitor of hosts.advance(elapsed())) readmit(monitor, at)
      for (const { address, item } of addresses.advance(elapsed())) {
        item.run.granted = [...item.run.granted, address]
        readmit(item, at)
      }
    },
    awaitPermit: (monitor: ScheduledMonitor, address: string): void => {
      monitor.run.stage = "spread"
      addresses.wait(address, monitor, elapsed())
    },
    permitsFor: (assignment: Assignment, granted = noAddresses): OwnPermits =>
      makePermitsAt(addresses, { owner: assignment.workspaceId, granted, isPaced: isPaced(assignment) }, elapsed)
  }
}

export const makeScheduler = (limits: ProbeLimits, metrics: ProbeMetrics, now: () => number, events: SchedulerEvents) => {
  const { lanes, lateness, pump, queue, reset, stop } = makeStarts(limits, metrics, now, (monitor, at) => {
    underWay.enter(monitor)
    events.begin(monitor, at)
  })
  // A check that becomes slow needs a slot of the slow lane.
  const underWay = makeUnderWay(now(), (monitor) => {
    if (monitor.run.lane === "fast" && !monitor.run.moving) lanes.overstay(monitor)
  }, events.abandon)
  const { admit, awaitPermit, joined, left, release, setShare, permitsFor, waiting } = makeHosts(
    limits,
    metrics,
    underWay.elapsed,
    queue
  )

  return {
    /** Sets this worker's part of the region's monitors, above 0 and up to 1; with it go the rates of hosts. */
    setShare,
    joined,
    left,
    /** A check falls due before the monitor's last one has ended: a waiting check takes over the new slot; else it is skipped. */
    skip: (dueCheck: DueCheck): void => {
      const { monitor } = dueCheck
      const { stage } = monitor.run
      if (stage === "under_way" || stage === "idle") return metrics.skipped("under_way")
      setDue(monitor, dueCheck)
      if (stage === "spread") return metrics.skipped("host_rate")
      if (lanes.isFull(monitor)) return metrics.skipped("workspace_share")
      lateness.missed()
      metrics.skipped("no_slot")
    },
    /** Advances time to `at` (ms since 1970), queues the due checks, and starts every check that has a slot. */
    tick: (at: number, due: ReadonlyArray<DueCheck>): void => {
      reset()
      underWay.advance(at)
      release(at)
      for (const dueCheck of due) admit(dueCheck)
      pump()
      for (const lane of ["fast", "slow"] as const) {
        metrics.inFlight[lane].set(lanes.inFlight(lane))
        metrics.checksWaiting[lane].set(lanes.waiting(lane))
      }
      metrics.checksWaiting.spread.set(waiting())
    },
    permitsFor,
    /** A check made no connection: it gives its slot back until the address gives it a permit. */
    awaitPermit: (monitor: ScheduledMonitor, address: string): void => {
      underWay.leave(monitor)
      lanes.end(monitor)
      awaitPermit(monitor, address)
      pump()
    },
    restart: (monitor: ScheduledMonitor): void => {
      underWay.leave(monitor)
      underWay.enter(monitor)
    },
    end: (monitor: ScheduledMonitor): void => {
      monitor.wasSlow = underWay.isSlow(monitor)
      monitor.busy = false
      underWay.leave(monitor)
      lanes.end(monitor)
      pump()
    },
    stop,
    spread: waiting,
    /** How late checks started since the last call. */
    takeLateness: lateness.take
  }
}
