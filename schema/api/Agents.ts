/** Operations for agents: bootstrap a workspace, monitor a service in one call, report statuses, identify the caller. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema, Struct } from "effect"
import { Component } from "../component/Component.ts"
import { longestPushMessage, PushInput, PushReceipt } from "../component/Push.ts"
import { wire } from "../Errors.ts"
import { optional, text, textLike } from "../Fields.ts"
import { HeartbeatInput, HeartbeatReceipt, longestMessage } from "../monitor/Heartbeat.ts"
import { Monitor, MonitorInput } from "../monitor/Monitor.ts"
import { Page } from "../page/Page.ts"
import { Bootstrap, BootstrapInput, WhoAmI } from "../workspace/Workspace.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { AddressLimit, bootstraps } from "./parts/AddressLimit.ts"
import { TextOfPrograms } from "./parts/Hints.ts"

export const ServiceInput = Schema.Struct({
  ...MonitorInput.fields,
  statusPage: optional(text(100), "Slug, id or name; created if it does not exist", "Acme"),
  group: optional(text(80), "Component group; created if it does not exist"),
  componentName: optional(text(100), "Default the monitor's name")
}).annotations({ identifier: "ServiceInput" })

const Service = Schema.Struct({
  monitor: Monitor,
  page: optional(Schema.Struct(Struct.omit(Page.fields, "components"))),
  component: optional(Component),
  crontab: optional(
    textLike("30 2 * * * /usr/local/bin/job; curl -fsS https://status.example.com/hb/9fKq2LmZ7xT0bVwRj4sYcH1n/$?"),
    "Of a heartbeat: the line to paste, which reports start, exit code and output of /usr/local/bin/job"
  ),
  warnings: optional(
    Schema.Array(textLike("Nobody is alerted: the monitor has no alert channel")),
    "What does not work yet although everything was created, such as alerts without a channel"
  )
}).annotations({ identifier: "Service" })
export type Service = typeof Service.Type

const pingToken = HttpApiSchema.param(
  "token",
  textLike("9fKq2LmZ7xT0bVwRj4sYcH1n", "End of pingUrl")
)

const sendHeartbeat = HttpApiEndpoint.post("send_heartbeat")`/heartbeat/${pingToken}`
  .setPayload(HeartbeatInput)
  .addSuccess(HeartbeatReceipt)
  .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.rateLimited, wire.unavailable))
  .annotate(TextOfPrograms, longestMessage)
  .annotate(OpenApi.Summary, "Send a heartbeat")
  .annotate(
    OpenApi.Description,
    "Reports to a heartbeat monitor that its job ran or failed. The token in the path is the credential. Without a body, the " +
      "ping reports success; status down alerts immediately. The ping is stored before the response is sent. Short forms for " +
      "crontabs: GET or POST /hb/{token}, and /hb/{token}/fail. Limit: 120 a minute per token, counting all forms together."
  )

const pushToken = HttpApiSchema.param(
  "token",
  textLike("3VxJ8Qm1dTzR6bYc0LwKpN5gHs7uAe2fXi9oBq4E", "End of pushUrl")
)

export const pushComponentStatus = HttpApiEndpoint.post("push_component_status")`/push/${pushToken}`
  .setPayload(PushInput)
  .addSuccess(PushReceipt)
  .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.rateLimited, wire.unavailable))
  .annotate(TextOfPrograms, longestPushMessage)
  .annotate(OpenApi.Summary, "Push a component status")
  .annotate(
    OpenApi.Description,
    "For components created with push=true. The token in the path is the credential. An equal or better status takes effect " +
      "immediately. A worse one takes effect after the component's number of consecutive confirmations, or immediately with " +
      "confirmed=true. With observedAt, it is safe to send the same report again. The status is stored before the response is " +
      "sent. Limit: 120 a minute per token."
  )

export class Agents extends HttpApiGroup.make("Agents")
  .annotate(
    OpenApi.Description,
    "Create a workspace without a human, monitor a service in one call, and report heartbeats and component statuses."
  )
  .add(
    HttpApiEndpoint.post("bootstrap_workspace", "/agent/bootstrap")
      .setPayload(BootstrapInput)
      .addSuccess(Bootstrap, { status: 201 })
      .addError(Schema.Union(wire.rateLimited, wire.forbidden))
      .annotate(AddressLimit, bootstraps)
      .annotate(OpenApi.Summary, "Create a workspace and an API key")
      .annotate(
        OpenApi.Description,
        "Needs no key and no human. Returns an API key that works immediately in the header Authorization: Bearer <apiKey>, " +
          "and a claim URL for a human. Unclaimed workspaces are deleted after 7 days; without monitors and pages, after one. " +
          "Limits: 5 an hour per IP address, more for its network and in total. If it is forbidden, send an invitation of the operator."
      )
  )
  .add(
    HttpApiEndpoint.post("create_service", "/services")
      .setPayload(ServiceInput)
      .addSuccess(Service, { status: 201 })
      .addError(Schema.Union(wire.validationFailed, wire.planLimit, wire.notFound, wire.conflict))
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Monitor a service and show it on a status page")
      .annotate(
        OpenApi.Description,
        "Creates a monitor. With statusPage, also creates a component that follows the monitor, and the page if it does not " +
          "exist."
      )
  )
  .add(sendHeartbeat)
  .add(pushComponentStatus)
  .add(
    HttpApiEndpoint.get("whoami", "/agent/whoami")
      .addSuccess(WhoAmI)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get the calling key and its workspace")
  )
{}
