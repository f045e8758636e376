/** Incident templates: their defaults, and filling their placeholders. */
import { Either } from "effect"
import type { ComponentStatus } from "../../../schema/component/Component.ts"
import type { ComponentId } from "../../../schema/Ids.ts"
import type { IncidentKind, ProgressStatus } from "../../../schema/incident/Incident.ts"
import type { RenderedTemplate, Template, TemplateInput, TemplateUpdate } from "../../../schema/incident/Template.ts"
import type { Refusal } from "../Refusal.ts"
import { cut } from "../tools/text/TrimText.ts"
import { durationText } from "../tools/time/Duration.ts"
import { namesOf } from "./ComponentOutage.ts"
import { isStatusOf } from "./IncidentMachine.ts"

export type TemplateSettings = Omit<Template, "id" | "createdAt" | "updatedAt">

const defaults = {
  incident: { status: "investigating", impact: "minor", componentStatus: "partial_outage" },
  maintenance: { status: "scheduled", impact: "maintenance", componentStatus: "maintenance" }
} as const satisfies Record<IncidentKind, Pick<TemplateSettings, "status" | "impact" | "componentStatus">>

const settled = (settings: TemplateSettings): Either.Either<TemplateSettings, ReadonlyArray<Refusal>> =>
  isStatusOf(settings.kind, settings.status)
    ? Either.right({ ...settings, componentIds: [...new Set(settings.componentIds)] })
    : Either.left([{ path: "status", message: `${settings.status} is not a status of the kind ${settings.kind}` }])

/** The kind that a status belongs to; null without one. */
const kindOf = (status: ProgressStatus | undefined): IncidentKind | null =>
  status === undefined ? null : isStatusOf("incident", status) ? "incident" : "maintenance"

/** Without a kind, the status says which one it is for. */
export const settleTemplate = (input: TemplateInput): Either.Either<TemplateSettings, ReadonlyArray<Refusal>> => {
  const kind = input.kind ?? kindOf(input.status) ?? "incident"
  return settled({ componentIds: [], order: 0, ...defaults[kind], ...input, kind })
}

/**
 * As in `settleTemplate`, a status may change the kind. A template that changes its kind takes the new kind's defaults for the
 * settings that the update does not name.
 */
export const settleTemplateEdit = (before: TemplateSettings, update: TemplateUpdate) => {
  const kind = update.kind ?? kindOf(update.status) ?? before.kind
  return settled({ ...before, ...(kind === before.kind ? {} : defaults[kind]), ...update, kind })
}

/** The values of the placeholders; null where there are none. */
interface TemplateFacts {
  readonly components: ReadonlyArray<{ readonly id: ComponentId; readonly name: string }>
  readonly pageNames: ReadonlyArray<string>
  /** The title and the duration in seconds of an incident. */
  readonly incident: { readonly title: string; readonly lastedSec: number } | null
}

/** More names make no readable sentence, and could make the text any size. */
const mostNames = 10

/** `A, B and C`; null without names. */
const listed = (names: ReadonlyArray<string>): string | null => {
  const distinct = [...new Set(names)]
  const more = distinct.length - mostNames
  const shown = more > 0 ? [...distinct.slice(0, mostNames), `${more} more`] : distinct
  const last = shown.at(-1)
  if (last === undefined) return null
  return shown.length === 1 ? last : `${shown.slice(0, -1).join(", ")} and ${last}`
}

/** The longest title and message that an incident takes. */
const longestTitle = 200
const longestMessage = 10_000

/** Fills `{{name}}`, with or without spaces inside the braces. A placeholder that nothing fills stays visible. */
const filled = (text: string, values: Readonly<Record<string, string | null>>): string =>
  text.replace(/\{\{ ?(component|duration|status_page|title) ?\}\}/g, (placeholder, name: string) => values[name] ?? placeholder)

export const renderTemplate = (
  { body, componentStatus, impact, status, title }: TemplateSettings,
  { components, incident, pageNames }: TemplateFacts
): RenderedTemplate => {
  const values = {
    component: listed(namesOf(components)),
    duration: incident === null ? null : durationText(incident.lastedSec),
    status_page: listed(pageNames),
    title: incident?.title ?? null
  }
  const renderedTitle = cut(filled(title, values), longestTitle)
  return {
    title: renderedTitle,
    message: cut(filled(body, { ...values, title: values.title ?? renderedTitle }), longestMessage),
    status,
    impact,
    components: components.map(({ id }): { componentId: ComponentId; status: ComponentStatus } => ({
      componentId: id,
      status: componentStatus
    }))
  }
}
