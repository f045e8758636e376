/** How a person is paged in a workspace: the ways with their tests and codes, this device, and the rules. */
import type { ContactWay, PagingRules, PagingStep } from "../../../../schema/oncall/Way.ts"
import { useTypedRows } from "../../design/FieldState.tsx"
import { Buttons, CallButton, CallForm, Field, Select, Submit, useAnswerOf } from "../../design/Form.tsx"
import { Island, Item, ListPanel, Panel, StateBadge, type Tone } from "../../design/Parts.tsx"
import { OrderedRow, Rows } from "../../design/Rows.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { workerPath } from "../../install/InstallRoutes.ts"

export type Ways = AnswerOf<"list_contact_ways">

export const kindNames: Readonly<Record<ContactWay["kind"], string>> = {
  email: "Email",
  push: "Push",
  sms: "SMS",
  voice: "Call",
  slack: "Slack",
  telegram: "Telegram"
}

const stateOf = ({ usable, verifiedAt }: ContactWay): readonly [Tone, string] =>
  usable ? ["good", "Used"] : verifiedAt === null ? ["warn", "Not verified"] : ["bad", "Not used"]

const Tested = ({ id }: { readonly id: string }) => {
  const answer = useAnswerOf(`test-${id}`, "test_contact_way")
  if (answer === null) return null
  return (
    <p class="note" role="status" data-answer>
      {answer.delivered ? "The test was handed over. It should be there in a moment." : `The test failed: ${answer.error ?? ""}`}
    </p>
  )
}

const Code = ({ id, userId }: { readonly id: string; readonly userId: string }) => (
  <CallForm call="verify_contact_way" id={`verify-${id}`} fixed={{ userId, id }} said="Verified" copy={false}>
    <Field
      name="code"
      label="Code"
      required
      hint="We sent it there. It holds for 10 minutes."
      attributes={{ inputmode: "numeric", autocomplete: "one-time-code", maxlength: 20 }}
    />
    <Submit>Verify</Submit>
  </CallForm>
)

const Way = ({ userId, way }: { readonly way: ContactWay; readonly userId: string }) => {
  const { id, kind, label, problem, shown, verifiedAt } = way
  return (
    <Item
      name={kind === "email" ? "Email" : label}
      note={`${kind === "email" ? "" : `${kindNames[kind]}, `}${shown}`}
      more={
        <>
          {problem === null ? null : <p class="note">{problem}</p>}
          {id === null ? null : <Tested id={id} />}
          {id === null || verifiedAt !== null ? null : <Code id={id} userId={userId} />}
        </>
      }
    >
      <StateBadge of={stateOf(way)} />
      {id === null ? null : (
        <>
          {verifiedAt === null
            ? (
              <CallButton
                call="verify_contact_way"
                id={`code-${id}`}
                fixed={{ userId, id }}
                said="A new code is on its way"
                look="plain tight"
              >
                New code
              </CallButton>
            )
            : <CallButton call="test_contact_way" id={`test-${id}`} fixed={{ userId, id }} look="plain tight">Test</CallButton>}
          <CallButton call="delete_contact_way" id={`delete-${id}`} fixed={{ userId, id }} said="Deleted" look="danger tight">
            Delete
          </CallButton>
        </>
      )}
    </Item>
  )
}

const Device = ({ pushKey, userId }: { readonly pushKey: string; readonly userId: string }) => (
  <Panel id="this-device" title="This device">
    <p>Get pages as notifications in this browser, also while Belltower is closed. They have a button to acknowledge.</p>
    <Island name="device" keep props={{ form: "device", key: pushKey, worker: workerPath }}>
      <p class="note">This needs a script, and a browser that takes notifications.</p>
    </Island>
    <CallForm
      call="create_contact_way"
      id="device"
      fixed={{ userId, kind: "push" }}
      said="This device is paged"
      class="button-form"
      copy={false}
    >
      {["endpoint", "p256dh", "auth", "label"].map((name) => <input type="hidden" name={name} value="" />)}
    </CallForm>
  </Panel>
)

export const WaysPanel = ({ userId, ways }: { readonly ways: Ways; readonly userId: string }) => (
  <>
    <ListPanel id="contact-ways" title="How pages reach you" none="Nothing reaches you.">
      {ways.data.map((way) => <Way way={way} userId={userId} />)}
    </ListPanel>
    <Panel id="drill" title="Page me: a drill">
      <p class="note">Sends a test incident, marked [Drill], by each of these ways, and shows what became of each.</p>
      <CallButton call="create_drill" id="person-drill" fixed={{ person: userId }} then="/app/drills/{id}">
        Try all my ways
      </CallButton>
    </Panel>
    {ways.pushKey === null ? null : <Device pushKey={ways.pushKey} userId={userId} />}
  </>
)

const spare = 2

const when: ReadonlyArray<readonly [string, string]> = [
  ["", "Always"],
  ["working", "In working hours"],
  ["off", "Outside working hours"]
]

const Step = ({ at, list, step }: { readonly list: string; readonly at: number; readonly step: PagingStep | undefined }) => (
  <OrderedRow>
    <div class="columns">
      <Select
        name={`${list}.${at}.by`}
        label="By"
        required={at === 0}
        chosen={at === 0}
        value={step?.by ?? ""}
        options={[["", "Nothing"], ...Object.entries(kindNames)]}
      />
      <Field
        name={`${list}.${at}.afterMinutes`}
        type="number"
        label="Minutes after the page"
        required={at === 0 || step !== undefined}
        value={step?.afterMinutes ?? (at === 0 ? 0 : undefined)}
        attributes={{ min: 0, max: 60 }}
      />
      <Select
        name={`${list}.${at}.during`}
        label="When"
        required={false}
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

export const RulesPanel = ({ rules, userId }: { readonly rules: PagingRules; readonly userId: string }) => (
  <Panel id="paging-rules" title="What is tried when">
    <p class="note">
      Steps follow each other until somebody acknowledges. One that fails brings the next forward, and no step waits for the
      morning.
    </p>
    <CallForm call="update_paging_rules" id="rules" fixed={{ userId }} said="Saved">
      <Steps legend="Urgent pages" list="high" steps={rules.high} />
      <Steps legend="Other pages" list="low" steps={rules.low} />
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
          said="Back to the usual rules"
        >
          Use the usual rules
        </CallButton>
      )}
  </Panel>
)
