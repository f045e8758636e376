/** The agent's way in: a workspace without a human, a service in one call, and who am I. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Component } from "../component/Component.ts"
import { PushInput, PushReceipt } from "../component/Push.ts"
import { wire } from "../Errors.ts"
import { optional, text } from "../Fields.ts"
import { HeartbeatInput, HeartbeatReceipt } from "../monitor/Heartbeat.ts"
import { Monitor, MonitorInput } from "../monitor/Monitor.ts"
import { Page } from "../page/Page.ts"
import { Bootstrap, BootstrapInput, WhoAmI } from "../workspace/Workspace.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"

export const ServiceInput = Schema.Struct({
  ...MonitorInput.fields,
  statusPage: optional(
    text(100).annotations({
      description: "Page slug, id or name; created by name if missing",
      examples: ["Acme"]
    })
  ),
  group: optional(text(80).annotations({ description: "The component's group on the page; created if missing" })),
  componentName: optional(text(100).annotations({ description: "Default: the monitor's name" }))
}).annotations({ identifier: "ServiceInput" })

const Service = Schema.Struct({
  monitor: Monitor,
  page: optional(Page),
  component: optional(Component)
}).annotations({ identifier: "Service" })

const pingToken = HttpApiSchema.param(
  "token",
  Schema.String.annotations({
    description: "The secret at the end of a monitor's pingUrl",
    examples: ["9fKq2LmZ7xT0bVwRj4sYcH1n"]
  })
)

const sendHeartbeat = HttpApiEndpoint.post("send_heartbeat")`/heartbeat/${pingToken}`
  .setPayload(HeartbeatInput)
  .addSuccess(HeartbeatReceipt)
  .addError(wire.notFound)
  .addError(wire.validationFailed)
  .addError(wire.rateLimited)
  .addError(wire.unavailable)
  .annotate(OpenApi.Summary, "Ping a heartbeat monitor: the job ran, or failed")
  .annotate(
    OpenApi.Description,
    "The token in the path is the credential. Without a body the job is up; status down alerts at once. The ping is stored " +
      "when this answers. Short forms for a crontab: GET or POST /hb/{token}, and /hb/{token}/fail. At most 120 a minute for " +
      "one token, all forms together."
  )

const pushToken = HttpApiSchema.param(
  "token",
  Schema.String.annotations({
    description: "The secret at the end of a component's pushUrl",
    examples: ["3VxJ8Qm1dTzR6bYc0LwKpN5gHs7uAe2fXi9oBq4E"]
  })
)

export const pushComponentStatus = HttpApiEndpoint.post("push_component_status")`/push/${pushToken}`
  .setPayload(PushInput)
  .addSuccess(PushReceipt)
  .addError(wire.notFound)
  .addError(wire.validationFailed)
  .addError(wire.rateLimited)
  .addError(wire.unavailable)
  .annotate(OpenApi.Summary, "Push the status of a component")
  .annotate(
    OpenApi.Description,
    "For components made with push=true; the token in the path is the credential. A status that is no worse shows at once, " +
      "a worse one after the component's number of confirmations in a row, or at once with confirmed=true. With observedAt, " +
      "sending the same report again is safe. The status is stored when this answers. At most 120 a minute for one token."
  )

export class Agents extends HttpApiGroup.make("Agents")
  .annotate(OpenApi.Description, "An agent's way in: a workspace without a human, a service in one call, signs of life.")
  .add(
    HttpApiEndpoint.post("bootstrap_workspace", "/agent/bootstrap")
      .setPayload(BootstrapInput)
      .addSuccess(Bootstrap, { status: 201 })
      .addError(wire.rateLimited)
      .annotate(OpenApi.Summary, "Create a workspace and an API key, with no human")
      .annotate(
        OpenApi.Description,
        "Returns a key that works at once, as the header Authorization: Bearer <apiKey>, and a claim URL for a human. Unclaimed " +
          "workspaces are deleted after 7 days. " +
          "At most 5 an hour from one address."
      )
  )
  .add(
    HttpApiEndpoint.post("create_service", "/services")
      .setPayload(ServiceInput)
      .addSuccess(Service, { status: 201 })
      .addError(wire.validationFailed)
      .addError(wire.planLimit)
      .addError(wire.notFound)
      .addError(wire.conflict)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Monitor a service and show it on a status page, in one call")
      .annotate(
        OpenApi.Description,
        "Creates a monitor and, with statusPage, the page if it is missing and a component that follows the monitor."
      )
  )
  .add(sendHeartbeat)
  .add(pushComponentStatus)
  .add(
    HttpApiEndpoint.get("whoami", "/agent/whoami")
      .addSuccess(WhoAmI)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Tell which key and workspace is calling")
  )
{}
