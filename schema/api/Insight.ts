/** Questions about a monitor that stored results answer. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { MonitorId } from "../Ids.ts"
import { MonitorExplanation } from "../monitor/Explanation.ts"
import { Simulation, SimulationInput } from "../monitor/Simulation.ts"
import { ReadAccess } from "./Access.ts"

export class Insight extends HttpApiGroup.make("Insight")
  .annotate(OpenApi.Description, "Why a monitor is in its state, and what other settings would have made of its results.")
  .add(
    HttpApiEndpoint.get("explain_monitor")`/monitors/${HttpApiSchema.param("id", MonitorId)}/explain`
      .addSuccess(MonitorExplanation)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Explain a monitor's state")
      .annotate(
        OpenApi.Description,
        "Why it is down: cause, failed phase, disagreeing regions, differences to the last good check, deploys nearby."
      )
  )
  .add(
    HttpApiEndpoint.post("simulate_monitor", "/monitors/simulate")
      .setPayload(SimulationInput)
      .addSuccess(Simulation)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.rateLimited, wire.unavailable))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Simulate other settings")
      .annotate(
        OpenApi.Description,
        "Replays stored checks with proposed settings and says what would have alerted and what did. Settings that are left out " +
          "are the monitor's. Changes nothing."
      )
  )
{}
