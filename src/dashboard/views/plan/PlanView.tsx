/** The workspace as one document: export it, plan changes from one, and apply exactly that plan. */
import type { Plan, PlannedChange } from "../../../../schema/plan/Plan.ts"
import { programCommand } from "../../../domain/workspace/ProgramCommand.ts"
import { CodeArea } from "../../design/CodeArea.tsx"
import { CallButton, CallForm, Check, Submit, useAnswerOf } from "../../design/Form.tsx"
import { List, Panel, StateBadge, type Tone } from "../../design/Parts.tsx"
import { Moment } from "../../design/Time.tsx"
import { view } from "../../frame/View.ts"
import { useVisit } from "../../frame/Visit.ts"

const actions: Readonly<Record<PlannedChange["action"], readonly [Tone, string]>> = {
  create: ["good", "Create"],
  update: ["calm", "Change"],
  delete: ["bad", "Delete"]
}

const valueText = (
  value: unknown
): string => (value === undefined ? "nothing" : typeof value === "string" ? value : JSON.stringify(value))

const Change = ({ change: { action, fields, key, kind, name } }: { readonly change: PlannedChange }) => (
  <li>
    <div>
      <StateBadge of={actions[action]} /> {kind} <b>{name}</b> <code>{key}</code>
      {action !== "update" ? null : (
        <ul class="changes">
          {fields.map(({ from, path, to }) => (
            <li>
              <code>{path}</code>: <del>{valueText(from)}</del> <ins>{valueText(to)}</ins>
            </li>
          ))}
        </ul>
      )}
    </div>
  </li>
)

const Planned = ({ plan }: { readonly plan: Plan }) => (
  <Panel id="planned" title={`${plan.create} to create, ${plan.update} to change, ${plan.delete} to delete`} flush>
    <List none={["Nothing to do", `The workspace is as the document says: ${plan.unchanged} things are unchanged.`]}>
      {plan.changes.map((change) => <Change change={change} />)}
    </List>
    {plan.notes.length === 0 ? null : (
      <div class="body">
        <ul class="note">{plan.notes.map((note) => <li>{note}</li>)}</ul>
      </div>
    )}
    {plan.changes.length === 0 ? null : (
      <div class="pager">
        <span>
          Can be applied until <Moment at={plan.expiresAt} style="dated" />, unless the workspace changes first.
        </span>
        <CallButton call="apply_plan" id="apply" fixed={{ id: plan.id }} said="The plan was applied" look="">
          Apply this plan
        </CallButton>
      </div>
    )}
  </Panel>
)

const PlanForm = () => {
  const plan = useAnswerOf("plan-form", "plan_changes")
  return (
    <div class="stack">
      <Panel id="document" title="Plan changes from a document">
        <CallForm call="plan_changes" id="plan-form" class="form wide">
          <CodeArea
            name="document"
            as="raw"
            language="yaml"
            label="Document"
            required
            rows={14}
            hint="YAML or JSON in the format of the export. It may be partial: anything it does not name stays as it is."
          />
          <Check name="prune" label="Delete what earlier plans made and the document no longer lists" checked={false} />
          <Submit>Show what would change</Submit>
        </CallForm>
      </Panel>
      {plan === null ? null : <Planned plan={plan} />}
    </div>
  )
}

const Export = () => {
  const { baseUrl } = useVisit()
  return (
    <Panel id="export" title="Export">
      <p>
        Monitors, channels, pages, components, schedules, policies and incident templates as one document, without secrets and
        history.
      </p>
      <CallButton call="export_workspace" id="download" fixed={{ _file: "belltower.json" }}>Download the document</CallButton>
      <p class="note">
        Keep it in a repository, and apply it with this server's program from the folder where it is installed:
      </p>
      <pre
        class="block"
        id="apply-command"
        tabindex={0}
      >{`BELLTOWER_URL=${baseUrl} BELLTOWER_API_KEY=… \\\n  ${programCommand("apply belltower.yaml --check")}`}</pre>
    </Panel>
  )
}

export const planView = view("/app/plan", "plan", function*() {
  return {
    title: "Configuration",
    head: { note: "Keep your configuration in a file, and review every change before it is applied." },
    split: [<PlanForm />, <Export />]
  }
})
