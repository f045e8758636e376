/**
 * Commits changes of monitors' states in groups, which share a transaction, so that a storm needs few. A group that fails is tried again
 * in smaller ones, so that no change fails for another's sake.
 */
import { SqlClient } from "@effect/sql"
import { Cause, type Context, Deferred, Effect, Exit } from "effect"
import type { CheckSummary } from "../../schema/check/Check.ts"
import type { MonitorId } from "../../schema/Ids.ts"
import type { HeartbeatTarget } from "../../schema/monitor/kinds/heartbeat.ts"
import { type CommitGroup, type Committer, makeCommitGroups } from "../../src/domain/monitor/CommitGroups.ts"
import type { Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { urgentContext } from "../../src/loops/WorkPriority.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { spanned, Tracing } from "../../src/telemetry/Tracing.ts"
import { forgetAfterFailure, type MonitorMemory } from "./MonitorMemory.ts"
import { makeWriteChanges, type MonitorChange } from "./WriteChanges.ts"

/** Transactions at a time, of each kind of committer. Each holds a connection, and goes before requests. */
const committers = 2

/** How long a group waits for the locks of others, ms. A single change waits for as long as any statement may. */
const patience = { shared: 100, workspace: 5_000, single: null } as const satisfies Record<
  CommitGroup<never>["kind"],
  number | null
>

interface WaitingChange extends MonitorChange {
  /** The monitor after the change; null when another writer came first. */
  readonly done: Deferred.Deferred<MonitorWithMachine | null>
  abandoned: boolean
}
type Group = CommitGroup<WaitingChange>

/** Resolves the waiting callers with the results of their changes; returns the changes to retry. */
const settle = (
  { kind }: Group,
  members: ReadonlyArray<WaitingChange>,
  exit: Exit.Exit<ReadonlyMap<MonitorId, MonitorWithMachine>, unknown>
) => {
  const failed: Array<WaitingChange> = []
  const locked: Array<WaitingChange> = []
  for (const one of members) {
    if (Exit.isFailure(exit)) {
      if (kind === "single") Deferred.unsafeDone(one.done, Exit.die(Cause.squash(exit.cause)))
      else failed.push(one)
      continue
    }
    const monitor = exit.value.get(one.monitorId)
    if (monitor === undefined && kind !== "single") locked.push(one)
    else Deferred.unsafeDone(one.done, Exit.succeed(monitor ?? null))
  }
  return { failed, locked }
}

/** Runs the committers, and returns what has a change committed: null when another writer came first. */
const makeCommitTogether = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const write = yield* makeWriteChanges
  const groups = makeCommitGroups<WaitingChange>()
  const waiting = new Set<WaitingChange>()
  const news = { prompt: yield* Effect.makeLatch(false), patient: yield* Effect.makeLatch(false) }
  const wake = (): void => {
    news.prompt.unsafeOpen()
    news.patient.unsafeOpen()
  }

  const next = (committer: Committer): Effect.Effect<Group> =>
    Effect.suspend(() => {
      const group = groups.take(committer)
      if (group !== null) return Effect.succeed(group)
      news[committer].unsafeClose()
      return Effect.zipRight(news[committer].await, next(committer))
    })

  const commitGroup = (group: Group) => {
    const members = group.members.filter(({ abandoned }) => !abandoned)
    const commit = members.length === 0
      ? Effect.succeed(new Map<MonitorId, MonitorWithMachine>())
      : sql.withTransaction(write(members, patience[group.kind]))
    return Effect.map(Effect.exit(commit), (exit) => {
      const { failed, locked } = settle(group, members, exit)
      groups.end(group, failed, locked)
      wake()
    })
  }

  // Interrupts the callers that still wait when the runner ends; runs after the committers have ended.
  yield* Effect.addFinalizer(() => Effect.forEach(waiting, ({ done }) => Deferred.interrupt(done), { discard: true }))
  const committing = (committer: Committer) =>
    restartForever("Committing changes of state", Effect.forever(Effect.flatMap(next(committer), commitGroup))).pipe(
      Effect.mapInputContext((_: Context.Context<never>) => urgentContext),
      Effect.forkScoped,
      Effect.replicateEffect(committers)
    )
  yield* committing("prompt")
  yield* committing("patient")

  return (change: MonitorChange): Effect.Effect<MonitorWithMachine | null> =>
    Effect.flatMap(Deferred.make<MonitorWithMachine | null>(), (done) => {
      const one: WaitingChange = { ...change, done, abandoned: false }
      waiting.add(one)
      groups.add(one)
      wake()
      return Deferred.await(done).pipe(
        Effect.onInterrupt(() => Effect.sync(() => void (one.abandoned = true))),
        Effect.ensuring(Effect.sync(() => waiting.delete(one)))
      )
    })
})

export const makeCommitStep = Effect.gen(function*() {
  const tracing = yield* Tracing
  const commitTogether = yield* makeCommitTogether

  const commitChange = (
    memory: MonitorMemory,
    monitor: MonitorWithMachine,
    change: MonitorChange["change"]
  ): Effect.Effect<boolean> => {
    const { monitorId, workspaceId } = memory
    const attributes = { "belltower.monitor.id": monitorId, "belltower.workspace.id": workspaceId }
    // The transaction is shared, so each of its changes has a span of its own, from its wait to its commit.
    return spanned(
      tracing,
      "commit change of state",
      { kind: "internal", attributes },
      (traceparent) => commitTogether({ workspaceId, monitorId, monitor, change, traceparent })
    ).pipe(
      Effect.map((after) => {
        if (after === null) return false
        memory.monitor = after
        return true
      }),
      Effect.onError(() => Effect.sync(() => forgetAfterFailure(memory, monitor)))
    )
  }

  return {
    /** False when another writer came first: nothing was written. */
    commit: (memory: MonitorMemory, monitor: MonitorWithMachine, step: Step, lastCheck: CheckSummary | null) =>
      commitChange(memory, monitor, { step, lastCheck }),
    /** Judges a heartbeat whose alarm is due. False when another writer came first: nothing was written. */
    commitHeartbeat: (memory: MonitorMemory, monitor: MonitorWithMachine, target: HeartbeatTarget) =>
      commitChange(memory, monitor, target)
  }
})
export type CommitStep = Effect.Effect.Success<typeof makeCommitStep>["commit"]
export type CommitHeartbeat = Effect.Effect.Success<typeof makeCommitStep>["commitHeartbeat"]
