/** The messages about a monitor that moves between regions. */
import { expect, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { makePublishAssignments } from "../../../cluster/monitor/PublishAssignments.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { Bus, type Publication } from "../../../src/bus/Bus.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { Regions } from "../../../src/store/check/Regions.ts"
import { groundOn, newWorkspace } from "../../support/program/TestRunner.ts"

const [eu, us] = [RegionId.make("eu"), RegionId.make("us")]

/** The published messages, in order; `meanwhile` runs before the first is on its way. */
const recorded = { publications: Array<Publication>(), meanwhile: Effect.void as Effect.Effect<unknown> }

const bus = Layer.effect(
  Bus,
  Effect.map(Bus, (real) => ({
    ...real,
    assign: (publications: ReadonlyArray<Publication>) =>
      Effect.suspend(() => {
        const meanwhile = recorded.publications.length === 0 ? recorded.meanwhile : Effect.void
        recorded.publications.push(...publications)
        return Effect.zipRight(meanwhile, real.assign(publications))
      })
  }))
).pipe(Layer.provide(LocalBus.layer))

it.scopedLive("a monitor that moves while it is published again is taken out of the region that it has left", () =>
  Effect.gen(function*() {
    const { id: workspaceId } = yield* newWorkspace
    const known = yield* Regions
    yield* Effect.forEach([eu, us], (id) => known.heard(id, DateTime.unsafeMake(0)))
    const manage = yield* ManageMonitors
    const { id: monitorId } = yield* manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", regions: [eu] })
    recorded.meanwhile = Effect.orDie(manage.update(workspaceId, monitorId, { regions: [us] }))
    const publish = yield* makePublishAssignments
    yield* publish([{ monitorId, workspaceId, formerRegions: [] }])
    expect(recorded.publications.map(({ assignment, left }) => ({ regions: assignment?.regions, left }))).toEqual([
      { regions: [eu], left: [] },
      { regions: [us], left: [eu] }
    ])
  }).pipe(Effect.provide(groundOn(bus).pipe((ground) => ManageMonitors.Default.pipe(Layer.provideMerge(ground))))))
