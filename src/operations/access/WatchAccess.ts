/** Waits until a caller loses access during a long response, such as a live stream. */
import { DateTime, Effect, Option, Stream } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { AccessEnded } from "../../store/access/AccessEnded.ts"
import { Keys } from "../../store/access/Keys.ts"

export class WatchAccess extends Effect.Service<WatchAccess>()("belltower/WatchAccess", {
  effect: Effect.gen(function*() {
    const ended = yield* AccessEnded
    const keys = yield* Keys

    /** When a key expires; null for a session, which outlasts every stream. */
    const expiryOf = Effect.fn("WatchAccess.expiryOf")(function*({ principal, workspaceId }: Caller) {
      if (principal._tag === "User") return null
      const key = yield* keys.get(workspaceId, principal.keyId)
      return Option.isSome(key) ? key.value.expiresAt : null
    })

    /** Completes when `authenticate`, which runs when access may have changed, fails or returns another workspace. */
    const untilRefused = Effect.fn("WatchAccess.untilRefused")(
      function*<E, R>(caller: Caller, authenticate: Effect.Effect<Caller, E, R>) {
        const { principal, workspaceId } = caller
        const expiresAt = yield* expiryOf(caller)
        const now = yield* DateTime.now
        const expiry = expiresAt === null
          ? Stream.never
          : Stream.fromEffect(Effect.sleep(Math.max(0, DateTime.distance(now, expiresAt))))
        const ids = principal._tag === "Key" ? [principal.keyId] : [principal.sessionId, principal.userId]
        const refused = authenticate.pipe(
          Effect.map((again) => again.workspaceId !== workspaceId),
          Effect.catchAll(() => Effect.succeed(true)),
          // A database outage must not end streams: after it, every listener is woken and checks again.
          Effect.catchAllDefect(() => Effect.succeed(false))
        )
        yield* Stream.merge(ended.heardOf(ids), expiry).pipe(
          Stream.mapEffect(() => refused),
          Stream.takeUntil((over) => over),
          Stream.runDrain
        )
      }
    )

    return { untilRefused }
  })
}) {}
