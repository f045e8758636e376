/** An incident template: prepared texts with placeholders, and what rendering returns. */
import { Schema } from "effect"
import { ComponentStatus } from "../component/Component.ts"
import { list, name, optional, textLike, Timestamp, whole } from "../Fields.ts"
import { ComponentId, IncidentId, TemplateId } from "../Ids.ts"
import { AffectedComponent, GivenImpact, IncidentKind, ProgressStatus } from "./Incident.ts"

const placeholders = "Placeholders: {{component}}, {{duration}}, {{status_page}} and {{title}}"

const templateName = name(80).annotations({ examples: ["Slow component"] })
const title = name(200).annotations({ description: placeholders, examples: ["{{component}} is slow"] })
const body = name(10_000).annotations({
  description: placeholders,
  examples: ["{{component}} has been slow for {{duration}}. We are looking into it."]
})

const settings = {
  kind: optional(IncidentKind, "Default by the status"),
  status: optional(ProgressStatus, "Default investigating"),
  impact: optional(GivenImpact, "Default minor"),
  componentIds: optional(list(ComponentId, 200), "Default components"),
  componentStatus: optional(ComponentStatus, "Default partial_outage"),
  order: optional(whole(0, 10_000))
}

export const TemplateInput = Schema.Struct({ name: templateName, title, body, ...settings }).annotations({
  identifier: "TemplateInput"
})
export type TemplateInput = typeof TemplateInput.Type

export const TemplateUpdate = Schema.Struct({
  name: optional(templateName),
  title: optional(title),
  body: optional(body),
  ...settings
}).annotations({ identifier: "TemplateUpdate" })
export type TemplateUpdate = typeof TemplateUpdate.Type

export const Template = Schema.Struct({
  id: TemplateId,
  name: textLike("Slow component"),
  kind: IncidentKind.annotations({ description: "What it is for: incidents or maintenance windows" }),
  title: textLike("{{component}} is slow", "Headline, with placeholders"),
  body: textLike("{{component}} has been slow for {{duration}}. We are looking into it."),
  status: ProgressStatus.annotations({ description: "Status to start with" }),
  impact: GivenImpact,
  componentIds: Schema.Array(ComponentId).annotations({ description: "The components" }),
  componentStatus: ComponentStatus.annotations({ description: "Status that the components are given" }),
  order: Schema.Int,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "IncidentTemplate" })
export type Template = typeof Template.Type

export const RenderInput = Schema.Struct({
  incidentId: optional(IncidentId, "Its components and duration fill the placeholders"),
  componentIds: optional(list(ComponentId, 200), "Default those of the template")
}).annotations({ identifier: "RenderInput" })
export type RenderInput = typeof RenderInput.Type

export const RenderedTemplate = Schema.Struct({
  title: textLike("Checkout is slow", "Headline, with the placeholders filled"),
  message: textLike("Checkout has been slow for 12 minutes. We are looking into it.", "Text, with the placeholders filled"),
  status: ProgressStatus,
  impact: GivenImpact,
  components: Schema.Array(AffectedComponent)
}).annotations({ identifier: "RenderedTemplate" })
export type RenderedTemplate = typeof RenderedTemplate.Type
