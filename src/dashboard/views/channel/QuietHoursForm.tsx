/** The quiet hours of a channel. */
import type { Channel } from "../../../../schema/alert/Channel.ts"
import { Choices } from "../../design/Choices.tsx"
import { CallButton, CallForm, Check, Field, Submit } from "../../design/Form.tsx"
import { Panel } from "../../design/Parts.tsx"
import { ZoneField } from "../../design/TimeFields.tsx"
import { useVisit } from "../../frame/Visit.ts"

export const weekdays: ReadonlyArray<readonly [value: string, name: string]> = [
  ["0", "Monday"],
  ["1", "Tuesday"],
  ["2", "Wednesday"],
  ["3", "Thursday"],
  ["4", "Friday"],
  ["5", "Saturday"],
  ["6", "Sunday"]
]

const shownDays = (days: ReadonlyArray<number> | undefined): ReadonlyArray<string> =>
  days === undefined || days.length === 0 ? weekdays.map(([value]) => value) : days.map(String)

const Hours = ({ quietHours }: Pick<Channel, "quietHours">) => {
  const { zone } = useVisit()
  return (
    <div class="columns">
      <Field name="quietHours.from" label="From" type="time" required value={quietHours?.from ?? "22:00"} />
      <Field
        name="quietHours.to"
        label="To"
        type="time"
        required
        value={quietHours?.to ?? "07:00"}
        hint="The next day, if this is before the start"
      />
      <ZoneField
        name="quietHours.timezone"
        label="Time zone"
        required
        value={quietHours?.timezone ?? zone}
        listId="quiet-zones"
      />
    </div>
  )
}

export const QuietHoursForm = ({ channel }: { readonly channel: Channel }) => {
  const { id, quietHours } = channel
  return (
    <Panel id="quiet" title="Quiet hours">
      <p class="note">Alerts wait during these hours. A summary follows at the end.</p>
      <CallForm
        call="update_channel"
        id="quiet-hours"
        fixed={{ id }}
        of={channel}
        said="Quiet hours saved"
        otherwise={<p>{quietHours === null ? "None." : `${quietHours.from} to ${quietHours.to}, ${quietHours.timezone}`}</p>}
      >
        <Hours quietHours={quietHours} />
        <Choices
          name="quietHours.days"
          as="numbers"
          label="Days on which they begin"
          options={weekdays}
          values={shownDays(quietHours?.days)}
        />
        <Check
          name="quietHours.criticalPasses"
          label="Let outages through"
          hint="Outages, and incidents of major impact, are sent anyway."
          checked={quietHours?.criticalPasses ?? true}
        />
        <Submit look="plain">{quietHours === null ? "Set quiet hours" : "Save quiet hours"}</Submit>
      </CallForm>
      {quietHours === null ?
        null :
        (
          <CallButton call="update_channel" id="quiet-off" fixed={{ id, "quietHours:text?": "" }} said="Quiet hours removed">
            Remove quiet hours
          </CallButton>
        )}
    </Panel>
  )
}
