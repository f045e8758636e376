/** The fields of an on-call schedule. */
import type { OnCallMember, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { useTypedRows } from "../../design/FieldState.tsx"
import { Field, Select } from "../../design/Form.tsx"
import { Island } from "../../design/Parts.tsx"
import { OrderedRow, Rows } from "../../design/Rows.tsx"
import { ZoneField } from "../../design/TimeFields.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { weekdays } from "../channel/QuietHoursForm.tsx"
import { choiceName } from "./OnDuty.tsx"

/** Empty rows for more people, for those without scripts. */
const spare = 3

const People = ({ members, participants }: {
  readonly members: ReadonlyArray<OnCallMember>
  readonly participants: ReadonlyArray<string>
}) => {
  const people = members.map((member) => [member.id, choiceName(member)] as const)
  // After a refusal, as many rows as were typed.
  const shown = Math.min(50, Math.max(participants.length, useTypedRows("participants")) + spare)
  const known = new Set<string>(people.map(([id]) => id))
  const left = participants.filter((id) => !known.has(id)).map((id) => [id, "Someone who left"] as const)
  return (
    <fieldset>
      <legend>Rotation</legend>
      <p class="note">Each is on call for a week, in this order. People are paged by email, at a confirmed address.</p>
      <Island name="rows" keep props={null}>
        <Rows path="participants" add="Add person" what="person">
          {Array.from({ length: shown }, (_, at) => (
            <OrderedRow>
              <Select
                name={`participants.${at}`}
                label={`Person ${at + 1}`}
                required={participants[at] !== undefined || at === 0}
                chosen={at === 0}
                value={participants[at] ?? ""}
                options={[["", "Nobody"], ...people, ...left]}
              />
            </OrderedRow>
          ))}
        </Rows>
      </Island>
    </fieldset>
  )
}

export const ScheduleFields = ({ members, schedule }: {
  readonly schedule: Schedule | null
  readonly members: ReadonlyArray<OnCallMember>
}) => {
  const { person, zone } = useVisit()
  return (
    <>
      <Field name="name" label="Name" required value={schedule?.name} attributes={{ maxlength: 80 }} />
      <div class="columns">
        <Select
          name="handoffDay"
          as="number"
          label="Hand-off on"
          value={schedule?.handoffDay ?? 0}
          options={weekdays}
        />
        <Field name="handoffTime" type="time" label="At" required value={schedule?.handoffTime ?? "09:00"} />
        <ZoneField name="timezone" label="Time zone" required value={schedule?.timezone ?? zone} listId="schedule-zones" />
        <Field
          name="startDay"
          type="date"
          label="First week"
          value={schedule?.startDay}
          hint="A date in the first person's week. Default: this week"
        />
      </div>
      <People members={members} participants={schedule?.participants ?? [person.user.id]} />
    </>
  )
}
