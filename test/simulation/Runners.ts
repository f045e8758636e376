/** Simulated runners, composed of the pure parts: actors with their memory, the consumer, the writer, the clock of rounds. */
import type { Beat, CheckResult } from "../../schema/check/Bus.ts"
import type { Machine } from "../../schema/monitor/Machine.ts"
import { observationOf } from "../../src/domain/check/CheckView.ts"
import { makeRegionWatch, type RegionWatch } from "../../src/domain/check/RegionWatch.ts"
import {
  closeDue,
  initialMachine,
  nextDeadline,
  observe,
  type Step,
  takeOver,
  type Transition
} from "../../src/domain/monitor/MonitorMachine.ts"
import { type Choices, during, type Script, start, tickMs, type World } from "./World.ts"

interface Row {
  readonly version: number
  readonly machine: Machine
}

/** A committed transition. */
export interface CommittedTransition extends Transition {
  readonly at: number
  readonly committedAt: number
  readonly slot: number
}

/** After this time another runner takes over from a silent one. */
const leaseMs = 10_000
/** A runner that wakes up believes for this long that it still owns its shard and partition. */
const believesMs = 2000
/** Limit of fetched results while the database has not accepted the previous ones. */
const openResults = 20

interface Life {
  readonly watch: RegionWatch
  memory: Row | null
  spare: Row | null
  deadline: number | null
  changes: number
  heardBeats: number
  hand: ReadonlyArray<CheckResult>
  cursor: number
  /** Waits for the bulk write, with the log offset that it completes. */
  pending: Row | null
  pendingOffset: number
  pendingCount: number
  putDown: ((now: number) => void) | null
}

