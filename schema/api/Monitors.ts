/** Monitors and their checks. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Check, Outcome } from "../check/Check.ts"
import { MonitorHistory } from "../check/MonitorHistory.ts"
import { RegionId } from "../check/Region.ts"
import { MonitorRegion, RegionRecord } from "../check/RegionViews.ts"
import { wire } from "../Errors.ts"
import {
  described,
  FlagText,
  optional,
  orNull,
  text,
  textBetween,
  Timestamp,
  TimestampZ,
  timezone,
  wholeText
} from "../Fields.ts"
import { CheckId, MonitorId } from "../Ids.ts"
import { mask } from "../Mask.ts"
import { ManyMonitorsDeleted, ManyMonitorsDeletion, ManyMonitorsUpdate, ManyMonitorsUpdated } from "../monitor/ManyMonitors.ts"
import { Monitor, MonitorInput, MonitorSort, MonitorState, MonitorUpdate } from "../monitor/Monitor.ts"
import { MonitorKind } from "../monitor/MonitorKind.ts"
import { MonitorUptime } from "../monitor/MonitorUptime.ts"
import {
  CheckPreview,
  ListedMonitor,
  MonitorDetail,
  MonitorWait,
  PreviewInput,
  StateCounts,
  TagCount
} from "../monitor/MonitorViews.ts"
import { SchedulePreview } from "../monitor/SchedulePreview.ts"
import { ResponseTimeRange } from "../page/ResponseTimes.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { all, created, deleted, paged } from "./parts/Answers.ts"
import { EndsWithCaller, Hinted, OneTransaction, ReachesOut } from "./parts/Hints.ts"

const monitorId = HttpApiSchema.param("id", MonitorId)

export class Monitors extends HttpApiGroup.make("Monitors")
  .annotate(OpenApi.Description, "Monitors, their checks, and the regions that checks run from.")
  .add(
    HttpApiEndpoint.get("list_monitors", "/monitors")
      .setUrlParams(Schema.Struct({
        state: optional(MonitorState, "Only in this state"),
        kind: optional(MonitorKind, "Only of this kind"),
        tag: optional(Schema.String, "Only with this tag", "shop"),
        region: optional(RegionId, "Only checked from this region"),
        search: optional(text(200), "Text in name, URL or host", "checkout"),
        sort: optional(
          MonitorSort,
          "Default created, oldest first",
          "name"
        ),
        trend: optional(FlagText, "Include hourly latencies and states"),
        counts: optional(FlagText, "Count all monitors by state"),
        tags: optional(FlagText, "Count all monitors by tag"),
        after: optional(MonitorId, "next of the page before"),
        limit: optional(wholeText(1, 500), "Maximum number of monitors; default 500")
      }))
      .addSuccess(Schema.Struct({
        data: Schema.Array(ListedMonitor),
        counts: optional(StateCounts),
        tags: optional(Schema.Array(TagCount), "With tags: the workspace's tags by name"),
        next: orNull(MonitorId, "Pass as after to get the monitors that follow; null at the end")
      }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List monitors")
      .annotate(
        OpenApi.Description,
        "With state and last check, oldest first unless sorted. A list leaves out the values of headers and the bodies: they are " +
          `${mask}; get_monitor returns them. A page of large monitors can hold fewer than limit: follow next until it is null.`
      )
  )
  .add(
    HttpApiEndpoint.post("create_monitor", "/monitors")
      .setPayload(MonitorInput)
      .addSuccess(created(Monitor, "CreatedMonitor"), { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.planLimit))
      .middleware(WriteAccess)
      .annotate(OneTransaction, true)
      .annotate(OpenApi.Summary, "Create a monitor")
      .annotate(OpenApi.Description, "The first check runs immediately. A heartbeat monitor stays pending until its first ping.")
  )
  .add(
    HttpApiEndpoint.get("get_monitor")`/monitors/${monitorId}`
      .setUrlParams(Schema.Struct({ checks: optional(wholeText(0, 200), "Recent checks; default 20") }))
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
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.planLimit))
      .middleware(WriteAccess)
      .annotate(OneTransaction, true)
      .annotate(OpenApi.Summary, "Update a monitor")
      .annotate(OpenApi.Description, "paused: true pauses it, false resumes it.")
  )
  .add(
    HttpApiEndpoint.del("delete_monitor")`/monitors/${monitorId}`
      .addSuccess(deleted(MonitorId))
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OneTransaction, true)
      .annotate(OpenApi.Summary, "Delete a monitor")
      .annotate(
        OpenApi.Description,
        "Deletes its history, too."
      )
  )
  .add(
    HttpApiEndpoint.patch("update_monitors", "/monitors")
      .setPayload(ManyMonitorsUpdate)
      .addSuccess(ManyMonitorsUpdated)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.planLimit))
      .middleware(WriteAccess)
      .annotate(OneTransaction, true)
      .annotate(OpenApi.Summary, "Update many monitors")
      .annotate(OpenApi.Description, "By ids, tag or search: all or none, at most 500. Answers only what changed.")
  )
  .add(
    HttpApiEndpoint.post("delete_monitors", "/monitors/delete")
      .setPayload(ManyMonitorsDeletion)
      .addSuccess(ManyMonitorsDeleted)
      .addError(Schema.Union(wire.notFound, wire.validationFailed))
      .middleware(WriteAccess)
      .annotate(OneTransaction, true)
      .annotate(Hinted, { destroys: true })
      .annotate(OpenApi.Summary, "Delete many monitors")
      .annotate(OpenApi.Description, "By ids, tag or search, with their history: all or none, at most 500. Try dryRun first.")
  )
  .add(
    HttpApiEndpoint.post("run_check")`/monitors/${monitorId}/check`
      .setPayload(
        Schema.Struct({
          apply: optional(Schema.Boolean, "Whether it counts toward the state; default false")
        }).annotations({ examples: [{ apply: true }] })
      )
      .addSuccess(Check)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.rateLimited, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(EndsWithCaller, true)
      .annotate(OpenApi.Summary, "Run a check")
      .annotate(
        OpenApi.Description,
        "Checks immediately and returns the result with evidence. The monitor's state does not change unless " +
          "apply is true."
      )
  )
  .add(
    HttpApiEndpoint.post("preview_check", "/checks/preview")
      .setPayload(PreviewInput)
      .addSuccess(CheckPreview)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.planLimit, wire.rateLimited, wire.unavailable))
      .middleware(WriteAccess)
      .annotate(ReachesOut, true)
      .annotate(EndsWithCaller, true)
      .annotate(OpenApi.Summary, "Preview a check")
      .annotate(
        OpenApi.Description,
        "Checks with settings that are not saved. Stores nothing. With id, missing settings are that monitor's."
      )
  )
  .add(
    HttpApiEndpoint.get("preview_schedule", "/heartbeats/times")
      .setUrlParams(Schema.Struct({
        schedule: described(textBetween(1, 200), "As of create_monitor")
          .annotations({
            examples: ["30 2 * * *"]
          }),
        timezone: optional(timezone(64), "IANA zone of the schedule; default UTC", "Europe/Berlin"),
        limit: optional(wholeText(1, 50), "Maximum number of times; default 5")
      }))
      .addSuccess(SchedulePreview)
      .addError(wire.validationFailed)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Preview a schedule of a heartbeat")
      .annotate(OpenApi.Description, "The next times at which a ping would be expected. Stores nothing.")
  )
  .add(
    HttpApiEndpoint.get("wait_for_monitor")`/monitors/${monitorId}/wait`
      .setUrlParams(Schema.Struct({
        state: optional(MonitorState, "State to wait for; default up"),
        checkedAfter: optional(
          TimestampZ,
          "Also for checks since then: a good one of each region for up, one for down"
        ),
        timeoutSec: optional(wholeText(1, 120), "Longest wait; default 30")
      }))
      .addSuccess(MonitorWait)
      .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.rateLimited, wire.unavailable))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Wait for a monitor")
      .annotate(
        OpenApi.Description,
        "Answers once the monitor is in the state; reached is false after the timeout. " +
          "A gate for deployments: one failed check does not change a state, so pass checkedAfter; run_check with apply makes a check of every region."
      )
  )
  .add(
    HttpApiEndpoint.get("list_checks")`/monitors/${monitorId}/checks`
      .setUrlParams(Schema.Struct({
        outcome: optional(Outcome, "Only checks with this outcome"),
        before: optional(TimestampZ, "Only checks before this time"),
        since: optional(TimestampZ, "Only checks from this time on"),
        limit: optional(wholeText(1, 500), "Maximum number of checks; default 100"),
        evidence: optional(FlagText, "Includes stored evidence; default false")
      }))
      .addSuccess(paged(Check, Timestamp))
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List checks")
      .annotate(
        OpenApi.Description,
        "Raw results, newest first, kept for 30 days. Pass next as before until it is null: a page can hold more or fewer " +
          "checks than limit. A failure that repeats keeps its evidence ever less often; " +
          "evidenceOmitted names the check that shows it."
      )
  )
  .add(
    HttpApiEndpoint.get("get_check")`/checks/${HttpApiSchema.param("id", CheckId)}`
      .addSuccess(Check)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a check")
      .annotate(OpenApi.Description, "Includes its full evidence, if it was kept.")
  )
  .add(
    HttpApiEndpoint.get("list_regions", "/regions")
      .setUrlParams(Schema.Struct({ results: optional(FlagText, "Default true") }))
      .addSuccess(all(RegionRecord))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List regions")
      .annotate(
        OpenApi.Description,
        "Where checks run from, with health and last results."
      )
  )
  .add(
    HttpApiEndpoint.get("get_monitor_regions")`/monitors/${monitorId}/regions`
      .setUrlParams(Schema.Struct({ hours: optional(wholeText(1, 168), "Hours to look back; default 24") }))
      .addSuccess(all(MonitorRegion))
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a monitor's regions")
      .annotate(OpenApi.Description, "Health, last result and latency in each region.")
  )
  .add(
    HttpApiEndpoint.get("get_monitor_history")`/monitors/${monitorId}/history`
      .setUrlParams(Schema.Struct({
        range: optional(ResponseTimeRange, "Default 24h"),
        until: optional(TimestampZ, "End of the range; default now")
      }))
      .addSuccess(MonitorHistory)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a monitor's history")
      .annotate(
        OpenApi.Description,
        "Its states, and its latencies by region and phase, in buckets. Half hours and hours are kept for 31 days, days for 13 months."
      )
  )
  .add(
    HttpApiEndpoint.get("get_monitor_uptime")`/monitors/${monitorId}/uptime`
      .setUrlParams(Schema.Struct({
        days: optional(wholeText(1, 366), "Default 90"),
        timezone: optional(timezone(64), "IANA zone; default UTC")
      }))
      .addSuccess(MonitorUptime)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a monitor's uptime by day")
      .annotate(OpenApi.Description, "Oldest first. Maintenance and time without checks do not count.")
  )
{}
