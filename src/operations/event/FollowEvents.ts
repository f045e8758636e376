/** Follows a workspace's events, and optionally its finished checks, as they happen. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { LiveCheck } from "../../../schema/check/LiveCheck.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import type { Event, EventType } from "../../../schema/event/Event.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { EventCursors } from "../../store/event/EventCursors.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import type { Listener } from "./Listener.ts"
import { LiveHub } from "./LiveHub.ts"

/** Events per read. The next page is read only after the client took the last one, so a slow reader costs no memory. */
const pageSize = 200

/** A key may follow the live stream if it may call this operation, which returns the same events. */
const requiredOperation = "list_events"

const notPermitted = new Forbidden({
  message: "This key cannot read the live stream",
  hint: `Use a key whose operations include ${requiredOperation}`
})

export interface FollowOptions {
  /** Null for all. */
  readonly types: ReadonlyArray<EventType> | null
  /** The event to continue after, and the field that named it; none to start with the next event. */
  readonly after: Option.Option<{ readonly id: string; readonly field: string }>
  readonly checks: boolean
}

/** What happened since the last call; both lists are empty if nothing did. */
export interface News {
  readonly events: ReadonlyArray<Event>
  readonly checks: ReadonlyArray<LiveCheck>
}

export interface Follower {
  /** The next news, waiting up to `wait` ms; may return early and empty. None when the process is shutting down. */
  readonly next: (wait: number) => Effect.Effect<Option.Option<News>>
}

const nothing: ReadonlyArray<never> = []

/** A follower over a listener. It closes the latch before it reads, so a wake-up during the read is not lost. */
export const makeFollower = (log: EventLog, listener: Listener, types: ReadonlyArray<EventType> | null): Follower => {
  /** A database outage must not end the stream: the hub's next poll wakes the listener again. */
  const readPage = Effect.suspend(() => log.after(listener.workspaceId, listener.cursor, types, pageSize)).pipe(
    Effect.catchAllDefect((defect) =>
      Effect.as(Effect.logWarning("Live stream: reading events failed; retrying after the next wake-up", defect), nothing)
    )
  )

  const takeEvents: Effect.Effect<ReadonlyArray<Event>> = Effect.suspend(() => {
    if (!listener.dirty) return Effect.succeed(nothing)
    listener.dirty = false
    return Effect.map(readPage, (events) => {
      listener.cursor = events.at(-1)?.id ?? listener.cursor
      listener.dirty ||= events.length === pageSize
      return events
    })
  })

  const next = (wait: number) =>
    Effect.gen(function*() {
      if (listener.ended) return Option.none<News>()
      yield* listener.latch.close
      const news: News = { events: yield* takeEvents, checks: listener.checks.splice(0) }
      const quiet = news.events.length === 0 && news.checks.length === 0
      if (quiet && !listener.dirty && !listener.ended) yield* Effect.timeoutOption(listener.latch.await, wait)
      return Option.some(news)
    })

  return { next }
}

export class FollowEvents extends Effect.Service<FollowEvents>()("belltower/FollowEvents", {
  effect: Effect.gen(function*() {
    const log = yield* EventLog
    const cursors = yield* EventCursors
    const hub = yield* LiveHub

    /**
     * Creates a follower that lives until its scope closes. Fails with `validation_failed` if `after` is not an event of
     * the workspace.
     */
    const follow = Effect.fn("FollowEvents.follow")(
      function*(workspaceId: WorkspaceId, { after, checks, types }: FollowOptions) {
        const cursor = yield* Option.match(after, {
          onNone: () => cursors.head(workspaceId),
          onSome: ({ field, id }) => cursors.at(workspaceId, id, field)
        })
        return makeFollower(log, yield* hub.listen(workspaceId, cursor, checks), types)
      }
    )

    return {
      /** Fails with `forbidden` for a key whose list of operations does not include reading events. */
      permit: ({ operations }: Caller): Effect.Effect<void, Forbidden> =>
        operations === null || operations.has(requiredOperation) ? Effect.void : notPermitted,
      follow,
      /** Ends every follower, including those that start later. */
      close: hub.close
    }
  }),
  dependencies: [LiveHub.Default, EventCursors.Default]
}) {}