export const makeRunners = (script: Script, world: World, choices: Choices) => {
  const { rules } = script
  let row: Row = { version: 1, machine: initialMachine(start, 1) }
  let committed = 0
  const transitions: Array<CommittedTransition> = []
  const owner = { shard: 0, partition: 0 }

  const makeRunner = (index: number) => {
    const faults = script.runnerFaults.filter((fault) => fault.runner === index)
    const has = (kind: "crash" | "stop" | "clock", now: number) =>
      faults.find((fault) => fault.kind === kind && during(fault, now))
    const clock = (now: number) => now + (has("clock", now)?.amount ?? 0) * 1000
    let life: Life | null = null
    let seenAt = start
    let wokeAt = start

    const isAwake = (now: number) => has("crash", now) === undefined && has("stop", now) === undefined
    const owns = (what: keyof typeof owner, now: number) => owner[what] === index || now - wokeAt < believesMs

    const born = (now: number): Life => ({
      watch: makeRegionWatch(clock(now)),
      memory: null,
      spare: null,
      deadline: null,
      changes: 0,
      heardBeats: world.beats.length,
      hand: [],
      cursor: committed,
      pending: null,
      pendingOffset: committed,
      pendingCount: 0,
      putDown: null
    })

    const arm = (self: Life, machine: Machine, now: number) => {
      self.deadline = nextDeadline(machine, self.watch, clock(now))
    }

    /** False while the database is away. */
    const recall = (self: Life, now: number): Row | null => {
      if (self.memory !== null) return self.memory
      if (world.databaseIsAway(now)) return null
      const before = self.spare
      self.spare = null
      const ahead = before !== null && before.version === row.version && before.machine.sequence >= row.machine.sequence
      self.memory = ahead ? before : { ...row, machine: takeOver(row.machine, clock(now)) }
      arm(self, self.memory.machine, now)
      return self.memory
    }

    /** False if the request must be retried. */
    const advance = (self: Life, now: number, decide: (machine: Machine) => Step): boolean => {
      const actor = recall(self, now)
      if (actor === null) return false
      const step = decide(actor.machine)
      if (step.transitions.length === 0 && step.gaps.length === 0) {
        self.memory = { ...actor, machine: step.machine }
        self.pending = self.memory
        arm(self, step.machine, now)
        return true
      }
      if (world.databaseIsAway(now)) {
        self.memory = null
        self.spare = actor
        return false
      }
      if (row.version !== actor.version) {
        self.memory = null
        return advance(self, now, decide)
      }
      row = self.memory = { version: actor.version + 1, machine: step.machine }
      for (const transition of step.transitions) {
        transitions.push({ ...transition, committedAt: now, slot: transition.check?.slot ?? -1 })
      }
      arm(self, step.machine, now)
      return true
    }

    const ask = (now: number, decide: (machine: Machine, watch: RegionWatch, at: number) => Step): boolean =>
      life !== null && isAwake(now) && owns("shard", now) &&
      advance(life, now, (machine) => decide(machine, life?.watch ?? makeRegionWatch(now), clock(now)))

    const consume = (self: Life, now: number) => {
      for (const result of self.hand) {
        self.putDown ??= self.watch.beginBatch(clock(now))
        const asked = owns("shard", now) ? ask : askOwner
        const observation = observationOf(result, result.trusted)
        if (
          self.pendingCount >= openResults || !asked(now, (machine, watch, at) => observe(machine, rules, watch, observation, at))
        ) return
        self.hand = self.hand.slice(1)
        self.pendingOffset++
        self.pendingCount++
      }
      if (owner.partition !== index || world.busIsAway(now)) return
      // Fetched results are processed a moment later: a runner frozen in between still holds them when it wakes.
      self.hand = world.log.slice(self.cursor, self.cursor + 1 + choices.below(8)).map(({ result }) => result)
      self.cursor += self.hand.length
      for (const { at, region } of self.hand) self.watch.recordResult(region, at, clock(now))
    }

    const flush = (self: Life, now: number) => {
      if (world.databaseIsAway(now) || choices.chance(0.3)) return
      const snapshot = self.pending
      if (snapshot !== null && snapshot.version === row.version && row.machine.sequence <= snapshot.machine.sequence) {
        row = snapshot
      }
      self.pending = null
      self.pendingCount = 0
      if (self.hand.length === 0) {
        self.putDown?.(clock(now))
        self.putDown = null
      }
      if (owner.partition === index) committed = Math.max(committed, self.pendingOffset)
    }

    const hearBeats = (self: Life, now: number) => {
      if (world.busIsAway(now)) return
      const waiting: ReadonlyArray<Beat> = world.beats.slice(self.heardBeats)
      self.heardBeats = world.beats.length
      for (const beat of waiting) self.watch.recordBeat(beat, clock(now))
    }

    const closeRounds = (self: Life, now: number) => {
      const changed = self.watch.changes() !== self.changes
      self.changes = self.watch.changes()
      if (self.deadline === null || (!changed && self.deadline > clock(now))) return
      if (!ask(now, (machine, watch, at) => closeDue(machine, rules, watch, at))) self.deadline = clock(now) + tickMs
    }

    const refresh = (self: Life, now: number) => self.watch.refresh(clock(now))

    return {
      ask,
      isAwake,
      silentSince: () => seenAt,
      /** Takes over the partition and reads from the committed offset. */
      takePartition: () => {
        if (life === null) return
        life.cursor = life.pendingOffset = committed
        life.hand = []
        life.pendingCount = 0
        life.putDown?.(seenAt)
        life.putDown = null
      },
      takeShard: () => {
        if (life === null) return
        life.memory = life.spare = life.pending = null
        life.deadline = null
      },
      tick: (now: number) => {
        if (has("crash", now) !== undefined) life = null
        if (!isAwake(now)) return
        if (now - seenAt > 2 * tickMs) wokeAt = now
        seenAt = now
        if (life === null) {
          life = born(now)
          wokeAt = 0
        }
        // The order of these is unspecified.
        const jobs = [consume, flush, hearBeats, closeRounds, refresh]
        for (let first = choices.below(jobs.length), done = 0; done < jobs.length; done++) {
          jobs[(first + done) % jobs.length]?.(life, now)
        }
      }
    }
  }

  const runners = Array.from({ length: script.runners }, (_, index) => makeRunner(index))
  const askOwner: ReturnType<typeof makeRunner>["ask"] = (now, decide) => runners[owner.shard]?.ask(now, decide) ?? false

  /** A runner that is silent for too long loses its shard first, and its partition after the group has rebalanced. */
  const moveOwnership = (now: number) => {
    for (const [what, patience] of [["shard", leaseMs], ["partition", leaseMs + choices.below(12_000)]] as const) {
      if (now - (runners[owner[what]]?.silentSince() ?? 0) < patience) continue
      const heir = runners.findIndex((runner) => runner.isAwake(now) && now - runner.silentSince() < 3 * tickMs)
      if (heir < 0 || heir === owner[what]) continue
      owner[what] = heir
      if (what === "shard") runners[heir]?.takeShard()
      else runners[heir]?.takePartition()
    }
  }

  return {
    tick: (now: number) => {
      moveOwnership(now)
      for (const runner of runners) runner.tick(now)
    },
    transitions,
    machine: () => row.machine
  }
}
