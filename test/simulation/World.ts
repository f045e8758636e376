/**
 * A population of monitors, the workers of their regions, the bus between them and the runners, and the database: everything
 * that can be late, lost or repeated.
 */
import type { Beat, CheckResult } from "../../schema/check/Bus.ts"
import type { Outcome } from "../../schema/check/Check.ts"
import { RegionId } from "../../schema/check/Region.ts"
import { CheckId, MonitorId } from "../../schema/Ids.ts"
import type { Rules } from "../../schema/monitor/Monitor.ts"
import { confirmationOf } from "../../src/domain/monitor/Confirmation.ts"
import { makeProbeSchedule, type ProbeSchedule, type ScheduledMonitor } from "../../src/probe/ProbeSchedule.ts"
import { assignmentOf } from "../support/probe/Assignments.ts"
import { makeBeat } from "../support/probe/Beats.ts"

export const tickMs = 1000

/** A stretch of simulated time, s from the start. */
export interface Stretch {
  readonly from: number
  readonly length: number
}

/** The faults of a region. `slow` delays its results by `amount` s, `clock` shifts its workers' clocks by that much. */
export interface RegionFault extends Stretch {
  readonly region: number
  readonly kind: "dead" | "stopped" | "cut" | "beatless" | "slow" | "clock" | "distrust" | "rebalance"
  readonly amount: number
}

/** `hang`: its actors and its consumer do not answer, while it refreshes its shard locks and hears beats. */
export interface RunnerFault extends Stretch {
  readonly runner: number
  readonly kind: "crash" | "stop" | "hang" | "clock"
  readonly amount: number
}

/** One run: the truth, the faults, and the seed of all small choices. */
export interface Script {
  readonly rules: Rules
  /** The view of each region of each monitor: an outcome per `truthStep` s, the last one repeating. */
  readonly truth: ReadonlyArray<ReadonlyArray<ReadonlyArray<Outcome>>>
  readonly regionFaults: ReadonlyArray<RegionFault>
  readonly runnerFaults: ReadonlyArray<RunnerFault>
  readonly busOutages: ReadonlyArray<Stretch>
  readonly databaseOutages: ReadonlyArray<Stretch>
  /** Regions that die at the end of the faults and stay dead. */
  readonly lost: number
  readonly runners: number
  readonly seed: number
}

export const truthStep = 40
/** Each monitor is in a shard of its own, with the number of the monitor. */
const monitorIdOf = (monitor: number): MonitorId => MonitorId.make(`mon_${String(monitor).padStart(26, "0")}`)
export const regionIds = ["eu", "us", "ap", "sa", "af"].map((id) => RegionId.make(id))
export const start = 1_700_000_000_000

/** mulberry32 */
export const makeChoices = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    below: (limit: number): number => Math.floor(next() * limit),
    chance: (probability: number): boolean => next() < probability
  }
}
export type Choices = ReturnType<typeof makeChoices>

export const during = ({ from, length }: Stretch, now: number): boolean =>
  now >= start + from * 1000 && now < start + (from + length) * 1000

/** A result with its arrival time in the log, for the laws. */
export interface Logged {
  readonly result: CheckResult
  readonly loggedAt: number
}

interface Worker {
  /** Null before its first assignment. */
  schedule: ProbeSchedule | null
  owns: boolean
}

