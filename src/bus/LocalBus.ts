/** The bus inside one process: nothing is serialised, nothing survives the process. */
import { Effect, Layer, PubSub, Stream } from "effect"
import type { Beat } from "../../schema/check/Bus.ts"
import { Bus } from "./Bus.ts"
import { makeLocalAssignments } from "./LocalAssignments.ts"
import { makeLocalRequests } from "./LocalRequests.ts"
import { makeLocalResults } from "./LocalResults.ts"

/** Beats that wait for a subscriber; beyond this the oldest are dropped. */
const waitingBeats = 1_000

const make = Effect.gen(function*() {
  const beats = yield* PubSub.sliding<Beat>(waitingBeats)
  return Bus.of({
    ...makeLocalAssignments(),
    ...makeLocalResults(),
    ...makeLocalRequests(),
    beat: Effect.fn("LocalBus.beat")((beat: Beat) => Effect.asVoid(PubSub.publish(beats, beat))),
    beats: Stream.fromPubSub(beats),
    tellTime: () => Effect.void,
    times: null,
    ping: Effect.void
  })
})

/** Keeps everything in memory. */
export const LocalBus: { readonly layer: Layer.Layer<Bus> } = { layer: Layer.effect(Bus, make) }
