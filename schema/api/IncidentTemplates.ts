/** The operations on incident templates. */
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { TemplateId } from "../Ids.ts"
import { RenderedTemplate, RenderInput, Template, TemplateInput, TemplateUpdate } from "../incident/Template.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { all, created, deleted } from "./parts/Answers.ts"

const templateId = HttpApiSchema.param("id", TemplateId)

export const listTemplates = HttpApiEndpoint.get("list_incident_templates", "/incident-templates")
  .addSuccess(all(Template))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "List incident templates")

export const createTemplate = HttpApiEndpoint.post("create_incident_template", "/incident-templates")
  .setPayload(TemplateInput)
  .addSuccess(created(Template, "CreatedTemplate"), { status: 201 })
  .addError(wire.validationFailed)
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Create an incident template")

export const updateTemplate = HttpApiEndpoint.patch("update_incident_template")`/incident-templates/${templateId}`
  .setPayload(TemplateUpdate)
  .addSuccess(Template)
  .addError(Schema.Union(wire.notFound, wire.validationFailed))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Update an incident template")

export const deleteTemplate = HttpApiEndpoint.del("delete_incident_template")`/incident-templates/${templateId}`
  .addSuccess(deleted(TemplateId))
  .addError(wire.notFound)
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Delete an incident template")

export const renderTemplate = HttpApiEndpoint.post("render_incident_template")`/incident-templates/${templateId}/render`
  .setPayload(RenderInput)
  .addSuccess(RenderedTemplate)
  .addError(Schema.Union(wire.notFound, wire.validationFailed))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "Render an incident template")
  .annotate(
    OpenApi.Description,
    "Returns what create_incident, schedule_maintenance and post_incident_update take. A placeholder that nothing fills stays in " +
      "the text: {{duration}} needs an incident."
  )
