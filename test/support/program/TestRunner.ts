/** A runner with its own database, fed with check results by the test instead of probes. */
import { DateTime, Effect, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import * as Cluster from "../../../cluster/Cluster.ts"
import * as Runner from "../../../cluster/Runner.ts"
import type { CheckResult } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import { CheckId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Bus } from "../../../src/bus/Bus.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { parseAllowList } from "../../../src/domain/check/address/Egress.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { Links, linksFrom } from "../../../src/links/Links.ts"
import { DefaultRegion } from "../../../src/operations/check/DefaultRegion.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ReadMonitors } from "../../../src/operations/monitor/ReadMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { RegionHealth } from "../../../src/services/check/RegionHealth.ts"
import { MonitorAnnouncer } from "../../../src/services/monitor/MonitorAnnouncer.ts"
import { Monitors, type MonitorWithState } from "../../../src/store/monitor/Monitors.ts"
import type { Database } from "../../../src/store/postgres/connections/Database.ts"
import * as Store from "../../../src/store/Store.ts"
import { Workspaces } from "../../../src/store/workspace/Workspaces.ts"
import { TestDatabase } from "../database/TestDatabase.ts"
import { testKeys } from "./TestInstallation.ts"

const loopback = Effect.runSync(parseAllowList("127.0.0.0/8,::1/128"))

const Deployment = Layer.mergeAll(
  testKeys,
  Layer.succeed(Links, linksFrom("http://belltower.test")),
  Layer.succeed(DefaultRegion, RegionId.make("main")),
  EgressGuard.Default({ allow: loopback })
)

/** Everything a runner needs except the runner itself, on a given bus and database; alone, or in a given cluster. */
export const groundOn = <E = never>(
  bus: Layer.Layer<Bus>,
  database: typeof TestDatabase = TestDatabase,
  cluster: Layer.Layer<Layer.Layer.Success<typeof Cluster.layerSingle>, E, Database> = Cluster.layerSingle
) =>
  Layer.mergeAll(RegionHealth.layer, MonitorAnnouncer.Default).pipe(
    Layer.provideMerge(Store.layer),
    Layer.provideMerge(Layer.mergeAll(bus, cluster)),
    Layer.provideMerge(Deployment),
    Layer.provideMerge(database)
  )

export const Ground = groundOn(LocalBus.layer)

export const TestRunner = Layer.mergeAll(
  Runner.layer,
  ManageComponents.Default,
  ManageMonitors.Default,
  ManagePages.Default,
  ReadMonitors.Default
).pipe(Layer.provideMerge(Ground))

/** A workspace for the test. */
export const newWorkspace = Effect.gen(function*() {
  const workspaces = yield* Workspaces
  const { workspace } = yield* workspaces.create({ name: "Test", agentName: "test", plan: "self_hosted" })
  return workspace
})

/** The row of a monitor, which must exist. */
export const monitorRow = (workspaceId: WorkspaceId, id: string) =>
  Effect.flatMap(Monitors, (monitors) => Effect.map(monitors.find(workspaceId, id), Option.getOrThrow))

/** A result as a probe would report it. */
export const resultOf = (
  monitor: Pick<MonitorWithState, "id" | "workspaceId" | "revision">,
  slot: number,
  more: Partial<CheckResult> = {}
): CheckResult => {
  const at = more.at ?? DateTime.unsafeMake("2026-11-20T08:00:00Z").epochMillis + slot * 60_000
  return {
    checkId: CheckId.make(makeId("chk", at, randomBytes(10))),
    monitorId: monitor.id,
    workspaceId: WorkspaceId.make(monitor.workspaceId),
    revision: monitor.revision,
    region: RegionId.make("main"),
    slot,
    at,
    outcome: "up",
    statusCode: 200,
    latencyMs: 12,
    error: null,
    cause: null,
    timings: null,
    evidence: null,
    trusted: true,
    ...more
  }
}