/** The probes and the bus. */
export const makeWorld = (script: Script, choices: Choices, endOfTroubles: number) => {
  const { regions, timeoutMs } = script.rules
  const confirm = confirmationOf(script.rules)
  const assignments = script.truth.map((_, monitor) =>
    assignmentOf({ url: "http://target.test/" }, {
      monitorId: monitorIdOf(monitor),
      intervalSec: script.rules.intervalSec,
      timeoutMs,
      regions,
      ...(confirm ? { confirm } : {})
    })
  )
  const numbers = new Map(assignments.map(({ monitorId }, monitor) => [monitorId, monitor]))
  const numberOf = ({ monitorId }: { readonly monitorId: MonitorId }): number => numbers.get(monitorId) ?? -1
  const parts = script.truth.map(() => ({ log: new Array<Logged>(), bySlot: new Map<number, Array<Logged>>() }))
  const append = (logged: Logged) => {
    const part = parts[numberOf(logged.result)]
    part?.log.push(logged)
    const slot = part?.bySlot.get(logged.result.slot)
    if (slot === undefined) part?.bySlot.set(logged.result.slot, [logged])
    else slot.push(logged)
  }
  const beats: Array<Beat> = []
  const looks: Array<{ readonly monitor: number; readonly region: RegionId; readonly at: number }> = []
  const busIsAway = (now: number) => script.busOutages.some((outage) => during(outage, now))

  const makeProbes = (index: number, region: RegionId) => {
    const faults = script.regionFaults.filter((fault) => fault.region === index)
    const isLost = index < script.lost
    const lookMs = choices.below(Math.min(timeoutMs, 4000))
    const beatAt = choices.below(10)
    const has = (kind: RegionFault["kind"], now: number) => faults.find((fault) => fault.kind === kind && during(fault, now))
    const isDead = (now: number) => has("dead", now) !== undefined || (isLost && now >= endOfTroubles)
    const clock = (now: number) => now + (has("clock", now)?.amount ?? 0) * 1000
    const truthAt = (monitor: number, now: number): Outcome => {
      const outcomes = script.truth[monitor]?.[index] ?? []
      return outcomes[Math.min(outcomes.length - 1, Math.floor((now - start) / 1000 / truthStep))] ?? "up"
    }

    let workers: ReadonlyArray<Worker> | null = null
    const underWay: Array<{
      readonly doneAt: number
      readonly monitor: ScheduledMonitor
      readonly schedule: ProbeSchedule
      readonly result: CheckResult
    }> = []
    const buffer: Array<CheckResult> = []
    let transit: Array<Logged> = []
    let reachableFrom = 0
    /** Beats in a row that nobody heard. */
    let missing = 0
    let lastArrival = 0

    /** Ownership of the one partition; while it moves, no runner may own it, or both. */
    const share = (now: number, these: ReadonlyArray<Worker>) => {
      const moving = has("rebalance", now)
      const wanted = moving === undefined
        ? [true, false]
        : moving.amount % 3 === 0
        ? [true, true]
        : moving.amount % 3 === 1
        ? [false, false]
        : [false, true]
      for (const [number, worker] of these.entries()) {
        const owns = wanted[number] ?? false
        if (worker.owns === owns) continue
        worker.owns = owns
        worker.schedule ??= makeProbeSchedule(clock(now))
        worker.schedule.own(new Set(owns ? [0] : []))
        if (!owns) continue
        for (const assignment of assignments) {
          worker.schedule.change(0, { monitorId: assignment.monitorId, assignment }, clock(now))
        }
      }
    }

    const run = (now: number, worker: Worker) => {
      const { schedule } = worker
      for (const { attempt, monitor, slot } of schedule?.takeDue(clock(now), () => {}) ?? []) {
        Object.assign(monitor.run, { slot, attempt, at: clock(now), stage: "under_way" })
        const { monitorId, workspaceId } = monitor.assignment
        const number = numberOf(monitor.assignment)
        const outcome = truthAt(number, now)
        looks.push({ monitor: number, region, at: now })
        const result: CheckResult = {
          ...(attempt === 0 ? {} : { attempt }),
          checkId: CheckId.make(`chk_${number}_${region}_${slot}_${now}`),
          monitorId,
          workspaceId,
          revision: 1,
          region,
          slot,
          at: clock(now),
          outcome,
          statusCode: null,
          latencyMs: 1,
          error: null,
          cause: null,
          timings: null,
          evidence: null,
          trusted: has("distrust", now) === undefined
        }
        if (schedule !== null) underWay.push({ doneAt: now + lookMs, monitor, schedule, result })
      }
    }

    return (now: number) => {
      if (isDead(now)) {
        workers = null
        underWay.length = buffer.length = 0
      } else if (has("stopped", now) === undefined) {
        workers ??= [{ schedule: null, owns: false }, { schedule: null, owns: false }]
        share(now, workers)
        for (const worker of workers) if (worker.owns) run(now, worker)
        for (const done of underWay.filter(({ doneAt }) => doneAt <= now)) {
          done.monitor.busy = false
          done.monitor.run.stage = "idle"
          if (done.result.trusted) done.schedule.ended(done.monitor, done.result.outcome === "down", clock(now))
          buffer.push(done.result)
          underWay.splice(underWay.indexOf(done), 1)
        }
        const isCut = busIsAway(now) || has("cut", now) !== undefined
        if (isCut) reachableFrom = now + 1000 + choices.below(4000)
        const isReachable = now >= reachableFrom
        if (Math.floor(now / 1000) % 10 === beatAt) {
          // A third beat missing in a row is a fault of its own, and no chance.
          const isUnheard = choices.chance(0.02) && missing < 2
          missing++
          if (isReachable && has("beatless", now) === undefined && !isUnheard) {
            missing = 0
            const healthy = has("distrust", now) === undefined
            beats.push(makeBeat({ region, workerId: `${region}-1`, at: clock(now), healthy, monitors: assignments.length }))
          }
        }
        if (isReachable) {
          const delay = (has("slow", now)?.amount ?? 0) * 1000
          for (const result of buffer.splice(0)) {
            lastArrival = Math.max(lastArrival, now + delay)
            transit.push({ result, loggedAt: lastArrival })
            if (choices.chance(0.03)) transit.push({ result, loggedAt: lastArrival + choices.below(20_000) })
          }
        }
      }
      const arrived = busIsAway(now) ? [] : transit.filter(({ loggedAt }) => loggedAt <= now)
      if (arrived.length > 0) transit = transit.filter(({ loggedAt }) => loggedAt > now)
      for (const { result } of arrived) append({ result, loggedAt: now })
    }
  }

  const probes = regions.map((region, index) => makeProbes(index, region))
  return {
    /** Runs the probes for this second. */
    tick: (now: number) => {
      for (const probe of probes) probe(now)
    },
    busIsAway,
    databaseIsAway: (now: number) => script.databaseOutages.some((outage) => during(outage, now)),
    /** The results of a monitor in the order of its partition. */
    log: (monitor: number): ReadonlyArray<Logged> => parts[monitor]?.log ?? [],
    bySlot: (monitor: number, slot: number): ReadonlyArray<Logged> => parts[monitor]?.bySlot.get(slot) ?? [],
    slots: (monitor: number): ReadonlyArray<number> => [...(parts[monitor]?.bySlot.keys() ?? [])],
    beats,
    looks
  }
}
export type World = ReturnType<typeof makeWorld>
