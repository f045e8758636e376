/** Monitors and their checks. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Check, Outcome } from "../check/Check.ts"
import { Region } from "../check/Region.ts"
import { wire } from "../Errors.ts"
import { Flag, FlagText, optional, Timestamp, TimestampZ, wholeText } from "../Fields.ts"
import { CheckId, MonitorId } from "../Ids.ts"
import { Monitor, MonitorInput, MonitorState, MonitorUpdate } from "../monitor/Monitor.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { ReachesOut } from "./Hints.ts"

const monitorId = HttpApiSchema.param("id", MonitorId)
const checkId = HttpApiSchema.param("id", CheckId)

const MonitorDetail = Schema.Struct({
  ...Monitor.fields,
  checks: Schema.Array(Check).annotations({ description: "Newest first" }),
  stats: Schema.Struct({
    p50: Schema.NullOr(Schema.Number),
    p95: Schema.NullOr(Schema.Number),
    avg: Schema.NullOr(Schema.Number),
    checks: Schema.Int,
    failures: Schema.Int
  }).annotations({ description: "The last 24 hours; latencies in milliseconds" })
}).annotations({ identifier: "MonitorDetail" })

export class Monitors extends HttpApiGroup.make("Monitors")
  .annotate(OpenApi.Description, "What is watched, the checks of it, and where they run.")
  .add(
    HttpApiEndpoint.get("list_monitors", "/monitors")
      .setUrlParams(Schema.Struct({
        state: optional(MonitorState.annotations({ description: "Only those in this state" })),
        tag: optional(Schema.String.annotations({ description: "Only those with this tag", examples: ["shop"] }))
      }))
      .addSuccess(Schema.Struct({ data: Schema.Array(Monitor), next: Schema.Null }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List all monitors with their state and last check")
  )
  .add(
    HttpApiEndpoint.post("create_monitor", "/monitors")
      .setPayload(MonitorInput)
      .addSuccess(Monitor, { status: 201 })
      .addError(wire.validationFailed)
      .addError(wire.planLimit)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Create a monitor; its first check runs at once")
  )
  .add(
    HttpApiEndpoint.get("get_monitor")`/monitors/${monitorId}`
      .setUrlParams(Schema.Struct({
        checks: optional(wholeText(0, 200).annotations({ description: "How many recent checks; default 20" }))
      }))
      .addSuccess(MonitorDetail)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a monitor with recent checks and statistics")
  )
  .add(
    HttpApiEndpoint.patch("update_monitor")`/monitors/${monitorId}`
      .setPayload(MonitorUpdate)
      .addSuccess(Monitor)
      .addError(wire.notFound)
      .addError(wire.validationFailed)
      .addError(wire.planLimit)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Change a monitor; paused pauses or resumes it")
  )
  .add(
    HttpApiEndpoint.del("delete_monitor")`/monitors/${monitorId}`
      .addSuccess(Schema.Struct({ id: MonitorId, deleted: Schema.Literal(true) }))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Delete a monitor and its history")
  )
  .add(
    HttpApiEndpoint.post("run_check")`/monitors/${monitorId}/check`
      .setPayload(
        Schema.Struct({
          apply: optional(Flag.annotations({ description: "Feed the result into the monitor's state; default false" }))
        }).annotations({ examples: [{ apply: true }] })
      )
      .addSuccess(Check)
      .addError(wire.notFound)
      .addError(wire.validationFailed)
      .addError(wire.unavailable)
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(OpenApi.Summary, "Check now and return the full result with evidence")
      .annotate(OpenApi.Description, "The monitor's state does not change unless apply is true.")
  )
  .add(
    HttpApiEndpoint.get("list_checks")`/monitors/${monitorId}/checks`
      .setUrlParams(Schema.Struct({
        outcome: optional(Outcome.annotations({ description: "Only checks with this outcome" })),
        before: optional(TimestampZ.annotations({ description: "Only checks before this time, ISO 8601 in UTC ending in Z" })),
        limit: optional(wholeText(1, 500).annotations({ description: "How many at most; default 100" })),
        evidence: optional(FlagText.annotations({ description: "With the evidence that was kept; default false" }))
      }))
      .addSuccess(Schema.Struct({ data: Schema.Array(Check), next: Schema.NullOr(Timestamp) }))
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List raw check results, newest first, for 30 days")
      .annotate(OpenApi.Description, "Feed next back in as before for the next page. Default limit 100.")
  )
  .add(
    HttpApiEndpoint.get("get_check")`/checks/${checkId}`
      .addSuccess(Check)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get one check with its full evidence")
  )
  .add(
    HttpApiEndpoint.get("list_regions", "/regions")
      .addSuccess(Schema.Struct({ data: Schema.Array(Region), next: Schema.Null }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List the regions and the health of their probes")
  )
{}
