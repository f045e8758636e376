/**
 * Turns each new event into deliveries exactly once: one transaction changes the rows of both. A transaction takes small events of
 * several workspaces. What is large, or failed together with others, goes alone, so that it delays no other workspace.
 */
import { SqlClient } from "@effect/sql"
import { Cause, Clock, Duration, Effect, Option } from "effect"
import type { EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { AfterFailure, afterFailure } from "../../domain/alert/FanOutBatch.ts"
import { reasonOf } from "../../loops/Outage.ts"
import { ReportRequests } from "../ai/ReportRequests.ts"
import { refusedByDatabase } from "../postgres/DatabaseRefusal.ts"
import { Signals } from "../postgres/Signals.ts"
import { Broadcasts } from "../subscriber/Broadcasts.ts"
import { AlertedChannels } from "./AlertedChannels.ts"
import { type Alone, makeFanOutAlone } from "./FanOutAlone.ts"
import { makeFanOutChannels } from "./FanOutChannels.ts"
import { type Attempt, makeFanOutTurns, type Together } from "./FanOutTurns.ts"
import { makeFanOutWrites, type PlanEvents, type PlannedMessage } from "./FanOutWrites.ts"

/** An event that could not be fanned out and is kept back. */
export interface EventSetAside {
  readonly workspaceId: WorkspaceId
  readonly eventId: EventId
  readonly reason: string
}

/** As long as other events have become deliveries in this process, a failure is that of its event. */
const provesOthers = Duration.toMillis("10 minutes")

/** What the turn of a workspace that goes alone came to. */
interface TurnAlone {
  /** Whether there was one. */
  readonly found: boolean
  readonly setAside: EventSetAside | null
}

export class FanOut extends Effect.Service<FanOut>()("belltower/FanOut", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const broadcasts = yield* Broadcasts
    const alone = makeFanOutAlone(sql, yield* Signals)
    const channels = makeFanOutChannels(sql, yield* AlertedChannels)
    const writes = yield* makeFanOutWrites
    const turns = makeFanOutTurns(sql, { alone, channels, writes })

    const notify = (begun: number) => (begun === 0 ? Effect.void : broadcasts.notify)

    /** When events last became deliveries, ms since 1970. */
    let workedAt = -Infinity
    const worked = (count: number) =>
      count === 0 ? Effect.void : Effect.map(Clock.currentTimeMillis, (now) => {
        workedAt = now
      })

    /**
     * Takes up to `limit` new events of workspaces in turns, those of a workspace oldest first, writes the deliveries that `plan`
     * returns for them, and returns their number and whether there may be more. If that fails, each of these workspaces goes
     * alone. Any number of runners may call it concurrently.
     */
    const step = Effect.fn("FanOut.step")(function*(limit: number, plan: PlanEvents) {
      const seen: Together = { workspaceIds: [] }
      const separate = (cause: Cause.Cause<never>) => {
        const count = seen.workspaceIds.length
        if (Cause.isInterrupted(cause) || count === 0) return Effect.failCause(cause)
        const text = `Turning events of ${count} workspaces into deliveries failed; each goes alone`
        return Effect.orDie(alone.add(seen.workspaceIds, limit)).pipe(
          Effect.zipRight(Effect.logWarning(`${text}: ${reasonOf(Cause.squash(cause))}`)),
          Effect.as({ events: 0, more: true, begun: 0 })
        )
      }
      const { begun, events, more } = yield* Effect.catchAllCause(turns.together(limit, plan, seen), separate)
      yield* worked(events)
      yield* notify(begun)
      return { events, more }
    })

    /** What follows a failed turn of a workspace that goes alone. */
    const recover = Effect.fn("FanOut.recover")(
      function*(one: Alone, { attempted, eventId }: Attempt, cause: Cause.Cause<never>) {
        const { failures, workspaceId } = one
        const reason = reasonOf(Cause.squash(cause))
        yield* Effect.logDebug(`Turning ${attempted} events of workspace ${workspaceId} into deliveries failed`, cause)
        const othersWork = (yield* Clock.currentTimeMillis) - workedAt <= provesOthers
        return yield* AfterFailure.$match(afterFailure(attempted, failures, refusedByDatabase(cause) || !othersWork), {
          Fewer: ({ most }) => Effect.as(alone.later({ workspaceId, most, failures: 0 }), null),
          Later: (next) => Effect.as(alone.later({ workspaceId, most: 1, failures: next.failures }, next.pause), null),
          SetAside: () =>
            Effect.map(
              alone.setAside(workspaceId, eventId, reason),
              Option.match({
                onNone: () => null,
                onSome: (id): EventSetAside => ({ workspaceId, eventId: id, reason })
              })
            )
        })
      },
      Effect.orDie
    )

    /** The turn of a workspace that goes alone: up to `limit` of its events, fewer after failures. */
    const stepAlone = Effect.fn("FanOut.stepAlone")(function*(limit: number, plan: PlanEvents) {
      const seen: Attempt = { one: null, attempted: 0, eventId: null }
      return yield* turns.alone(limit, plan, seen).pipe(
        Effect.tap(() => worked(seen.eventId === null ? 0 : seen.attempted)),
        Effect.flatMap(notify),
        Effect.map((): TurnAlone => ({ found: seen.one !== null, setAside: null })),
        Effect.catchAllCause((cause) =>
          Cause.isInterrupted(cause) || seen.one === null
            ? Effect.failCause(cause)
            : Effect.map(recover(seen.one, seen, cause), (setAside): TurnAlone => ({ found: true, setAside }))
        )
      )
    })

    return {
      step,
      stepAlone,
      /** How long until a workspace that goes alone has its next turn; none if none does. */
      untilAlone: Effect.orDie(alone.untilNext),
      /** Writes deliveries in the caller's transaction; they are due after `wait`. */
      deliver: (messages: ReadonlyArray<PlannedMessage>, wait: Duration.DurationInput = Duration.zero) =>
        Effect.orDie(writes.deliver(messages, wait)),
      /**
       * A channel as `step` passes it to `plan`; none if it was disabled or deleted. Locks it in the caller's transaction.
       */
      channel: channels.find
    }
  }),
  dependencies: [Broadcasts.Default, ReportRequests.Default]
}) {}
