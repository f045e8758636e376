/** Drills. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Drill, DrillInput } from "../drill/Drill.ts"
import { wire } from "../Errors.ts"
import { DrillId } from "../Ids.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { ReachesOut } from "./parts/Hints.ts"

export class Drills extends HttpApiGroup.make("Drills")
  .annotate(OpenApi.Description, "Drills: test incidents that try the way of an alert.")
  .add(
    HttpApiEndpoint.post("create_drill", "/drills")
      .setPayload(DrillInput)
      .addSuccess(Drill, { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.conflict, wire.rateLimited))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Rehearse an incident")
      .annotate(
        OpenApi.Description,
        "Sends a test incident, marked [Drill], through detection, alert, acknowledgement and recovery. Status pages do not " +
          "show it; escalation policies apply. Answers within 25 seconds; get_drill has the rest."
      )
  )
  .add(
    HttpApiEndpoint.get("get_drill")`/drills/${HttpApiSchema.param("id", DrillId)}`
      .addSuccess(Drill)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get the receipt of a drill")
  )
{}
