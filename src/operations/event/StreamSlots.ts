/** Admits streams up to the caps of a key, a workspace and an address; MCP's listening streams count too. */
import { Context, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { principalId } from "../../domain/access/PrincipalId.ts"
import { defaultStreamCaps, type StreamCaps, streamRefusal } from "../../domain/event/StreamCaps.ts"
import { repeatForever } from "../../loops/RestartForever.ts"
import { OpenStreams } from "../../store/event/OpenStreams.ts"

export class StreamSettings extends Context.Reference<StreamSettings>()("belltower/StreamSettings", {
  defaultValue: (): StreamCaps => defaultStreamCaps
}) {}

/** A third of the lease, so that two renewals may fail. */
const renewEvery = "5 seconds"

export class StreamSlots extends Effect.Service<StreamSlots>()("belltower/StreamSlots", {
  scoped: Effect.gen(function*() {
    const streams = yield* OpenStreams
    const caps = yield* StreamSettings
    /** Streams that ended and whose rows are not deleted yet. */
    const ended = new Set<string>()

    /** One statement for all that ended meanwhile. A failure leaves them for the next call. */
    const forget = Effect.suspend(() => {
      const ids = [...ended]
      if (ids.length === 0) return Effect.void
      return Effect.map(streams.close(ids), () => ids.forEach((id) => ended.delete(id)))
    }).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("Ended streams could not be removed; retrying in 5 s", cause)),
      (yield* Effect.makeSemaphore(1)).withPermits(1)
    )

    yield* Effect.orDie(streams.renew)
    yield* Effect.addFinalizer(() => Effect.ignore(streams.leave))
    const renewal = Effect.zipRight(streams.renew, forget)
    yield* Effect.forkScoped(repeatForever("Renewing the lease of this process's streams", renewEvery, renewal))

    return {
      /** Takes a slot until the scope closes, or fails with `rate_limited`. `caller` is null for a stream without a key. */
      take: Effect.fn("StreamSlots.take")(function*(caller: Caller | null, address: string) {
        const holder = {
          address,
          workspaceId: caller === null ? null : caller.workspaceId,
          principal: caller === null ? null : principalId(caller.principal)
        }
        yield* Effect.acquireRelease(
          Effect.zipRight(forget, streams.open(holder, (open) => streamRefusal(caps, open))),
          (id) => Effect.zipRight(Effect.sync(() => ended.add(id)), forget)
        )
      })
    }
  }),
  dependencies: [OpenStreams.Default]
}) {}
