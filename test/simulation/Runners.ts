/**
 * Simulated runners, composed of the pure parts: actors with their memory, the reader of a shard's partition, the writer, the
 * clock of rounds, and the watchdog.
 */
import type { Beat, CheckResult } from "../../schema/check/Bus.ts"
import type { Machine } from "../../schema/monitor/Machine.ts"
import { observationOf } from "../../src/domain/check/history/CheckView.ts"
import { makeRegionWatch, type RegionWatch } from "../../src/domain/check/round/RegionWatch.ts"
import { makeRunnerPatience } from "../../src/domain/health/RunnerPatience.ts"
import type { Transition } from "../../src/domain/monitor/JudgeRound.ts"
import { closeDue, initialMachine, nextDeadline, observe, type Step, takeOver } from "../../src/domain/monitor/MonitorMachine.ts"
import { type Choices, during, type RunnerFault, type Script, start, tickMs, type World } from "./World.ts"

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
/** A runner that wakes up believes for this long that it still holds its shards. */
const believesMs = 2000
/** Limit of fetched results while the database has not accepted the previous ones. */
const openResults = 20
/** The watchdog gives up after this many attempts, of 6 s each. */
const hungAttempts = 4
const attemptMs = 6000

/** The rows of a shard with its one monitor, and what was committed. */
interface Shard {
  row: Row
  owner: number
  /** The reader of the partition that claimed it last, and where it continues. */
  reader: symbol
  offset: number
  readonly transitions: Array<CommittedTransition>
  /** When the first runner held it last. */
  heldByFirst: number
  /** How long each result that was taken in had waited in the partition. */
  readonly waits: Array<{ readonly at: number; readonly waited: number; readonly heldByFirst: number }>
}

/** A shard as one life of a runner holds it: the actor's memory, and its reading of the partition. */
interface Held {
  readonly shard: number
  readonly reader: symbol
  memory: Row | null
  spare: Row | null
  deadline: number | null
  hand: ReadonlyArray<CheckResult>
  cursor: number
  /** Waits for the bulk write, with the offset that it completes. */
  pending: Row | null
  pendingOffset: number
  pendingCount: number
  putDown: ((now: number) => void) | null
}

interface Life {
  readonly watch: RegionWatch
  readonly held: Map<number, Held>
  /** Shards that left while their last write was under way. */
  leaving: Array<Held>
  changes: number
  heardBeats: number
  mustGiveUp: ReturnType<typeof makeRunnerPatience>
  attemptedAt: number
}

