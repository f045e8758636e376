/** The view of a new incident or of new maintenance, filled in from a template if one is chosen, and the form of an incident. */
import { Effect } from "effect"
import type { FunctionComponent } from "preact"
import type { RenderedTemplate, Template } from "../../../../schema/incident/Template.ts"
import { Choices } from "../../design/Choices.tsx"
import { CallForm, Check, Field, Select, Submit } from "../../design/Form.tsx"
import { MarkdownArea } from "../../design/MarkdownArea.tsx"
import { Panel } from "../../design/Parts.tsx"
import { read, readOrNull, together, view } from "../../frame/View.ts"
import { AffectedComponents, type Section } from "../page/ComponentPicker.tsx"
import { PagePicker, readPageChoices } from "../page/PageChoice.tsx"
import { UseTemplate } from "./PostUpdate.tsx"

export interface NewParts {
  readonly pages: ReadonlyArray<readonly [id: string, name: string]>
  readonly sections: ReadonlyArray<Section>
  /** The chosen template, filled in; null without one. */
  readonly rendered: RenderedTemplate | null
}

/** Which pages show it; a workspace's only page is chosen already. */
export const PageChoices = ({ label, none, pages }: Pick<NewParts, "pages"> & {
  readonly label: string
  readonly none: string
}) =>
  pages.length === 0
    ? <p class="note">{none}</p>
    : <Choices name="pageIds" label={label} options={pages} values={pages.length === 1 ? pages.map(([id]) => id) : []} />

export const newFromTemplate = ({ Form, kind, noun, section, question, title }: {
  readonly kind: Template["kind"]
  readonly section: "incidents" | "maintenance"
  readonly noun: string
  readonly title: string
  readonly question: string
  readonly Form: FunctionComponent<NewParts>
}) => {
  const path = `/app/${section}/new` as const
  return view(path, section, function*({ query }) {
    const template = query.get("template")
    const [choices, { data: templates }, rendered] = yield* together([
      readPageChoices,
      read("list_incident_templates"),
      template === null ? Effect.succeed(null) : readOrNull("render_incident_template", { id: template })
    ])
    const fitting = templates.filter((one) => one.kind === kind)
    return {
      title,
      head: { crumbs: [[`/app/${section}`, noun]] },
      body: (
        <Panel
          id="new"
          title={question}
          actions={fitting.length === 0 ? null : <UseTemplate {...{ action: path, templates: fitting, used: template }} />}
        >
          <PagePicker choices={choices} />
          <Form pages={choices.pages} sections={choices.sections} rendered={rendered} />
        </Panel>
      )
    }
  })
}

const impacts = [["", "From the components"], ["none", "None"], ["minor", "Minor"], ["major", "Major"], [
  "critical",
  "Critical"
]] as const

const NewIncident = ({ pages, rendered, sections }: NewParts) => (
  <CallForm call="create_incident" id="incident" then="/app/incidents/{id}" said="Incident opened">
    <Field name="title" label="Title" required value={rendered?.title ?? null} attributes={{ maxlength: 200, autofocus: true }} />
    <MarkdownArea
      name="message"
      label="First update"
      required
      value={rendered?.message ?? null}
      hint="What visitors and subscribers read, if the incident is public."
    />
    <div class="columns">
      <Select
        name="status"
        label="Status"
        value={rendered?.status ?? "investigating"}
        options={[["investigating", "Investigating"], ["identified", "Identified"], ["monitoring", "Monitoring"]]}
      />
      <Select
        name="impact"
        label="Impact"
        value={rendered === null || rendered.impact === "maintenance" ? "" : rendered.impact}
        options={impacts}
      />
    </div>
    <PageChoices label="Show it on" none="No status page yet, so only the team sees the incident." pages={pages} />
    <fieldset>
      <legend>Affected components</legend>
      <AffectedComponents sections={sections} affected={rendered?.components ?? []} />
    </fieldset>
    <Check name="public" label="Public" checked={pages.length > 0} hint="Otherwise only your team sees it." />
    <Check name="notify" label="Notify subscribers of the pages" checked />
    <Submit cancel="/app/incidents">Open incident</Submit>
  </CallForm>
)

export const newIncidentView = newFromTemplate({
  kind: "incident",
  section: "incidents",
  noun: "Incidents",
  title: "New incident",
  question: "What is going on?",
  Form: NewIncident
})
