/** Escalation policies: all with their levels, a new one, and one that exists. */
import { Effect } from "effect"
import type { Policy } from "../../../../schema/oncall/Policy.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { isolated } from "../../../domain/tools/text/Direction.ts"
import { Delete } from "../../design/Confirm.tsx"
import { CallForm, Submit } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Box, List, Tag } from "../../design/Parts.tsx"
import { listed, read, together, view } from "../../frame/View.ts"
import { PagingWarnings } from "../oncall/OnDuty.tsx"
import { nameOf, PolicyFields, type Targets } from "./PolicyFields.tsx"

/** Everything that a policy can page. */
const readTargets = Effect.map(
  together([read("list_channels"), read("list_oncall_schedules"), read("list_oncall_members")]),
  ([channels, schedules, members]): Targets => ({ channels: channels.data, schedules: schedules.data, members: members.data })
)

const NewPolicy = () => useMay("create_escalation_policy") ? <a class="button" href="/app/escalation/new">New policy</a> : null

const scopeOf = ({ isDefault, monitorIds, pageIds }: Policy): string =>
  [
    ...(monitorIds.length === 0 ? [] : [counted(monitorIds.length, "monitor")]),
    ...(pageIds.length === 0 ? [] : [counted(pageIds.length, "page")]),
    ...(isDefault ? ["all other incidents"] : [])
  ].join(", ") || "No incident"

const LevelLine = ({ at, level, targets }: {
  readonly at: number
  readonly level: Policy["levels"][number]
  readonly targets: Targets
}) => (
  <li>
    <span class="note">{at === 0 ? "Immediately" : `After ${level.afterMinutes} more min`}</span>
    {level.targets.map((target) => <Tag>{nameOf(targets, target)}</Tag>)}
  </li>
)

const Row = ({ policy, targets }: { readonly policy: Policy; readonly targets: Targets }) => (
  <li id={`policy-${policy.id}`}>
    <div>
      <a class="title" href={`/app/escalation/${policy.id}`}>{policy.name}</a>
      <p class="note">For {scopeOf(policy)}</p>
      <ol class="levels-line">
        {policy.levels.map((level, at) => <LevelLine at={at} level={level} targets={targets} />)}
      </ol>
      <PagingWarnings of={policy.warnings} />
    </div>
    {policy.isDefault ? <Tag>Default</Tag> : null}
  </li>
)

export const escalationView = view("/app/escalation", "escalation", function*() {
  const [{ data }, targets] = yield* Effect.all([read("list_escalation_policies"), readTargets])
  return {
    title: "Escalation",
    head: { note: "Who is paged about an incident, level by level, until somebody acknowledges it.", actions: <NewPolicy /> },
    body: (
      <section class="panel" aria-label="Policies">
        <List
          none={[
            "No escalation policies yet",
            "Without a policy, alerts only go to channels. A policy pages the person on call, then the next level if nobody acknowledges."
          ]}
          action={<NewPolicy />}
        >
          {data.map((policy) => <Row policy={policy} targets={targets} />)}
        </List>
      </section>
    )
  }
})

const crumbs = [["/app/escalation", "Escalation"]] as const

const readChoices = Effect.map(
  together([readTargets, read("list_pages", { components: false, limit: 100 })]),
  ([targets, pages]) => ({ targets, pages: pages.data })
)

export const newPolicyView = view("/app/escalation/new", "escalation", function*() {
  const choices = yield* readChoices
  return {
    title: "New escalation policy",
    head: { crumbs },
    body: (
      <Box>
        <CallForm call="create_escalation_policy" id="new-policy" then="/app/escalation" said="Policy created">
          <PolicyFields policy={null} {...choices} />
          <Submit>Create policy</Submit>
        </CallForm>
      </Box>
    )
  }
})

const DeletePolicy = ({ policy: { id, isDefault, levels, name } }: { readonly policy: Policy }) => (
  <Delete
    call="delete_escalation_policy"
    fixed={{ id }}
    noun="policy"
    name={name}
    then="/app/escalation"
    lost={`Escalations under way by ${isolated(name)} end, and its ${counted(levels.length, "level is", "levels are")} lost.${
      isDefault ? " Incidents without another policy page nobody then." : ""
    }`}
  />
)

export const policyView = view("/app/escalation/:id", "escalation", function*({ id }) {
  const policy = yield* listed("escalation policy", (yield* read("list_escalation_policies")).data, id)
  const choices = yield* readChoices
  return {
    title: policy.name,
    head: { crumbs, note: "Changes also apply to incidents that are being escalated now." },
    stack: [
      <PagingWarnings of={policy.warnings} />,
      <Box label="Policy">
        <CallForm
          call="update_escalation_policy"
          id="edit-policy"
          fixed={{ id: policy.id }}
          of={policy}
          then="/app/escalation"
          said="Policy saved"
          otherwise={<p class="note">Your role cannot change this policy.</p>}
        >
          <PolicyFields policy={policy} {...choices} />
          <Submit cancel="/app/escalation">Save</Submit>
        </CallForm>
      </Box>,
      <DeletePolicy policy={policy} />
    ]
  }
})
