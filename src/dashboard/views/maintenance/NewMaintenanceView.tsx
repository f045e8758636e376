/** Scheduling maintenance, once or in a series. */
import { Choices } from "../../design/Choices.tsx"
import { CallForm, Check, Field, Submit } from "../../design/Form.tsx"
import { MarkdownArea } from "../../design/MarkdownArea.tsx"
import { Island } from "../../design/Parts.tsx"
import { MomentField } from "../../design/TimeFields.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { newFromTemplate, type NewParts, PageChoices } from "../incident/NewIncidentView.tsx"
import { ComponentChoices } from "../page/ComponentPicker.tsx"

const Series = () => {
  const { locale, zone } = useVisit()
  return (
    <fieldset>
      <legend>Repeat</legend>
      <Island name="repeat" keep props={{ form: "maintenance", locale, start: `scheduledStart:moment@${zone}` }}>
        <div class="columns">
          <Field
            name="recurrence.rule"
            label="Rule"
            attributes={{ list: "rules", placeholder: "FREQ=WEEKLY;BYDAY=SU", maxlength: 300, autocomplete: "off" }}
            hint="RRULE of RFC 5545, for example FREQ=WEEKLY;BYDAY=SU, FREQ=MONTHLY;BYDAY=1SU or FREQ=DAILY;COUNT=5. The next window is scheduled when one ends."
          />
          <Field
            name="recurrence.timezone"
            as="key"
            label="Time zone of the rule"
            value={zone}
            hint="The local time stays the same when the clocks change."
          />
        </div>
        <datalist id="rules">
          <option value="FREQ=WEEKLY;BYDAY=SU">Each Sunday</option>
          <option value="FREQ=MONTHLY;BYDAY=1SU">The first Sunday of each month</option>
          <option value="FREQ=MONTHLY;BYMONTHDAY=1">The first day of each month</option>
          <option value="FREQ=DAILY">Each day</option>
        </datalist>
      </Island>
    </fieldset>
  )
}

const NewMaintenance = ({ pages, rendered, sections }: NewParts) => (
  <CallForm call="schedule_maintenance" id="maintenance" then="/app/incidents/{id}" said="Maintenance scheduled">
    <Field name="title" label="Title" required value={rendered?.title ?? null} attributes={{ maxlength: 200, autofocus: true }} />
    <MarkdownArea
      name="message"
      label="Announcement"
      required
      value={rendered?.message ?? null}
      hint="What visitors and subscribers read."
    />
    <div class="columns">
      <MomentField name="scheduledStart" label="Starts" required at={null} />
      <MomentField name="scheduledEnd" label="Ends" required at={null} />
    </div>
    <Series />
    <PageChoices label="Announce it on" none="No status page yet, so nobody sees the announcement." pages={pages} />
    <ComponentChoices
      label="Components that show maintenance while it runs"
      hint="Select none to cover all components of the chosen pages. Alerts of their monitors are held back; a monitor that is still down afterwards alerts then."
      sections={sections}
      values={rendered?.components.map(({ componentId }) =>
        componentId
      ) ?? []}
    />
    <Choices
      name="remindMinutes"
      as="numbers"
      label="Remind subscribers"
      options={[["10080", "A week before"], ["1440", "A day before"], ["60", "An hour before"], ["15", "15 minutes before"]]}
      values={["1440", "60"]}
    />
    <Check
      name="notify"
      label="Notify subscribers"
      checked
      hint="Now, at the start and at the end. Reminders need it."
    />
    <Submit cancel="/app/maintenance">Schedule maintenance</Submit>
  </CallForm>
)

export const newMaintenanceView = newFromTemplate({
  kind: "maintenance",
  section: "maintenance",
  noun: "Maintenance",
  title: "Schedule maintenance",
  question: "What is planned?",
  Form: NewMaintenance
})
