/** Status pages and their components. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Component, ComponentInput, OverrideInput } from "../component/Component.ts"
import { wire } from "../Errors.ts"
import { ComponentId, IdPrefixes } from "../Ids.ts"
import { Page, PageInput } from "../page/Page.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"

/** A page id or a slug. */
const pageId = HttpApiSchema.param(
  "pageId",
  Schema.String.annotations({ description: "Page id or slug", examples: ["acme"], [IdPrefixes]: ["pg"] })
)

const componentId = HttpApiSchema.param("id", ComponentId)

export class Pages extends HttpApiGroup.make("Status pages")
  .annotate(OpenApi.Description, "Status pages with their URL, theme and settings.")
  .add(
    HttpApiEndpoint.get("list_pages", "/pages")
      .addSuccess(Schema.Struct({ data: Schema.Array(Page), next: Schema.Null }))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List status pages")
  )
  .add(
    HttpApiEndpoint.post("create_page", "/pages")
      .setPayload(PageInput)
      .addSuccess(Page, { status: 201 })
      .addError(wire.validationFailed)
      .addError(wire.conflict)
      .addError(wire.planLimit)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Create a status page")
  )
  .add(
    HttpApiEndpoint.get("get_page")`/pages/${pageId}`
      .addSuccess(Page)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a status page")
      .annotate(OpenApi.Description, "Includes its components.")
  )
{}

export class Components extends HttpApiGroup.make("Components")
  .annotate(OpenApi.Description, "The components of a status page, and the source of each component's status.")
  .add(
    HttpApiEndpoint.post("create_component")`/pages/${pageId}/components`
      .setPayload(ComponentInput)
      .addSuccess(Component, { status: 201 })
      .addError(wire.notFound)
      .addError(wire.validationFailed)
      .addError(wire.conflict)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Create a component")
  )
  .add(
    HttpApiEndpoint.post("override_component")`/components/${componentId}/override`
      .setPayload(OverrideInput)
      .addSuccess(Component)
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Override the status of a component")
      .annotate(
        OpenApi.Description,
        "The component shows the given status until status is null. For an outage, open an incident instead: it also notifies " +
          "subscribers."
      )
  )
{}
