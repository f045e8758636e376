/** The rules by which a person is paged: steps for each urgency, and working hours. */
import type { ContactWay, PagingRules, PagingStep } from "../../../../schema/oncall/Way.ts"
import { Choices } from "../../design/Choices.tsx"
import { useTypedRows } from "../../design/FieldState.tsx"
import { CallButton, CallForm, Field, Select, Submit } from "../../design/Form.tsx"
import { Island, Panel } from "../../design/Parts.tsx"
import { OrderedRow, Rows } from "../../design/Rows.tsx"
import { ZoneField } from "../../design/TimeFields.tsx"
import { useVisit } from "../../frame/Visit.ts"
import { weekdays } from "../channel/QuietHoursForm.tsx"
import { kindNames } from "./PagedBy.tsx"

const spare = 2

const when: ReadonlyArray<readonly [string, string]> = [
  ["", "Always"],
  ["working", "In working hours"],
  ["off", "Outside working hours"]
]

type Ways = ReadonlyArray<ContactWay>

const optionsOf = (ways: Ways, chosen: string | undefined): ReadonlyArray<readonly [string, string]> => [
  ...ways.map(({ id, kind, label }) => [id ?? "", `${kindNames[kind]}: ${label}`] as const),
  ...(chosen === undefined || ways.some(({ id }) => id === chosen) ? [] : [[chosen, "A deleted one"] as const])
]

const Step = ({ at, list, step, ways }: {
  readonly list: string
  readonly at: number
  readonly step: PagingStep | undefined
  readonly ways: Ways
}) => (
  <OrderedRow>
    <div class="columns close">
      <Select
        name={`${list}.${at}.by`}
        label="Method"
        required={at === 0 || step !== undefined}
        chosen={at === 0 || step !== undefined}
        value={step?.by ?? ""}
        options={[["", "Nothing"], ...Object.entries(kindNames)]}
      />
      {ways.length === 0 && step?.wayId === undefined ? null : (
        <Select
          name={`${list}.${at}.wayId`}
          label="Only"
          value={step?.wayId ?? ""}
          options={[["", "Each of them"], ...optionsOf(ways, step?.wayId)]}
        />
      )}
      <Field
        name={`${list}.${at}.afterMinutes`}
        type="number"
        label="After (min)"
        required={at === 0 || step !== undefined}
        value={step?.afterMinutes ?? (at === 0 ? 0 : undefined)}
        attributes={{ min: 0, max: 60 }}
      />
      <Select
        name={`${list}.${at}.during`}
        label="When"
        value={step?.during === "any" ? "" : step?.during ?? ""}
        options={when}
      />
    </div>
  </OrderedRow>
)

const Steps = ({ legend, list, steps, ways }: {
  readonly legend: string
  readonly list: "high" | "low"
  readonly steps: ReadonlyArray<PagingStep>
  readonly ways: Ways
}) => {
  const shown = Math.max(steps.length, useTypedRows(list)) + spare
  return (
    <fieldset>
      <legend>{legend}</legend>
      <Island name="rows" keep props={null}>
        <Rows path={list} add="Add step" what="step">
          {Array.from({ length: shown }, (_, at) => <Step list={list} at={at} step={steps[at]} ways={ways} />)}
        </Rows>
      </Island>
    </fieldset>
  )
}

/** One group of fields: all of them, or none. */
const Hours = ({ hours }: { readonly hours: PagingRules["workingHours"] }) => {
  const { zone } = useVisit()
  return (
    <fieldset>
      <legend>Working hours</legend>
      <p class="note">A step can be limited to these hours, or to the time outside them. Leave everything empty for none.</p>
      {/* Makes an update say that there are none, unless the fields below are filled in. */}
      <input type="hidden" name="workingHours:text?" value="" />
      <Choices
        name="workingHours.days"
        as="numbers+"
        label="Days"
        options={weekdays}
        values={(hours?.days ?? []).map(String)}
      />
      <div class="columns">
        <Field name="workingHours.from" type="time" label="From" value={hours?.from} />
        <Field
          name="workingHours.to"
          type="time"
          label="To"
          value={hours?.to}
          hint="The next day, if this is before the start"
        />
        <ZoneField
          name="workingHours.timezone"
          as="key"
          label="Time zone"
          value={hours?.timezone ?? zone}
          listId="working-zones"
        />
      </div>
    </fieldset>
  )
}

const RulesForm = ({ rules, userId, ways }: {
  readonly rules: PagingRules
  readonly userId: string
  readonly ways: Ways
}) => (
  <CallForm call="update_paging_rules" id="rules" fixed={{ userId }} of={rules} said="Saved">
    <Steps legend="Urgent pages" list="high" steps={rules.high} ways={ways} />
    <Steps legend="Other pages" list="low" steps={rules.low} ways={ways} />
    <Hours hours={rules.workingHours} />
    <Submit>Save</Submit>
  </CallForm>
)

/** `ways`: those of the person; email has no record, so no step names it. */
export const RulesPanel = ({ rules, userId, ways }: {
  readonly rules: PagingRules
  readonly userId: string
  readonly ways: Ways
}) => (
  <Panel id="paging-rules" title="Notification rules">
    <p class="note">
      Steps run in order until somebody acknowledges. If one fails, the next starts early.
    </p>
    <RulesForm rules={rules} userId={userId} ways={ways.filter(({ id }) => id !== null)} />
    {rules.isDefault ?
      null :
      (
        <CallButton
          call="update_paging_rules"
          id="reset-rules"
          fixed={{ userId, "reset:boolean": true }}
          said="Default rules restored"
        >
          Restore the default rules
        </CallButton>
      )}
  </Panel>
)
