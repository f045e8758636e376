/** All escalation policies, with their levels. */
import { Effect } from "effect"
import type { Policy } from "../../../../schema/oncall/Policy.ts"
import { counted } from "../../design/Counted.ts"
import { useMay } from "../../design/Form.tsx"
import { Empty, Tag } from "../../design/Parts.tsx"
import { read, together, view } from "../../frame/View.ts"
import { PagingWarnings } from "../oncall/OnDuty.tsx"
import { nameOf, type Targets } from "./PolicyFields.tsx"

/** Everything that a policy can page. */
export const readTargets = Effect.map(
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
        {data.length === 0
          ? (
            <Empty
              title="Nobody is paged in turn"
              text="Without a policy, channels get alerts and that is all. A policy pages the person on call, then the next level if nobody acknowledges."
            >
              <NewPolicy />
            </Empty>
          )
          : <ul class="rows">{data.map((policy) => <Row policy={policy} targets={targets} />)}</ul>}
      </section>
    )
  }
})
