/** Commits changes of state in groups. A group that fails is tried again in smaller ones, so that no change fails for another's sake. */
import { Cause, type Context, Deferred, Effect, Exit } from "effect"
import type { MonitorId, WorkspaceId } from "../../schema/Ids.ts"
import { type CommitGroup, type Committer, makeCommitGroups } from "../../src/domain/monitor/CommitGroups.ts"
import { restartForever } from "../../src/loops/RestartForever.ts"
import { urgentContext } from "../../src/loops/WorkPriority.ts"

/** Transactions at a time, of each kind of committer. Each holds a connection, and goes before requests. */
const committers = 2

/** How long a group waits for the locks of others, ms. A single change waits for as long as any statement may. */
const patience = { shared: 100, workspace: 5_000, single: null } as const satisfies Record<
  CommitGroup<never>["kind"],
  number | null
>

interface Change {
  readonly workspaceId: WorkspaceId
  readonly monitorId: MonitorId
}

interface Pending<C, A> extends Change {
  readonly change: C
  /** Null when another writer came first. */
  readonly done: Deferred.Deferred<{ readonly value: A } | null>
  abandoned: boolean
}

/** Resolves the waiting callers with the results of their changes; returns the changes to retry. */
const settle = <C extends Change, A>(
  { kind }: CommitGroup<Pending<C, A>>,
  members: ReadonlyArray<Pending<C, A>>,
  exit: Exit.Exit<ReadonlyMap<MonitorId, A>, unknown>
) => {
  const failed: Array<Pending<C, A>> = []
  const locked: Array<Pending<C, A>> = []
  for (const one of members) {
    if (Exit.isFailure(exit)) {
      if (kind === "single") Deferred.unsafeDone(one.done, Exit.die(Cause.squash(exit.cause)))
      else failed.push(one)
      continue
    }
    const value = exit.value.get(one.monitorId)
    if (value !== undefined) Deferred.unsafeDone(one.done, Exit.succeed({ value }))
    else if (kind === "single") Deferred.unsafeDone(one.done, Exit.succeed(null))
    else locked.push(one)
  }
  return { failed, locked }
}

/** `commitAll` commits changes in one transaction, and returns the results of those whose row was neither lost nor locked. */
export const makeCommitQueue = Effect.fnUntraced(function*<C extends Change, A>(
  commitAll: (changes: ReadonlyArray<C>, patienceMs: number | null) => Effect.Effect<ReadonlyMap<MonitorId, A>, unknown>
) {
  const groups = makeCommitGroups<Pending<C, A>>()
  const waiting = new Set<Pending<C, A>>()
  const news = { prompt: yield* Effect.makeLatch(false), patient: yield* Effect.makeLatch(false) }
  const wake = (): void => {
    news.prompt.unsafeOpen()
    news.patient.unsafeOpen()
  }

  const next = (committer: Committer): Effect.Effect<CommitGroup<Pending<C, A>>> =>
    Effect.suspend(() => {
      const group = groups.take(committer)
      if (group !== null) return Effect.succeed(group)
      news[committer].unsafeClose()
      return Effect.zipRight(news[committer].await, next(committer))
    })

  const commitGroup = (group: CommitGroup<Pending<C, A>>) => {
    const members = group.members.filter(({ abandoned }) => !abandoned)
    const commit = members.length === 0
      ? Effect.succeed(new Map<MonitorId, A>())
      : commitAll(members.map(({ change }) => change), patience[group.kind])
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

  /** Completes when the change is committed; null when another writer came first. */
  return (change: C): Effect.Effect<{ readonly value: A } | null> =>
    Effect.flatMap(Deferred.make<{ readonly value: A } | null>(), (done) => {
      const { monitorId, workspaceId } = change
      const one: Pending<C, A> = { workspaceId, monitorId, change, done, abandoned: false }
      waiting.add(one)
      groups.add(one)
      wake()
      return Deferred.await(one.done).pipe(
        Effect.onInterrupt(() => Effect.sync(() => void (one.abandoned = true))),
        Effect.ensuring(Effect.sync(() => waiting.delete(one)))
      )
    })
})
