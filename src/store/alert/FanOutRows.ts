/** The rows of the fan-out: events to take, channels that receive them, and their deliveries. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { Signals } from "../postgres/Signals.ts"
import { makeFanOutAlone } from "./FanOutAlone.ts"
import { makeFanOutChannels } from "./FanOutChannels.ts"
import { makeFanOutClaim } from "./FanOutClaim.ts"
import { makeFanOutWrites } from "./FanOutWrites.ts"

export class FanOutRows extends Effect.Service<FanOutRows>()("belltower/FanOutRows", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const alone = makeFanOutAlone(sql, yield* Signals)
    return { claim: makeFanOutClaim(sql), alone, channels: makeFanOutChannels(sql), ...(yield* makeFanOutWrites) }
  })
}) {}
