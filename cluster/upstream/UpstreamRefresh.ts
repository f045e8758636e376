/** Reads third parties' statuses once per deployment and interval. */
import { Effect, Layer } from "effect"
import { UpstreamSettings } from "../../src/external/upstream/UpstreamSettings.ts"
import { TrackUpstreams } from "../../src/services/upstream/TrackUpstreams.ts"
import { singletonEvery } from "../SingletonEvery.ts"

export const UpstreamRefresh = Layer.unwrapEffect(
  Effect.map(
    UpstreamSettings,
    ({ interval }) => singletonEvery("UpstreamRefresh", interval, Effect.map(TrackUpstreams, ({ all }) => all))
  )
)
