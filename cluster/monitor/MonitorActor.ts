/** The monitor's actor: the single writer and warm cache of a monitor's state. */
import { Entity } from "@effect/cluster"
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Option } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { Machine, Observation, Snapshot } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/CheckView.ts"
import { apply, closeDue, nextDeadline, observe, revise, type Step, takeOver } from "../../src/domain/monitor/MonitorMachine.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { Monitors, type MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { MonitorStates } from "../../src/store/monitor/MonitorStates.ts"
import { RegionHealth } from "../check/RegionHealth.ts"
import { registerEntity } from "../MinimalContext.ts"
import { makeHeartbeatTurn } from "./HeartbeatTurn.ts"
import { LocalActors, type TryObserve } from "./LocalActors.ts"
import { MonitorAnnouncer } from "./MonitorAnnouncer.ts"
import { entityKey, MonitorEntity, type Observed } from "./MonitorProtocol.ts"
import { RoundClock } from "./RoundClock.ts"

/** The cluster removes an actor that had no message for `maxIdleTime`; an active one insists on a message before that, ms. */
const needsMessageAfter = 300_000

const ignored: Observed = { counted: false, moved: false, snapshot: null }

/** A check of a probe that distrusts itself ends the wait for its region but is not counted. */
const withTrust = (observed: Observed, check: Observation): Observed => check.trusted ? observed : { ...observed, counted: false }

const isQuiet = (step: Step): boolean => step.transitions.length === 0 && step.gaps.length === 0

const newer = (before: CheckSummary | null, check: CheckSummary): CheckSummary =>
  before !== null && before.at.epochMillis > check.at.epochMillis ? before : check

