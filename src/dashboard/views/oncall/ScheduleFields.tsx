/** The fields of an on-call schedule: its own rotation, and the layers over it. */
import type { Layer, OnCallHours } from "../../../../schema/oncall/Rotation.ts"
import type { OnCallMember, Schedule } from "../../../../schema/oncall/Schedule.ts"
import { useTypedRows } from "../../design/FieldState.tsx"
import { Field, Select } from "../../design/Form.tsx"
import { Island } from "../../design/Parts.tsx"
import { OrderedRow, Rows } from "../../design/Rows.tsx"
import { MomentField, ZoneField } from "../../design/TimeFields.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { weekdays } from "../channel/QuietHoursForm.tsx"
import { choiceName } from "./OnDuty.tsx"

/** Empty rows for more people, for those without scripts. */
const spare = 3

type Members = ReadonlyArray<OnCallMember>

/** `path` is that of the list in the form; inside a row of layers, the script wants its last name alone. */
const People = ({ inLayer, members, participants, path }: {
  readonly members: Members
  readonly participants: ReadonlyArray<string>
  readonly path: string
  readonly inLayer: boolean
}) => {
  const people = members.map((member) => [member.id, choiceName(member)] as const)
  // After a refusal, as many rows as were typed.
  const shown = Math.min(50, Math.max(participants.length, useTypedRows(path)) + (inLayer ? 1 : spare))
  const known = new Set<string>(people.map(([id]) => id))
  const left = participants.filter((id) => !known.has(id)).map((id) => [id, "Someone who left"] as const)
  return (
    <Rows path={inLayer ? "participants" : path} add="Add person" what="person">
      {Array.from({ length: shown }, (_, at) => (
        <OrderedRow>
          <Select
            name={`${path}.${at}`}
            label={`Person ${at + 1}`}
            required={participants[at] !== undefined || (at === 0 && !inLayer)}
            chosen={at === 0 && !inLayer}
            value={participants[at] ?? ""}
            options={[["", "Nobody"], ...people, ...left]}
          />
        </OrderedRow>
      ))}
    </Rows>
  )
}

const daysOptions: ReadonlyArray<readonly [string, string]> = [
  ["", "Not set"],
  ["0,1,2,3,4,5,6", "Every day"],
  ["0,1,2,3,4", "Monday to Friday"],
  ["5,6", "Saturday and Sunday"],
  ...weekdays
]

const daysText = (days: ReadonlyArray<number>): string => days.map((day) => weekdays[day]?.[1].slice(0, 3) ?? "").join(", ")

const Hours = ({ hours, inLayer, path }: {
  readonly hours: ReadonlyArray<OnCallHours>
  readonly path: string
  readonly inLayer: boolean
}) => {
  const shown = Math.min(7, Math.max(hours.length, useTypedRows(path)) + 1)
  return (
    <Rows path={inLayer ? "hours" : path} add="Add hours" what="hours">
      {Array.from({ length: shown }, (_, at) => {
        const { days = [], from = "", to = "" } = hours[at] ?? {}
        const value = days.join(",")
        const options = daysOptions.some(([one]) => one === value)
          ? daysOptions
          : [...daysOptions, [value, daysText(days)] as const]
        return (
          <OrderedRow>
            <div class="columns close">
              <Select name={`${path}.${at}.days`} as="numberList+" label="Only on" value={value} options={options} />
              <Field name={`${path}.${at}.from`} type="time" label="From" value={from} />
              <Field name={`${path}.${at}.to`} type="time" label="To" value={to} />
            </div>
          </OrderedRow>
        )
      })}
    </Rows>
  )
}

const LayerRow = ({ at, layer, members, zone }: {
  readonly at: number
  readonly layer: Layer | undefined
  readonly members: Members
  readonly zone: string
}) => {
  const path = `layers.${at}`
  return (
    <OrderedRow>
      <div class="columns">
        <Field name={`${path}.name`} label="Name of the layer" value={layer?.name} attributes={{ maxlength: 80 }} />
        <Select
          name={`${path}.turnUnit`}
          label="Turns"
          value={layer?.turnUnit ?? ""}
          options={layer === undefined ? [["", "Weekly"], ["day", "Daily"]] : [["week", "Weekly"], ["day", "Daily"]]}
        />
        <Field
          name={`${path}.turnLength`}
          as="number"
          type="number"
          label="Turn length"
          value={layer?.turnLength}
          attributes={{ min: 1, max: 52 }}
        />
        <Field
          name={`${path}.atOnce`}
          as="number"
          type="number"
          label="People at a time"
          value={layer?.atOnce}
          attributes={{ min: 1, max: 10 }}
        />
        <Select
          name={`${path}.handoffDay`}
          as="number"
          label="Hand-off on"
          value={layer?.handoffDay ?? ""}
          options={[["", "As above"], ...weekdays]}
        />
        <Field name={`${path}.handoffTime`} type="time" label="At" value={layer?.handoffTime} />
        <Field name={`${path}.startDay`} type="date" label="First turn" value={layer?.startDay} />
        <Select
          name={`${path}.beside`}
          as="boolean"
          label="People below"
          value={layer?.beside === true ? "true" : ""}
          options={[["", "Are replaced"], ["true", "Stay on call, too"]]}
        />
        <MomentField name={`${path}.activeFrom`} label="Not before" at={layer?.activeFrom ?? null} zone={zone} />
        <MomentField name={`${path}.activeUntil`} label="Only until" at={layer?.activeUntil ?? null} zone={zone} />
      </div>
      <People path={`${path}.participants`} members={members} participants={layer?.participants ?? []} inLayer />
      <Hours path={`${path}.hours`} hours={layer?.hours ?? []} inLayer />
    </OrderedRow>
  )
}

