/** The fields of an escalation policy: its levels with their targets and waits, and the incidents that it applies to. */
import type { Channel } from "../../../../schema/alert/Channel.ts"
import type { EscalationTarget, Policy } from "../../../../schema/oncall/Policy.ts"
import type { OnCallMember, Schedule } from "../../../../schema/oncall/Schedule.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { Choices } from "../../design/Choices.tsx"
import { DurationField } from "../../design/DurationField.tsx"
import { useTypedRows } from "../../design/FieldState.tsx"
import { Check, Field, Select } from "../../design/Form.tsx"
import { MonitorsField } from "../../design/MonitorsField.tsx"
import { Island } from "../../design/Parts.tsx"
import { OrderedRow, Rows } from "../../design/Rows.tsx"
import { choiceName } from "../oncall/OnDuty.tsx"

export interface Targets {
  readonly channels: ReadonlyArray<Channel>
  readonly schedules: ReadonlyArray<Schedule>
  readonly members: ReadonlyArray<OnCallMember>
}

/** Rows to fill in, besides those that are filled. */
const spare = 2

const optionsOf = ({ channels, members, schedules }: Targets): ReadonlyArray<readonly [string, string]> => [
  ["", "Nobody"],
  ...schedules.map(({ id, name }) => [`schedule/${id}`, `On call: ${name}`] as const),
  ...members.map((member) => [`user/${member.id}`, `Person: ${choiceName(member)}`] as const),
  ...channels.map(({ id, name }) => [`channel/${id}`, `Channel: ${name}`] as const)
]

const lostName = ({ id, type }: EscalationTarget): readonly [string, string] => [`${type}/${id}`, `Deleted ${type}`]

export const nameOf = (targets: Targets, target: EscalationTarget): string =>
  optionsOf(targets).find(([value]) => value === `${target.type}/${target.id}`)?.[1] ?? lostName(target)[1]

const Target = ({ level, target, targets, at }: {
  readonly level: number
  readonly at: number
  readonly target: EscalationTarget | undefined
  readonly targets: Targets
}) => {
  const known = optionsOf(targets)
  const value = target === undefined ? "" : `${target.type}/${target.id}`
  const options = target === undefined || known.some(([one]) => one === value) ? known : [...known, lostName(target)]
  return (
    <OrderedRow>
      <Select
        name={`levels.${level}.targets.${at}`}
        as="target"
        label="Page"
        required={target !== undefined || (level === 0 && at === 0)}
        // A policy that pages nobody cannot be saved.
        chosen={level === 0 && at === 0}
        value={value}
        options={options}
      />
    </OrderedRow>
  )
}

const Level = ({ at, level, targets }: {
  readonly at: number
  readonly level: Policy["levels"][number] | undefined
  readonly targets: Targets
}) => {
  const targetsOf = level?.targets ?? []
  // After a refusal, as many as were typed, whose values the fields show.
  const shown = Math.max(targetsOf.length, useTypedRows(`levels.${at}.targets`)) + spare
  return (
    <OrderedRow>
      <div class="wait">
        <DurationField
          name={`levels.${at}.afterMinutes`}
          as="minutes"
          label="Time without an acknowledgement"
          required={level !== undefined || at === 0}
          value={at === 0 ? 0 : level?.afterMinutes}
        />
      </div>
      <Select
        name={`levels.${at}.urgency`}
        label="Urgency"
        required={false}
        value={level?.urgency ?? ""}
        options={[["", "By the incident"], ["high", "High"], ["low", "Low"]]}
      />
      <Rows path="targets" add="Add somebody" what="target">
        {Array.from(
          { length: shown },
          (_, index) => <Target level={at} at={index} target={targetsOf[index]} targets={targets} />
        )}
      </Rows>
    </OrderedRow>
  )
}

const Levels = ({ levels, targets }: { readonly levels: Policy["levels"]; readonly targets: Targets }) => {
  const shown = Math.max(levels.length, useTypedRows("levels")) + spare
  return (
    <fieldset>
      <legend>Who is paged</legend>
      <p class="note">
        Level 1 is paged when an incident opens. Each next level follows if nobody acknowledges in time. People are paged by their
        contact methods and notification rules.
      </p>
      <Island name="rows" keep props={null}>
        <Rows path="levels" add="Add level" what="level">
          {Array.from({ length: shown }, (_, at) => <Level at={at} level={levels[at]} targets={targets} />)}
        </Rows>
      </Island>
    </fieldset>
  )
}

export const PolicyFields = ({ pages, policy, targets }: {
  readonly policy: Policy | null
  readonly targets: Targets
  readonly pages: ReadonlyArray<Pick<Page, "id" | "name">>
}) => (
  <>
    <Field name="name" label="Name" required value={policy?.name} attributes={{ maxlength: 80 }} />
    <Levels levels={policy?.levels ?? []} targets={targets} />
    <fieldset>
      <legend>Then</legend>
      <div class="columns">
        <Field
          name="repeat"
          type="number"
          label="Repeat the levels"
          value={policy?.repeat ?? 0}
          hint="0 to 5 times, while nobody acknowledges"
          attributes={{ min: 0, max: 5 }}
        />
        <DurationField
          name="repeatAfterMinutes"
          as="minutes"
          label="Time between repetitions"
          value={policy?.repeatAfterMinutes ?? 30}
          hint="1 min to 1 day."
        />
      </div>
    </fieldset>
    <fieldset>
      <legend>Which incidents</legend>
      <Check
        name="isDefault"
        label="Every incident without another policy"
        checked={policy?.isDefault ?? true}
      />
      {pages.length === 0 ? null : (
        <Choices
          name="pageIds"
          label="Incidents of these pages"
          options={pages.map(({ id, name }) => [id, name] as const)}
          values={policy?.pageIds ?? []}
        />
      )}
      <MonitorsField
        name="monitorIds"
        as="list"
        label="Incidents of these monitors"
        value={policy?.monitorIds.join(", ")}
        hint="At most 250."
      />
    </fieldset>
  </>
)
