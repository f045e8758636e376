/** Posting an update or an internal note: from a template, with a preview of what pages and mails would show. */
import type { Incident, ProgressStatus } from "../../../../schema/incident/Incident.ts"
import type { RenderedTemplate, Template } from "../../../../schema/incident/Template.ts"
import { Markdown } from "../../../pages/html/Markdown.tsx"
import { PlainSelect } from "../../design/Filters.tsx"
import { Buttons, CallForm, Check, Field, Select, TryButton, useAnswerOf } from "../../design/Form.tsx"
import { MarkdownArea } from "../../design/MarkdownArea.tsx"
import { inWords, Panel } from "../../design/Parts.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { AffectedComponents, type Section } from "../page/ComponentPicker.tsx"

const form = "update"

const next: Readonly<Record<Incident["kind"], ReadonlyArray<ProgressStatus>>> = {
  incident: ["investigating", "identified", "monitoring", "resolved"],
  maintenance: ["scheduled", "in_progress", "completed"]
}

/** Fills in the form from a template. */
export const UseTemplate = ({ action, label = "Use template", templates, used }: {
  readonly action: string
  readonly label?: string
  readonly templates: ReadonlyArray<Template>
  readonly used: string | null
}) => (
  <form method="get" action={action} class="inline" data-carry>
    <PlainSelect id="template" label="Template" value={used} options={templates.map(({ id, name }) => [id, name])} />
    <button class="plain">{label}</button>
  </form>
)

const noTemplates = (
  <p class="note">
    <a href="/app/incidents/templates">Write templates</a> to have the words ready before the next incident.
  </p>
)

const Preview = () => {
  const { baseUrl } = useVisit()
  const answer = useAnswerOf(form, "preview_incident_update")
  if (answer === null) return null
  return (
    <section class="preview" aria-label="Preview" tabindex={-1} data-focus data-answer id="preview">
      {answer.pages.length === 0 ? <p>Only the team will see this. No page shows it and no mail goes out.</p> : null}
      {answer.pages.map(({ mail, pageId, pageName, text, title }) => (
        <div class="columns" id={`preview-${pageId}`}>
          <div>
            <h3>On {pageName}</h3>
            <div class="paper">
              <b>{title}</b>
              <Markdown text={text} images={baseUrl} />
            </div>
          </div>
          <div>
            <h3>By mail</h3>
            {mail === null ? <p class="note">No mail goes out.</p> : (
              <div class="paper">
                <b>{mail.subject}</b>
                <p class="letter" dir="auto">{mail.text}</p>
              </div>
            )}
          </div>
        </div>
      ))}
      <p class="note">Nothing is posted yet.</p>
    </section>
  )
}

export interface PostUpdateProps {
  readonly incident: Incident
  readonly sections: ReadonlyArray<Section>
  readonly templates: ReadonlyArray<Template>
  readonly rendered: RenderedTemplate | null
  readonly template: string | null
}

const impacts = ["none", "minor", "major", "critical"] as const

/** Empty fields keep what the incident has. A template's are left out: they are for the incident that it opens. */
const Headline = ({ incident: { impact, kind, title } }: Pick<PostUpdateProps, "incident">) => (
  <details class="more">
    <summary>{kind === "incident" ? "Title and impact" : "Title"}</summary>
    <Field name="title" label="New title" value={null} attributes={{ maxlength: 200, placeholder: title }} />
    {kind === "maintenance" ? null : (
      <Select
        name="impact"
        label="Impact"
        value=""
        options={[["", `Stays ${inWords(impact).toLowerCase()}`], ...impacts.map((one) => [one, inWords(one)] as const)]}
      />
    )}
  </details>
)

const Fields = ({ incident, rendered, sections }: Pick<PostUpdateProps, "incident" | "rendered" | "sections">) => {
  const isOver = incident.resolvedAt !== null
  return (
    <>
      <MarkdownArea name="message" label="Text" required rows={5} value={rendered?.message ?? null} />
      <div class="columns">
        <Select
          name="public"
          as="boolean"
          label="Who reads it"
          value={incident.public ? "true" : ""}
          // Nothing but an explicit true publishes an internal incident.
          options={[incident.public ? ["true", "Public: pages and subscribers"] : ["", "An update"], [
            "false",
            "Internal note: only the team"
          ]]}
        />
        {isOver ? null : (
          <Select
            name="status"
            label="Status"
            value={rendered?.status ?? ""}
            options={[
              ["", `Stays ${inWords(incident.status).toLowerCase()}`],
              ...next[incident.kind].map((one) => [one, inWords(one)] as const)
            ]}
          />
        )}
      </div>
      {isOver || sections.length === 0 ? null : (
        <details class="more" open={rendered !== null}>
          <summary>Affected components</summary>
          <AffectedComponents sections={sections} affected={rendered?.components ?? incident.components} />
        </details>
      )}
      <Headline incident={incident} />
      {incident.public ? <Check name="notify" label="Notify subscribers" checked={incident.notify ?? true} /> : null}
    </>
  )
}

export const PostUpdate = ({ incident, rendered, sections, template, templates }: PostUpdateProps) => {
  const kept = templates.filter(({ kind }) => kind === incident.kind)
  const action = `/app/incidents/${incident.id}#post`
  return (
    <Panel
      id="post"
      title="Post an update"
      actions={kept.length === 0 ? noTemplates : <UseTemplate action={action} label="Use" templates={kept} used={template} />}
    >
      <CallForm call="post_incident_update" id={form} fixed={{ id: incident.id }} said="Update posted">
        <Fields incident={incident} rendered={rendered} sections={sections} />
        <Preview />
        <Buttons>
          <button>Post</button>
          <TryButton call="preview_incident_update">Preview page and mail</TryButton>
        </Buttons>
      </CallForm>
    </Panel>
  )
}
