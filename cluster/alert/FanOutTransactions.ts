/** The transactions of the fan-out, and the retries of failed ones. */
import { Cause, Clock, Duration, Effect, Option } from "effect"
import type { EventId, WorkspaceId } from "../../schema/Ids.ts"
import { AfterFailure, afterFailure } from "../../src/domain/alert/FanOutBatch.ts"
import { counted } from "../../src/domain/tools/text/Counted.ts"
import { reasonOf } from "../../src/loops/Outage.ts"
import { ReportRequests } from "../../src/store/ai/ReportRequests.ts"
import type { ApartTurn } from "../../src/store/alert/FanOutApart.ts"
import { FanOutRows } from "../../src/store/alert/FanOutRows.ts"
import { OutagesInMaintenance } from "../../src/store/incident/OutagesInMaintenance.ts"
import { refusedByDatabase } from "../../src/store/postgres/PostgresErrors.ts"
import { Broadcasts } from "../../src/store/subscriber/Broadcasts.ts"
import { makeFanOut, type OwnTransaction, type SharedTransaction } from "./FanOut.ts"

/** An event that could not be fanned out and is kept back. */
export interface EventSetAside {
  readonly workspaceId: WorkspaceId
  readonly eventId: EventId
  readonly reason: string
}

/** As long as other events have become deliveries in this process, a failure is that of its event. */
const provesOthers = Duration.toMillis("10 minutes")

export class FanOutTransactions extends Effect.Service<FanOutTransactions>()("belltower/FanOutTransactions", {
  effect: Effect.gen(function*() {
    const broadcasts = yield* Broadcasts
    const { apart } = yield* FanOutRows
    const fanOut = yield* makeFanOut

    const notify = (begun: number) => (begun === 0 ? Effect.void : broadcasts.notify)

    /** When events last became deliveries, ms since 1970. */
    let workedAt = -Infinity
    const worked = (count: number) =>
      count === 0 ? Effect.void : Effect.map(Clock.currentTimeMillis, (now) => {
        workedAt = now
      })

    /** Turns up to `limit` new events into deliveries, oldest first; if that fails, those of each workspace go apart. */
    const step = Effect.fn("FanOut.step")(function*(limit: number) {
      const seen: SharedTransaction = { workspaceIds: [] }
      const separate = (cause: Cause.Cause<never>) => {
        const count = seen.workspaceIds.length
        if (Cause.isInterrupted(cause) || count === 0) return Effect.failCause(cause)
        const text = `Turning events of ${counted(count, "workspace")} into deliveries failed; trying each workspace by itself`
        return Effect.orDie(apart.add(seen.workspaceIds, limit)).pipe(
          Effect.zipRight(Effect.logWarning(`${text}: ${reasonOf(Cause.squash(cause))}`)),
          Effect.as({ events: 0, more: true, begun: 0 })
        )
      }
      const { begun, events, more } = yield* Effect.catchAllCause(fanOut.together(limit, seen), separate)
      yield* worked(events)
      yield* notify(begun)
      return { events, more }
    })

    /** After a failed transaction of one workspace: fewer events, a retry, or the event set aside. */
    const recover = Effect.fn("FanOut.recover")(
      function*(one: ApartTurn, { attempted, eventId }: OwnTransaction, cause: Cause.Cause<never>) {
        const { failures, workspaceId } = one
        const reason = reasonOf(Cause.squash(cause))
        yield* Effect.logDebug(`Turning ${counted(attempted, "event")} of workspace ${workspaceId} into deliveries failed`, cause)
        const othersWork = (yield* Clock.currentTimeMillis) - workedAt <= provesOthers
        return yield* AfterFailure.$match(afterFailure(attempted, failures, refusedByDatabase(cause) || !othersWork), {
          Fewer: ({ most }) => Effect.as(apart.later({ workspaceId, most, failures: 0 }), null),
          Later: (next) => Effect.as(apart.later({ workspaceId, most: 1, failures: next.failures }, next.pause), null),
          SetAside: () =>
            Effect.map(
              apart.setAside(workspaceId, eventId, reason),
              Option.match({
                onNone: () => null,
                onSome: (id): EventSetAside => ({ workspaceId, eventId: id, reason })
              })
            )
        })
      },
      Effect.orDie
    )

    /** A transaction of one workspace whose events go apart, with up to `limit` of them, fewer after failures. */
    const stepApart = Effect.fn("FanOut.stepApart")(function*(limit: number) {
      const seen: OwnTransaction = { one: null, attempted: 0, eventId: null }
      return yield* fanOut.apart(limit, seen).pipe(
        Effect.tap(() => worked(seen.eventId === null ? 0 : seen.attempted)),
        Effect.flatMap(notify),
        Effect.map(() => ({ found: seen.one !== null, setAside: null })),
        Effect.catchAllCause((cause) =>
          Cause.isInterrupted(cause) || seen.one === null
            ? Effect.failCause(cause)
            : Effect.map(recover(seen.one, seen, cause), (setAside) => ({ found: true, setAside }))
        )
      )
    })

    return {
      step,
      stepApart,
      /** How long until events that go apart are tried next; none if there are none. */
      untilApart: Effect.orDie(apart.untilNext)
    }
  }),
  dependencies: [Broadcasts.Default, OutagesInMaintenance.Default, ReportRequests.Default]
}) {}