export const makeRunners = (script: Script, world: World, choices: Choices) => {
  const { rules } = script
  const shards = script.truth.map((_, number): Shard => ({
    row: { version: 1, machine: initialMachine(start, 1) },
    owner: number % script.runners,
    reader: Symbol("nobody"),
    offset: 0,
    transitions: [],
    heldByFirst: 0,
    waits: []
  }))

  const makeRunner = (index: number) => {
    const faults = script.runnerFaults.filter((fault) => fault.runner === index)
    const has = (kind: RunnerFault["kind"], now: number) => faults.find((fault) => fault.kind === kind && during(fault, now))
    const clock = (now: number) => now + (has("clock", now)?.amount ?? 0) * 1000
    let life: Life | null = null
    let seenAt = start
    let wokeAt = start
    let gaveUp: RunnerFault | null = null

    const isAwake = (now: number) => has("crash", now) === undefined && has("stop", now) === undefined && gaveUp === null
    /** A frozen runner wakes up unaware that its shards were taken over. */
    const owns = (shard: Shard, held: Held | undefined, now: number) =>
      shard.owner === index || (held !== undefined && now - wokeAt < believesMs)

    const born = (now: number): Life => ({
      watch: makeRegionWatch(clock(now)),
      held: new Map(),
      leaving: [],
      changes: 0,
      heardBeats: world.beats.length,
      mustGiveUp: makeRunnerPatience({ hung: hungAttempts, idle: hungAttempts }),
      attemptedAt: now
    })

    const arm = (self: Life, held: Held, machine: Machine, now: number) => {
      held.deadline = nextDeadline(machine, self.watch, clock(now))
    }

    /** Null while the database is away. */
    const recall = (self: Life, held: Held, shard: Shard, now: number): Row | null => {
      if (held.memory !== null) return held.memory
      if (world.databaseIsAway(now)) return null
      const before = held.spare
      held.spare = null
      const { row } = shard
      const ahead = before !== null && before.version === row.version && before.machine.sequence >= row.machine.sequence
      held.memory = ahead ? before : { ...row, machine: takeOver(row.machine, clock(now)) }
      arm(self, held, held.memory.machine, now)
      return held.memory
    }

    /** False if the request must be retried. */
    const advance = (self: Life, held: Held, shard: Shard, now: number, decide: (machine: Machine) => Step): boolean => {
      const actor = recall(self, held, shard, now)
      if (actor === null) return false
      const step = decide(actor.machine)
      if (step.transitions.length === 0 && step.gaps.length === 0) {
        held.memory = { ...actor, machine: step.machine }
        held.pending = held.memory
        arm(self, held, step.machine, now)
        return true
      }
      if (world.databaseIsAway(now)) {
        held.memory = null
        held.spare = actor
        return false
      }
      if (shard.row.version !== actor.version) {
        held.memory = null
        return advance(self, held, shard, now, decide)
      }
      shard.row = held.memory = { version: actor.version + 1, machine: step.machine }
      for (const transition of step.transitions) {
        shard.transitions.push({ ...transition, committedAt: now, slot: transition.check?.slot ?? -1 })
      }
      arm(self, held, step.machine, now)
      return true
    }

    const consume = (self: Life, held: Held, shard: Shard, now: number) => {
      for (const result of held.hand) {
        held.putDown ??= self.watch.beginBatch(clock(now))
        if (held.pendingCount >= openResults) return
        const observation = observationOf(result, result.trusted)
        if (!advance(self, held, shard, now, (machine) => observe(machine, rules, self.watch, observation, clock(now)))) return
        const logged = world.log(held.shard)[held.pendingOffset]
        shard.waits.push({ at: now, waited: now - (logged?.loggedAt ?? now), heldByFirst: shard.heldByFirst })
        held.hand = held.hand.slice(1)
        held.pendingOffset++
        held.pendingCount++
      }
      if (world.busIsAway(now)) return
      // Fetched results are processed a moment later: a runner frozen in between still holds them when it wakes.
      held.hand = world.log(held.shard).slice(held.cursor, held.cursor + 1 + choices.below(8)).map(({ result }) => result)
      held.cursor += held.hand.length
      for (const { at, region } of held.hand) self.watch.recordResult(region, at, clock(now))
    }

    /** Its batches end; what they left is for the next reader. */
    const letGo = (self: Life, held: Held, now: number) => {
      held.putDown?.(clock(now))
      held.putDown = null
      if (self.held.get(held.shard) === held) self.held.delete(held.shard)
    }

    const flush = (self: Life, held: Held, shard: Shard, now: number) => {
      if (world.databaseIsAway(now) || choices.chance(0.3)) return
      const snapshot = held.pending
      if (
        snapshot !== null && snapshot.version === shard.row.version &&
        shard.row.machine.sequence <= snapshot.machine.sequence
      ) shard.row = snapshot
      held.pending = null
      held.pendingCount = 0
      if (held.hand.length === 0) {
        held.putDown?.(clock(now))
        held.putDown = null
      }
      self.leaving = self.leaving.filter((one) => one !== held)
      if (shard.reader === held.reader) shard.offset = Math.max(shard.offset, held.pendingOffset)
      else letGo(self, held, now)
    }

    const closeRounds = (self: Life, held: Held, shard: Shard, now: number, changed: boolean) => {
      if (held.deadline === null || (!changed && held.deadline > clock(now))) return
      if (!advance(self, held, shard, now, (machine) => closeDue(machine, rules, self.watch, clock(now)))) {
        held.deadline = clock(now) + tickMs
      }
    }

    const hearBeats = (self: Life, now: number) => {
      if (world.busIsAway(now)) return
      const waiting: ReadonlyArray<Beat> = world.beats.slice(self.heardBeats)
      self.heardBeats = world.beats.length
      for (const beat of waiting) self.watch.recordBeat(beat, clock(now))
    }

    /** Claims the partitions of shards that came, and lets go of those that left. */
    const followShards = (self: Life, now: number) => {
      for (const [number, shard] of shards.entries()) {
        const held = self.held.get(number)
        if (held !== undefined && !owns(shard, held, now)) {
          letGo(self, held, now)
          if (held.pending !== null) self.leaving.push(held)
        }
        if (held !== undefined || !owns(shard, held, now) || world.databaseIsAway(now) || choices.chance(0.3)) continue
        const reader = Symbol("reader")
        shard.reader = reader
        self.held.set(number, {
          shard: number,
          reader,
          memory: null,
          spare: null,
          deadline: null,
          hand: [],
          cursor: shard.offset,
          pending: null,
          pendingOffset: shard.offset,
          pendingCount: 0,
          putDown: null
        })
      }
    }

    const work = (self: Life, now: number) => {
      const changed = self.watch.changes() !== self.changes
      self.changes = self.watch.changes()
      for (const [number, shard] of shards.entries()) {
        const held = self.held.get(number)
        if (held === undefined) continue
        // The order of these is unspecified.
        const jobs = [
          () => consume(self, held, shard, now),
          () => flush(self, held, shard, now),
          () => closeRounds(self, held, shard, now, changed)
        ]
        for (let first = choices.below(jobs.length), done = 0; done < jobs.length; done++) {
          if (self.held.get(number) === held) jobs[(first + done) % jobs.length]?.()
        }
      }
      for (const late of self.leaving) {
        const shard = shards[late.shard]
        if (shard !== undefined) flush(self, late, shard, now)
      }
    }

    /** The watchdog: true when the runner gives its shards up. */
    const givesUp = (self: Life, hung: boolean, now: number): boolean => {
      if (now - self.attemptedAt < attemptMs) return false
      self.attemptedAt = now
      return self.mustGiveUp(!hung ? "answered" : world.databaseIsAway(now) ? "database away" : "hung") !== null
    }

    const live = (self: Life, now: number) => {
      const hang = has("hang", now)
      hearBeats(self, now)
      self.watch.refresh(clock(now))
      if (hang === undefined) {
        followShards(self, now)
        work(self, now)
      }
      if (!givesUp(self, hang !== undefined, now)) return
      gaveUp = hang ?? null
      life = null
    }

    return {
      isAwake,
      silentSince: () => seenAt,
      tick: (now: number) => {
        // What supervises the process starts it again; by then the cause is gone.
        if (gaveUp !== null && !during(gaveUp, now)) gaveUp = null
        if (has("crash", now) !== undefined) life = null
        if (!isAwake(now)) return
        if (now - seenAt > 2 * tickMs) wokeAt = now
        seenAt = now
        if (life === null) {
          life = born(now)
          wokeAt = 0
        }
        live(life, now)
      }
    }
  }

  const runners = Array.from({ length: script.runners }, (_, index) => makeRunner(index))

  /** Moves the shards of silent runners, and now and then one for the sake of balance. */
  const moveShards = (now: number) => {
    const heirs = runners.flatMap((runner, index) =>
      runner.isAwake(now) && now - runner.silentSince() < 3 * tickMs ? [index] : []
    )
    for (const shard of shards) {
      const isSilent = now - (runners[shard.owner]?.silentSince() ?? 0) >= leaseMs
      if (isSilent || choices.chance(0.002)) shard.owner = heirs[choices.below(heirs.length)] ?? shard.owner
      if (shard.owner === 0) shard.heldByFirst = now
    }
  }

  return {
    tick: (now: number) => {
      moveShards(now)
      for (const runner of runners) runner.tick(now)
    },
    shards: shards as ReadonlyArray<Pick<Shard, "transitions" | "waits" | "row">>
  }
}
