/** The regions that can be sent to: those whose topics exist. The first server that needs a region creates its topics. */
import { Effect, Schedule } from "effect"
import type { RegionId } from "../../schema/check/Region.ts"
import { makeOutage, reasonOf } from "../loops/Outage.ts"
import { type BusUnavailable, busUnavailable } from "./Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { ensureTopics, openRegions } from "./KafkaTopics.ts"
import { regionPlans } from "./TopicPlans.ts"

/** New topics become visible broker by broker. */
const visibleWithin = Schedule.intersect(Schedule.spaced("250 millis"), Schedule.recurs(12))

export const makeKafkaRegions = Effect.fn("KafkaRegions.make")(function*(client: KafkaClient) {
  const turn = yield* Effect.makeSemaphore(1)
  const outages = new Map<RegionId, ReturnType<typeof makeOutage>>()
  let known: ReadonlyMap<RegionId, number> = new Map()

  const look = client.ready.pipe(
    Effect.zipRight(openRegions(client)),
    Effect.tap((found) => Effect.sync(() => void (known = found)))
  )

  const outageOf = (region: RegionId) => {
    const outage = outages.get(region) ?? makeOutage(`Opening the region ${region}`)
    outages.set(region, outage)
    return outage
  }

  const seen = (region: RegionId) =>
    Effect.filterOrFail(look, (found) => found.has(region), () => busUnavailable("Its new topics are not visible yet"))

  const create = (region: RegionId) =>
    ensureTopics(client, regionPlans(client.settings, region)).pipe(
      Effect.zipRight(Effect.retry(seen(region), visibleWithin)),
      Effect.zipRight(outageOf(region).worked),
      Effect.as(true),
      Effect.catchAll(({ cause }) => Effect.as(outageOf(region).failed(reasonOf(cause)), false))
    )

  /** Callers take turns, so that a process looks once for all regions that it has not seen. */
  const search = (region: RegionId) =>
    turn.withPermits(1)(Effect.gen(function*() {
      if (known.has(region) || (yield* look).has(region)) return true
      return yield* create(region)
    }))

  return {
    /** False if topics are missing and this process cannot create them, which is logged. */
    open: (region: RegionId): Effect.Effect<boolean, BusUnavailable> =>
      Effect.suspend(() => known.has(region) ? Effect.succeed(true) : search(region)),
    /** Looks at the topics: the partitions of each open region's assignments. */
    look,
    /** The same as of the last look. */
    known: () => known
  }
})
export type KafkaRegions = Effect.Effect.Success<ReturnType<typeof makeKafkaRegions>>
