/** The regions that can be sent to: those whose topics exist. The first server that needs a region creates its topics. */
import { Effect } from "effect"
import type { RegionId } from "../../../schema/check/Region.ts"
import { makeOutages, reasonOf } from "../../loops/Outage.ts"
import { type BusUnavailable, busUnavailable } from "../Bus.ts"
import type { KafkaClient } from "./KafkaClient.ts"
import { ensureTopics, needsOperator, openRegions } from "./KafkaTopics.ts"
import { regionPlans } from "./TopicPlans.ts"

export const makeKafkaRegions = Effect.fn("KafkaRegions.make")(function*(client: KafkaClient) {
  const turn = yield* Effect.makeSemaphore(1)
  const outageOf = makeOutages<RegionId>((region) => `Opening the region ${region}`)
  let known: ReadonlyMap<RegionId, number> = new Map()

  /** Whether the topics of a region exist. */
  const find = (region: RegionId): Effect.Effect<boolean, BusUnavailable> =>
    Effect.suspend(() =>
      known.has(region) ? Effect.succeed(true) : Effect.map(openRegions(client, [region]), (found) => {
        known = new Map([...known, ...found])
        return found.has(region)
      })
    )

  const create = (region: RegionId) =>
    ensureTopics(client, regionPlans(client.settings, region)).pipe(
      Effect.zipRight(find(region)),
      Effect.filterOrFail((isThere) => isThere, () => busUnavailable("Its new topics are not visible yet")),
      Effect.tap(outageOf(region).worked),
      Effect.catchIf(
        ({ cause }) => needsOperator(cause),
        ({ cause }) => Effect.as(outageOf(region).failed(reasonOf(cause)), false)
      )
    )

  /** Callers take turns: topics are created once. */
  const search = (region: RegionId, wanted: boolean) =>
    client.ready.pipe(
      Effect.andThen(find(region)),
      Effect.flatMap((isThere) => isThere || !wanted ? Effect.succeed(isThere) : create(region)),
      turn.withPermits(1)
    )

  return {
    /** False if topics are missing and this process may not create them, which is logged. */
    open: (region: RegionId) => Effect.suspend(() => known.has(region) ? Effect.succeed(true) : search(region, true)),
    /** False if topics are missing; nothing is created. */
    isOpen: (region: RegionId) => Effect.suspend(() => known.has(region) ? Effect.succeed(true) : search(region, false)),
    /** Looks at the topics of all regions that were opened: the partitions of their assignments. */
    look: Effect.suspend(() => openRegions(client, [...known.keys()])).pipe(
      Effect.tap((now) => Effect.sync(() => void (known = now))),
      turn.withPermits(1)
    ),
    /** The same as of the last look. */
    known: () => known
  }
})
export type KafkaRegions = Effect.Effect.Success<ReturnType<typeof makeKafkaRegions>>
