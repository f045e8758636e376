/** The bus inside one process: nothing is serialised, nothing survives the process. */
import { Clock, Effect, Layer, PubSub, Stream } from "effect"
import type { Assignment, Beat, CheckResult } from "../../schema/check/Bus.ts"
import type { RegionId } from "../../schema/check/Region.ts"
import { Bus, NoProbe } from "./Bus.ts"
import { makeLocalAssignments } from "./LocalAssignments.ts"
import { makeLocalResults } from "./LocalResults.ts"

/** Beats that wait for a subscriber; beyond this the oldest are dropped. */
const waitingBeats = 1_000

/** The worker of a region that registered first answers checks on demand. */
const makeLocalRequests = () => {
  const checkers = new Map<RegionId, Array<(assignment: Assignment) => Effect.Effect<CheckResult>>>()

  const ask: Bus["Type"]["ask"] = Effect.fn("LocalBus.ask")(function*(request) {
    const check = checkers.get(request.region)?.[0]
    const now = yield* Clock.currentTimeMillis
    const noProbe = () => new NoProbe({ region: request.region })
    if (check === undefined) return yield* noProbe()
    return yield* check(request.assignment).pipe(
      Effect.timeoutFail({ duration: Math.max(0, request.expiresAt - now), onTimeout: noProbe })
    )
  })

  const answer: Bus["Type"]["answer"] = Effect.fn("LocalBus.answer")(function*(region, check) {
    yield* Effect.acquireRelease(
      Effect.sync(() => checkers.set(region, [...(checkers.get(region) ?? []), check])),
      () => Effect.sync(() => checkers.set(region, (checkers.get(region) ?? []).filter((other) => other !== check)))
    )
  })

  return { ask, answer }
}

const make = Effect.gen(function*() {
  const beats = yield* PubSub.sliding<Beat>(waitingBeats)
  return Bus.of({
    ...makeLocalAssignments(),
    ...makeLocalResults(),
    ...makeLocalRequests(),
    beat: Effect.fn("LocalBus.beat")((beat: Beat) => Effect.asVoid(PubSub.publish(beats, beat))),
    beats: Stream.fromPubSub(beats),
    publishTime: () => Effect.void,
    publishKeys: null,
    times: null,
    ping: Effect.void
  })
})

export const LocalBus: { readonly layer: Layer.Layer<Bus> } = { layer: Layer.effect(Bus, make) }
