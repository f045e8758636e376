/** The rules by which a person is paged: steps for each urgency, and working hours. */
import type { PagingRules, PagingStep } from "../../../../schema/oncall/Way.ts"
import { Choices } from "../../design/Choices.tsx"
import { useTypedRows } from "../../design/FieldState.tsx"
import { Buttons, CallButton, CallForm, Field, Select, Submit } from "../../design/Form.tsx"
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

const Step = ({ at, list, step }: { readonly list: string; readonly at: number; readonly step: PagingStep | undefined }) => (
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

const Steps = ({ legend, list, steps }: {
  readonly legend: string
  readonly list: "high" | "low"
  readonly steps: ReadonlyArray<PagingStep>
}) => {
  const shown = Math.max(steps.length, useTypedRows(list)) + spare
  return (
    <fieldset>
      <legend>{legend}</legend>
      <Island name="rows" keep props={null}>
        <Rows path={list} add="Add step" what="step">
          {Array.from({ length: shown }, (_, at) => <Step list={list} at={at} step={steps[at]} />)}
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
      {/* Tells an update that there are none, unless the fields below are filled in. */}
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

export const RulesPanel = ({ rules, userId }: { readonly rules: PagingRules; readonly userId: string }) => (
  <Panel id="paging-rules" title="Notification rules">
    <p class="note">
      Steps run in order until somebody acknowledges. If one fails, the next starts early.
    </p>
    <CallForm call="update_paging_rules" id="rules" fixed={{ userId }} said="Saved">
      <Steps legend="Urgent pages" list="high" steps={rules.high} />
      <Steps legend="Other pages" list="low" steps={rules.low} />
      <Hours hours={rules.workingHours} />
      <Buttons>
        <Submit>Save</Submit>
      </Buttons>
    </CallForm>
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
