/** A probe speaks for monitors that are checked from its region. What it says about others decides nothing and is not kept. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { RegionId } from "../../schema/check/Region.ts"
import { MonitorId } from "../../schema/Ids.ts"
import { Bus } from "../../src/bus/Bus.ts"
import { ManageMonitors } from "../../src/operations/monitor/ManageMonitors.ts"
import { monitorRow, newWorkspace, resultOf, TestRunner } from "../support/program/TestRunner.ts"
import { until } from "../support/time/Until.ts"

const elsewhere = RegionId.make("elsewhere")

const evidence = {
  request: { method: "GET", url: "https://shop.test/" },
  remoteAddress: null,
  responseHeaders: {},
  body: "made up",
  bodyTruncated: false,
  redirects: [],
  certificate: null,
  assertions: []
}

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "a result from another region takes no monitor down, and is neither its last check nor stored",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const bus = yield* Bus
        const { id: workspaceId } = yield* newWorkspace
        const input = { name: "Shop", url: "https://shop.test/", failureThreshold: 1, recoveryThreshold: 1 }
        const { id } = yield* Effect.flatMap(ManageMonitors, (manage) => manage.create(workspaceId, input))
        const row = yield* monitorRow(workspaceId, id)
        const checks = sql<{ readonly region: string; readonly evidence: boolean }>`
        select region, evidence is not null as evidence from checks where workspace_id = ${workspaceId} order by at`

        yield* bus.report([resultOf(row, 1)])
        yield* until(Effect.map(monitorRow(workspaceId, id), ({ state }) => state), (state) => state === "up")
        const down = { outcome: "down", region: elsewhere, cause: "timeout", error: "made up", evidence } as const
        // By a plain call, by a message because its revision is newer, and about a monitor that does not exist.
        yield* bus.report([
          resultOf(row, 2, down),
          resultOf({ ...row, revision: row.revision + 1 }, 2, down),
          resultOf({ ...row, id: MonitorId.make("mon_00000000000000000000000000") }, 2, down)
        ])
        yield* bus.report([resultOf(row, 3)])
        yield* until(checks, (found) => found.length >= 2)
        expect(yield* checks).toEqual([{ region: "main", evidence: false }, { region: "main", evidence: false }])
        const after = yield* monitorRow(workspaceId, id)
        expect(after.state).toBe("up")
        expect(after.lastCheck).toMatchObject({ region: "main", outcome: "up" })
      }),
    60_000
  )
})
