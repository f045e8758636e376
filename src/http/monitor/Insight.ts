/** Serves explanations and simulations of monitors. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ExplainMonitor } from "../../operations/monitor/ExplainMonitor.ts"
import { SimulateMonitor } from "../../operations/monitor/SimulateMonitor.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const InsightLive = operationGroup(Api, "Insight", (handlers) =>
  Effect.gen(function*() {
    const explaining = yield* ExplainMonitor
    const simulating = yield* SimulateMonitor
    return handlers
      .handle(
        "explain_monitor",
        ({ path }) => Effect.flatMap(Access, ({ workspaceId }) => explaining.explain(workspaceId, path.id))
      )
      .handle(
        "simulate_monitor",
        ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => simulating.simulate(workspaceId, payload))
      )
  }))
