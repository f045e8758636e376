/** Opening an incident by hand, from a template if one fits. */
import { Area, CallForm, Check, Field, Select, Submit } from "../../design/Form.tsx"
import { AffectedComponents } from "../page/ComponentPicker.tsx"
import { newFromTemplate, type NewParts, PageChoices } from "./NewFromTemplate.tsx"

const impacts = [["", "By the components"], ["none", "None"], ["minor", "Minor"], ["major", "Major"], [
  "critical",
  "Critical"
]] as const

const NewIncident = ({ pages, rendered, sections }: NewParts) => (
  <CallForm call="create_incident" id="incident" then="/app/incidents/{id}" said="Incident opened">
    <Field name="title" label="Title" required value={rendered?.title ?? null} attributes={{ maxlength: 200, autofocus: true }} />
    <Area
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
    <PageChoices label="Pages that show it" none="No status page yet, so only the team sees the incident." pages={pages} />
    <fieldset>
      <legend>Affected components</legend>
      <AffectedComponents sections={sections} affected={rendered?.components ?? []} />
    </fieldset>
    <Check name="public" label="Public" checked={pages.length > 0} hint="Otherwise only the team sees it." />
    <Check name="notify" label="Notify subscribers of the pages" checked />
    <Submit cancel="/app/incidents">Open incident</Submit>
  </CallForm>
)

export const newIncidentView = newFromTemplate({
  kind: "incident",
  place: "incidents",
  noun: "Incidents",
  title: "New incident",
  question: "What is going on?",
  Form: NewIncident
})