/** Looks up the services once for all actors. */
const makeActors = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const monitors = yield* Monitors
  const states = yield* MonitorStates
  const events = yield* EventLog
  const announcer = yield* MonitorAnnouncer
  const regions = yield* RegionHealth
  const rounds = yield* RoundClock
  const localActors = yield* LocalActors
  const alarms = yield* Alarms
  const takeTurn = yield* makeHeartbeatTurn

  const actor = Effect.gen(function*() {
    const { entityId } = yield* Entity.CurrentAddress
    const { id: monitorId, workspaceId } = entityKey(entityId)
    let memory: MonitorWithMachine | null = null
    /** The memory before a failure: it may hold checks that the row lacks, or the row may be newer. */
    let spare: MonitorWithMachine | null = null
    let messages = 0
    let lastMessageAt = 0

    /** While the actor works on a message, local calls must not touch its memory. */
    const alone = <A>(work: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        messages++
        lastMessageAt = now
        return Effect.ensuring(work, Effect.sync(() => messages--))
      })

    const lost = Effect.dieMessage(`Monitor ${monitorId} keeps losing its row to another writer`)

    const snapshotOf = (actor: MonitorWithMachine): Snapshot => ({
      workspaceId,
      monitorId,
      version: actor.version,
      machine: actor.machine,
      lastCheck: actor.lastCheck
    })

    const arm = (machine: Machine, now: number) => rounds.arm(entityId, nextDeadline(machine, regions.attention, now))

    /** Keeps a step that changed no state in memory. */
    const remember = (actor: MonitorWithMachine, step: Step, lastCheck: CheckSummary | null, now: number): Observed => {
      memory = { ...actor, machine: step.machine, lastCheck }
      arm(step.machine, now)
      // A check that does not count leaves the machine unchanged.
      return { counted: step.machine !== actor.machine, moved: false, snapshot: snapshotOf(memory) }
    }

    /** Only the row can tell whether a commit that failed took effect. */
    const mistrust = (actor: MonitorWithMachine) =>
      Effect.sync(() => {
        memory = null
        spare = actor
      })

    /** Commits a change of state with its spans, incident and events; false when another writer came first. */
    const commit = Effect.fn("Monitor.commit")(
      function*(actor: MonitorWithMachine, step: Step, lastCheck: CheckSummary | null) {
        if (!(yield* states.hold(workspaceId, monitorId, actor.version))) return false
        const { drafts, incidentId } = yield* announcer.tell(actor, actor.incidentId, actor.machine.since, step.transitions)
        const snapshot = { ...snapshotOf(actor), machine: step.machine, lastCheck }
        yield* states.commit(snapshot, step.transitions, step.gaps, incidentId)
        if (drafts.length > 0) yield* events.append(workspaceId, drafts)
        memory = { ...actor, version: actor.version + 1, machine: step.machine, lastCheck, incidentId }
        return true
      },
      (effect, actor) => Effect.onError(sql.withTransaction(effect), () => mistrust(actor)),
      Effect.orDie
    )

    /** Loads the row and applies edits; after a lost race it loads again. */
    const load = (attempt = 0): Effect.Effect<MonitorWithMachine | null> =>
      Effect.gen(function*() {
        const before = spare = memory ?? spare
        memory = null
        const row = yield* monitors.load(workspaceId, monitorId)
        spare = null
        if (Option.isNone(row)) return null
        const now = yield* Clock.currentTimeMillis
        // Checks since the last bulk write exist only in memory.
        const ahead = before !== null && before.version === row.value.version &&
          before.machine.sequence >= row.value.machine.sequence
        const actor = ahead
          ? { ...row.value, machine: before.machine, lastCheck: before.lastCheck }
          : { ...row.value, machine: takeOver(row.value.machine, now) }
        const step = revise(actor.machine, actor.revision, actor.paused, now)
        // An actor that already held these rounds has armed the clock.
        if (!ahead) arm(step.machine, now)
        if (step.transitions.length === 0) {
          memory = { ...actor, machine: step.machine }
          return memory
        }
        if (yield* commit(actor, step, actor.lastCheck)) return memory
        return attempt < 3 ? yield* load(attempt + 1) : yield* lost
      })

    /** The actor's memory; null when the monitor is gone. Stale memory loses the race at the next commit. */
    const recall = Effect.suspend(() => memory === null ? load() : Effect.succeed(memory))

    /** Runs a step on the memory; after a lost race it starts again from the row. */
    const advance = (
      decide: (actor: MonitorWithMachine, now: number) => Step,
      lastCheckOf: (actor: MonitorWithMachine) => CheckSummary | null,
      attempt = 0
    ): Effect.Effect<Observed> =>
      Effect.flatMap(recall, (actor) => {
        if (actor === null) return Effect.succeed(ignored)
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const step = decide(actor, now)
          const lastCheck = lastCheckOf(actor)
          if (isQuiet(step)) return Effect.succeed(remember(actor, step, lastCheck, now))
          return Effect.flatMap(commit(actor, step, lastCheck), (won): Effect.Effect<Observed> => {
            if (won) {
              arm(step.machine, now)
              return Effect.succeed({ counted: true, moved: true, snapshot: null })
            }
            memory = null
            return attempt < 3 ? advance(decide, lastCheckOf, attempt + 1) : lost
          })
        })
      })

    const observeCheck = (check: Observation): Effect.Effect<Observed> =>
      Effect.flatMap(recall, (actor) => {
        if (actor === null) return Effect.succeed(ignored)
        const known = check.revision > actor.machine.revision ? load() : Effect.succeed(actor)
        return Effect.flatMap(known, (current) => {
          if (current === null) return Effect.succeed(ignored)
          const summary = checkSummary(check)
          return advance(
            (now, at) => observe(now.machine, now, regions.attention, check, at),
            (now) => newer(now.lastCheck, summary)
          ).pipe(Effect.map((observed) => withTrust(observed, check)))
        })
      })

    /** Writes the result of a heartbeat's turn in its transaction. */
    const conclude = (actor: MonitorWithMachine) => (step: Step, lastCheck: CheckSummary | null): Effect.Effect<boolean> => {
      if (!isQuiet(step)) return commit(actor, step, lastCheck)
      memory = { ...actor, machine: step.machine, lastCheck }
      const unchanged = step.machine === actor.machine
      return Effect.as(unchanged ? Effect.void : Effect.orDie(states.saveAll([snapshotOf(memory)])), true)
    }

    /** Handles a due alarm. An actor that waits for nothing removes it. */
    const wake = (attempt = 0): Effect.Effect<void> =>
      Effect.flatMap(load(), (actor) => {
        if (actor === null || actor.target.kind !== "heartbeat") return alarms.arm("monitor", workspaceId, monitorId, null)
        return takeTurn(actor, actor.target, conclude(actor)).pipe(
          // The memory may hold a turn that was rolled back.
          Effect.onError(() =>
            Effect.sync(() => {
              memory = null
            })
          ),
          Effect.flatMap((won) => {
            if (won) return Effect.void
            memory = null
            return attempt < 3 ? wake(attempt + 1) : lost
          })
        )
      })

    const tryObserve: TryObserve = (check, now) => {
      if (memory === null || messages > 0 || now - lastMessageAt > needsMessageAfter) return null
      if (check.revision > memory.machine.revision) return null
      const step = observe(memory.machine, memory, regions.attention, check, now)
      return isQuiet(step) ? withTrust(remember(memory, step, newer(memory.lastCheck, checkSummary(check)), now), check) : null
    }
    localActors.register(entityId, tryObserve)
    yield* Effect.addFinalizer(() => Effect.sync(() => localActors.unregister(entityId, tryObserve)))

    return MonitorEntity.of({
      Observe: ({ payload }) => alone(observeCheck(payload)),
      CloseDue: () =>
        alone(advance((actor, now) => closeDue(actor.machine, actor, regions.attention, now), (actor) => actor.lastCheck)),
      Apply: ({ payload }) =>
        alone(
          advance(
            (actor) => apply(actor.machine, actor, payload.checks, payload.missing),
            (actor) => payload.checks.map(checkSummary).reduce<CheckSummary | null>(newer, actor.lastCheck)
          ).pipe(
            Effect.flatMap(({ snapshot }) => snapshot === null ? Effect.void : Effect.orDie(states.saveAll([snapshot]))),
            Effect.map(() => memory?.machine.state ?? null)
          )
        ),
      Wake: () => alone(wake()),
      Reload: () => alone(Effect.asVoid(load()))
    })
  })
  return { actor }
})

export const MonitorActor = Layer.unwrapEffect(
  Effect.map(
    makeActors,
    ({ actor }) =>
      registerEntity(MonitorEntity.toLayer(actor, { maxIdleTime: "10 minutes", mailboxCapacity: 256, disableFatalDefects: true }))
  )
)
