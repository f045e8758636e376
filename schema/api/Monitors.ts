/** Monitors and their checks. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Check, Outcome } from "../check/Check.ts"
import { Region } from "../check/Region.ts"
import { wire } from "../Errors.ts"
import { Flag, FlagText, optional, Timestamp, TimestampZ, wholeText } from "../Fields.ts"
import { CheckId, MonitorId } from "../Ids.ts"
import { mask } from "../Mask.ts"
import { Monitor, MonitorInput, MonitorState, MonitorUpdate } from "../monitor/Monitor.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { EndsWithCaller, ReachesOut } from "./Hints.ts"

const monitorId = HttpApiSchema.param("id", MonitorId)
const checkId = HttpApiSchema.param("id", CheckId)

const MonitorDetail = Schema.Struct({
  ...Monitor.fields,
  checks: Schema.Array(Check).annotations({ description: "Recent checks, newest first" }),
  stats: Schema.Struct({
    p50: Schema.NullOr(Schema.Number),
    p95: Schema.NullOr(Schema.Number),
    avg: Schema.NullOr(Schema.Number),
    checks: Schema.Int,
    failures: Schema.Int
  }).annotations({ description: "Statistics of the last 24 hours; latencies in milliseconds" })
}).annotations({ identifier: "MonitorDetail" })

export class Monitors extends HttpApiGroup.make("Monitors")
  .annotate(OpenApi.Description, "Monitors, their checks, and the regions that checks run from.")
  .add(
    HttpApiEndpoint.get("list_monitors", "/monitors")
      .setUrlParams(Schema.Struct({
        state: optional(MonitorState.annotations({ description: "Returns only monitors in this state" })),
        tag: optional(Schema.String.annotations({ description: "Returns only monitors with this tag", examples: ["shop"] })),
        after: optional(MonitorId.annotations({ description: "Returns only monitors after this id" })),
        limit: optional(wholeText(1, 500).annotations({ description: "Maximum number of monitors; default 100" }))
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(Monitor),
        next: Schema.NullOr(MonitorId).annotations({
          description: "Pass as after to get the monitors that follow; null at the end"
        })
      }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List monitors")
      .annotate(
        OpenApi.Description,
        "Oldest first, each with its state and last check. A list leaves out the values of headers and the bodies: they are " +
          `${mask}; get_monitor returns them. A page of large monitors can hold fewer than limit: follow next until it is null.`
      )
  )
  .add(
    HttpApiEndpoint.post("create_monitor", "/monitors")
      .setPayload(MonitorInput)
      .addSuccess(Monitor, { status: 201 })
      .addError(wire.validationFailed)
      .addError(wire.planLimit)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Create a monitor")
      .annotate(OpenApi.Description, "The first check runs immediately. A heartbeat monitor stays pending until its first ping.")
  )
  .add(
    HttpApiEndpoint.get("get_monitor")`/monitors/${monitorId}`
      .setUrlParams(Schema.Struct({
        checks: optional(wholeText(0, 200).annotations({ description: "Number of recent checks to include; default 20" }))
      }))
      .addSuccess(MonitorDetail)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a monitor")
      .annotate(OpenApi.Description, "Includes recent checks and statistics of the last 24 hours.")
  )
  .add(
    HttpApiEndpoint.patch("update_monitor")`/monitors/${monitorId}`
      .setPayload(MonitorUpdate)
      .addSuccess(Monitor)
      .addError(wire.notFound)
      .addError(wire.validationFailed)
      .addError(wire.planLimit)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Update a monitor")
      .annotate(OpenApi.Description, "To pause the monitor, set paused to true; to resume it, false.")
  )
  .add(
    HttpApiEndpoint.del("delete_monitor")`/monitors/${monitorId}`
      .addSuccess(Schema.Struct({ id: MonitorId, deleted: Schema.Literal(true) }))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Delete a monitor")
      .annotate(
        OpenApi.Description,
        "Also deletes its history: its checks cannot be read any more, and are removed from storage within 30 days."
      )
  )
  .add(
    HttpApiEndpoint.post("run_check")`/monitors/${monitorId}/check`
      .setPayload(
        Schema.Struct({
          apply: optional(
            Flag.annotations({ description: "Whether the result counts toward the monitor's state; default false" })
          )
        }).annotations({ examples: [{ apply: true }] })
      )
      .addSuccess(Check)
      .addError(wire.notFound)
      .addError(wire.validationFailed)
      .addError(wire.rateLimited)
      .addError(wire.unavailable)
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(EndsWithCaller, true)
      .annotate(OpenApi.Summary, "Run a check")
      .annotate(
        OpenApi.Description,
        "Checks the target immediately and returns the result with its evidence. The monitor's state does not change unless " +
          "apply is true."
      )
  )
  .add(
    HttpApiEndpoint.get("list_checks")`/monitors/${monitorId}/checks`
      .setUrlParams(Schema.Struct({
        outcome: optional(Outcome.annotations({ description: "Returns only checks with this outcome" })),
        before: optional(
          TimestampZ.annotations({ description: "Returns only checks before this time, in ISO 8601, UTC, ending in Z" })
        ),
        limit: optional(wholeText(1, 500).annotations({ description: "Maximum number of checks; default 100" })),
        evidence: optional(FlagText.annotations({ description: "Whether to include stored evidence; default false" }))
      }))
      .addSuccess(Schema.Struct({ data: Schema.Array(Check), next: Schema.NullOr(Timestamp) }))
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List checks")
      .annotate(
        OpenApi.Description,
        "Raw results, newest first, kept for 30 days. Pass next as before to get the next page. With evidence, a page can hold fewer " +
          "checks than limit: follow next until it is null. A failure that repeats keeps its evidence ever less often; " +
          "evidenceOmitted names the check that shows it."
      )
  )
  .add(
    HttpApiEndpoint.get("get_check")`/checks/${checkId}`
      .addSuccess(Check)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a check")
      .annotate(OpenApi.Description, "Includes its full evidence, if it was kept.")
  )
  .add(
    HttpApiEndpoint.get("list_regions", "/regions")
      .addSuccess(Schema.Struct({ data: Schema.Array(Region), next: Schema.Null }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List regions")
      .annotate(OpenApi.Description, "Returns the regions that checks run from, with the health of their probes.")
  )
{}
