/** Which regions a check on demand asks, and what the answers of the others count. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { RegionId } from "../../../schema/check/Region.ts"
import { MonitorId } from "../../../schema/Ids.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { OnDemandChecks } from "../../../src/operations/check/OnDemandChecks.ts"
import { assignment as assignmentFor } from "../../bus/Fixtures.ts"
import { Ground, resultOf } from "../../support/program/TestRunner.ts"

const regions = ["main", "lone"].map((region) => RegionId.make(region))

const program = OnDemandChecks.Default.pipe(Layer.provideMerge(Ground))

layer(program, { excludeTestServices: true })("a check on demand", (it) => {
  it.scoped("leaves out a region that alone sees most of its targets fail, and trusts no result of it", () =>
    Effect.gen(function*() {
      const bus = yield* Bus
      const sql = yield* SqlClient.SqlClient
      const checks = yield* OnDemandChecks
      const at = yield* Clock.currentTimeMillis
      for (const region of regions) {
        yield* bus.answer(
          region,
          ({ monitorId: id, revision, workspaceId }) =>
            Effect.succeed(resultOf({ id, revision, workspaceId }, -1, { region, at }))
        )
        yield* sql`insert into regions (id, first_seen_at, last_beat_at) values (${region}, now(), now())`
      }
      const asked = (alone: string) =>
        Effect.gen(function*() {
          yield* sql`update regions set alone_at = case when id ~ ${alone} then now() + interval '1 hour' end`
          const found = yield* checks.ask(assignmentFor(MonitorId.make("mon_1"), regions), true)
          return [found.asked, found.results.map(({ region, trusted }) => [region, trusted])]
        })
      expect(yield* asked("none")).toEqual([2, [["main", true], ["lone", true]]])
      expect(yield* asked("lone")).toEqual([1, [["main", true]]])
      // Somebody must look; what they see counts for nothing.
      expect(yield* asked(".")).toEqual([2, [["main", false], ["lone", false]]])
    }))
})
