/** The agent's way in: a workspace without a human, a service in one call, and who am I. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Component } from "../Component.ts"
import { wire } from "../Errors.ts"
import { optional, text } from "../Fields.ts"
import { Monitor, MonitorInput } from "../Monitor.ts"
import { Page } from "../Page.ts"
import { Bootstrap, BootstrapInput, WhoAmI } from "../Workspace.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"

export const ServiceInput = Schema.Struct({
  ...MonitorInput.fields,
  statusPage: optional(text(100).annotations({ description: "Page slug, id or name; created by name if missing" })),
  group: optional(text(80)),
  componentName: optional(text(100).annotations({ description: "Default: the monitor's name" }))
}).annotations({ identifier: "ServiceInput" })

export const Service = Schema.Struct({
  monitor: Monitor,
  page: optional(Page),
  component: optional(Component)
}).annotations({ identifier: "Service" })

export class Agents extends HttpApiGroup.make("Agents")
  .add(
    HttpApiEndpoint.post("bootstrap_workspace", "/agent/bootstrap")
      .setPayload(BootstrapInput)
      .addSuccess(Bootstrap, { status: 201 })
      .addError(wire.rateLimited)
      .annotate(OpenApi.Summary, "Create a workspace and an API key, with no human")
      .annotate(
        OpenApi.Description,
        "Returns a key that works at once and a claim URL for a human. Unclaimed workspaces are deleted after 7 days. " +
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
  .add(
    HttpApiEndpoint.get("whoami", "/agent/whoami")
      .addSuccess(WhoAmI)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Tell which key and workspace is calling")
  )
{}