const Layers = ({ layers, members, zone }: {
  readonly layers: ReadonlyArray<Layer>
  readonly members: Members
  readonly zone: string
}) => {
  const typed = useTypedRows("layers")
  const shown = Math.min(10, Math.max(layers.length, typed) + 1)
  return (
    <details class="more" open={layers.length > 0 || typed > 0}>
      <summary>More layers, for weekends, nights or other time zones</summary>
      <p class="note">If several layers have someone on call, the last one wins.</p>
      {/* Makes an update say that no layer is left. */}
      <input type="hidden" name="layers:all" value="" />
      <Island name="rows" keep props={null}>
        <Rows path="layers" add="Add layer" what="layer">
          {Array.from(
            { length: shown },
            (_, at) => <LayerRow at={at} layer={layers[at]} members={members} zone={zone} />
          )}
        </Rows>
      </Island>
    </details>
  )
}

const Turns = ({ schedule }: { readonly schedule: Schedule | null }) => {
  const { zone } = useVisit()
  return (
    <div class="columns">
      <Select
        name="turnUnit"
        label="Turns"
        value={schedule?.turnUnit ?? "week"}
        options={[["week", "Weekly"], ["day", "Daily"]]}
      />
      <Field
        name="turnLength"
        as="number"
        type="number"
        label="Turn length"
        value={schedule?.turnLength ?? 1}
        hint="In weeks or days: 2 for every two weeks"
        attributes={{ min: 1, max: 52 }}
      />
      <Field
        name="atOnce"
        as="number"
        type="number"
        label="People at a time"
        value={schedule?.atOnce ?? 1}
        attributes={{ min: 1, max: 10 }}
      />
      <Select
        name="handoffDay"
        as="number"
        label="Hand-off on"
        value={schedule?.handoffDay ?? 0}
        hint="Only for weekly rotation"
        options={weekdays}
      />
      <Field name="handoffTime" type="time" label="At" required value={schedule?.handoffTime ?? "09:00"} />
      <ZoneField name="timezone" label="Time zone" required value={schedule?.timezone ?? zone} listId="schedule-zones" />
      <Field
        name="startDay"
        type="date"
        label="First turn"
        required={schedule !== null}
        value={schedule?.startDay}
        hint="A date in the first person's turn. Default: the current one"
      />
      {/* Emptied, the fields clear what was set. */}
      <input type="hidden" name="activeFrom:text?" value="" />
      <MomentField name="activeFrom" label="Not before" at={schedule?.activeFrom ?? null} zone={schedule?.timezone ?? zone} />
      <input type="hidden" name="activeUntil:text?" value="" />
      <MomentField name="activeUntil" label="Only until" at={schedule?.activeUntil ?? null} zone={schedule?.timezone ?? zone} />
    </div>
  )
}

const OpenHours = ({ hours }: { readonly hours: ReadonlyArray<OnCallHours> }) => {
  const typed = useTypedRows("hours")
  return (
    <details class="more" open={hours.length > 0 || typed > 0}>
      <summary>Restrict to certain hours</summary>
      <p class="note">Without restrictions, someone is on call at all hours. An end before the start is on the next day.</p>
      <input type="hidden" name="hours:all" value="" />
      <Island name="rows" keep props={null}>
        <Hours path="hours" hours={hours} inLayer={false} />
      </Island>
    </details>
  )
}

export const ScheduleFields = ({ members, schedule }: {
  readonly schedule: Schedule | null
  readonly members: Members
}) => {
  const { person, zone } = useVisit()
  return (
    <>
      <Field name="name" label="Name" required value={schedule?.name} attributes={{ maxlength: 80 }} />
      <Turns schedule={schedule} />
      <fieldset>
        <legend>Rotation</legend>
        <p class="note">People take turns in this order.</p>
        <Island name="rows" keep props={null}>
          <People
            path="participants"
            members={members}
            participants={schedule?.participants ?? [person.user.id]}
            inLayer={false}
          />
        </Island>
      </fieldset>
      <OpenHours hours={schedule?.hours ?? []} />
      <Layers layers={schedule?.layers ?? []} members={members} zone={schedule?.timezone ?? zone} />
    </>
  )
}
