/** Runs of jobs that ping heartbeat monitors, and the key that they may ping with. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { optional, text, wholeText } from "../Fields.ts"
import { MonitorId, RunId } from "../Ids.ts"
import { JobRun, JobRunDetail, RunState } from "../monitor/JobRun.ts"
import { PingKey, PingKeyInput } from "../monitor/PingKey.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { paged } from "./parts/Answers.ts"
import { OneTransaction } from "./parts/Hints.ts"

export class Jobs extends HttpApiGroup.make("Jobs")
  .annotate(OpenApi.Description, "Runs of jobs that ping heartbeat monitors.")
  .add(
    HttpApiEndpoint.get("list_runs")`/monitors/${HttpApiSchema.param("id", MonitorId)}/runs`
      .setUrlParams(Schema.Struct({
        state: optional(RunState, "Only runs in this state"),
        search: optional(text(200), "Text in their output, in any case", "disk full"),
        before: optional(RunId, "next of the page before"),
        limit: optional(wholeText(1, 200), "Default 50")
      }))
      .addSuccess(paged(JobRun, RunId))
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List a job's runs")
      .annotate(OpenApi.Description, "Newest first, kept for 30 days. Plain pings outside of a run are checks only.")
  )
  .add(
    HttpApiEndpoint.get("get_run")`/runs/${HttpApiSchema.param("id", RunId)}`
      .addSuccess(JobRunDetail)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a run with its logs")
  )
  .add(
    HttpApiEndpoint.get("get_ping_key", "/ping-key")
      .addSuccess(PingKey)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Get the ping key")
      .annotate(OpenApi.Description, "Jobs that know it ping any heartbeat of the workspace, by name.")
  )
  .add(
    HttpApiEndpoint.post("create_ping_key", "/ping-key")
      .setPayload(PingKeyInput)
      .addSuccess(PingKey, { status: 201 })
      .middleware(WriteAccess)
      .annotate(OneTransaction, true)
      .annotate(OpenApi.Summary, "Make a new ping key")
      .annotate(OpenApi.Description, "The one before stops working.")
  )
{}
