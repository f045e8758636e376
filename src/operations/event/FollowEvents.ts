/** Follows a workspace's events, and optionally its finished checks, as they happen. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import type { EventType } from "../../../schema/event/Event.ts"
import { makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import { makeFairSlots, neverFull } from "../../loops/FairSlots.ts"
import { EventCursors } from "../../store/event/EventCursors.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { makeFollower } from "./Follower.ts"
import { LiveHub } from "./LiveHub.ts"
import { StreamSlots } from "./StreamSlots.ts"

/** A key may follow the live stream if it may call this operation, which returns the same events. */
const requiredOperation = "list_events"

/** Streams of a process that read old events at the same time, one of each workspace: they leave connections to everyone else. */
const catchingUp = { slots: 2, mostPerOwner: 1 }

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

export class FollowEvents extends Effect.Service<FollowEvents>()("belltower/FollowEvents", {
  effect: Effect.gen(function*() {
    const log = yield* EventLog
    const cursors = yield* EventCursors
    const hub = yield* LiveHub
    const slots = yield* StreamSlots
    const catchUps = makeFairSlots(makeFairQueue<() => void>(catchingUp), neverFull)

    /** Lives until its scope closes. Fails with `validation_failed` for an unknown `after`, and with `rate_limited`. */
    const follow = Effect.fn("FollowEvents.follow")(
      function*(caller: Caller, address: string, { after, checks, types }: FollowOptions) {
        const { workspaceId } = caller
        const cursor = yield* Effect.transposeMapOption(after, ({ field, id }) => cursors.at(workspaceId, id, field))
        yield* slots.take(caller, address)
        const head = yield* cursors.head(workspaceId)
        const { feed, listener } = yield* hub.listen(workspaceId, head, Option.getOrElse(cursor, () => head), checks)
        return makeFollower(log, catchUps, feed, listener, types)
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
