/** The workspace's usage, its settings, its plan and its deletion. */
import type { Plan } from "../../../../schema/workspace/Workspace.ts"
import { counted } from "../../../domain/tools/text/Counted.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { CallForm, Field, Submit, useAnswerOf } from "../../design/Form.tsx"
import { useMay } from "../../design/May.tsx"
import { Badge, Facts, inWords, ListPanel, Panel } from "../../design/Parts.tsx"
import { Moment, useNumber } from "../../design/Time.tsx"
import type { AnswerOf } from "../../frame/DashboardApi.ts"
import { read, readOrNull, together, view } from "../../frame/View.ts"

type Usage = AnswerOf<"get_usage">
type Offers = AnswerOf<"list_plans">["data"]

const rows = [
  ["monitors", "Monitors"],
  ["codeMonitors", "Script and browser monitors"],
  ["pages", "Status pages"],
  ["customDomains", "Custom domains"],
  ["members", "Members and invitations"],
  ["subscribers", "Subscribers of the largest page"],
  ["aiReports", "AI reports this month"]
] as const

const UsageRow = ({ label, limit, used }: { readonly label: string; readonly used: number; readonly limit: number | null }) => {
  const { count } = useNumber()
  const full = limit !== null && used >= limit && limit > 0
  return (
    <li>
      <div>
        <span id={`usage-${label}`}>{label}</span> {full ? <Badge tone="warn">Full</Badge> : null}
        {limit === null || limit === 0
          ? null
          : <progress class="meter" max={limit} value={Math.min(used, limit)} aria-labelledby={`usage-${label}`} />}
      </div>
      <span class="num">{limit === null ? `${count(used)}, no limit` : `${count(used)} of ${count(limit)}`}</span>
    </li>
  )
}

const UsagePanel = ({ usage }: { readonly usage: Usage }) => (
  <ListPanel id="usage" title="Usage">
    {rows.map(([name, label]) => <UsageRow label={label} used={usage[name].used} limit={usage[name].limit} />)}
  </ListPanel>
)

const Offer = ({ offer: { id, limits, name } }: { readonly offer: Offers[number] }) => {
  const { count } = useNumber()
  const checkout = useAnswerOf(`checkout-${id}`, "create_checkout")
  return (
    <CallForm call="create_checkout" id={`checkout-${id}`} fixed={{ plan: id }} class="inline" copy={false}>
      <p>
        <b>{name}</b>: {limits.monitors === null ? "unlimited" : count(limits.monitors)} monitors, checks every{" "}
        {limits.minIntervalSec} s
      </p>
      {checkout === null
        ? <button class="plain tight">Change to {name}</button>
        : <a class="button tight" href={checkout.url} rel="noreferrer">Continue to payment</a>}
    </CallForm>
  )
}

const Plans = (
  { billing, current, offers }: {
    readonly billing: AnswerOf<"get_billing"> | null
    readonly current: Plan
    readonly offers: Offers
  }
) => {
  const sold = offers.filter(({ purchasable }) => purchasable)
  return (
    <Panel id="plans" title="Plan">
      <Facts
        of={[
          ["Plan", inWords(current)],
          ["Subscription", billing?.subscription?.status === undefined ? null : inWords(billing.subscription.status)],
          [
            billing?.subscription?.cancels === true ? "Ends" : "Renews",
            billing?.subscription?.renewsAt === null || billing?.subscription?.renewsAt === undefined
              ? null
              : <Moment at={billing.subscription.renewsAt} style="day" />
          ]
        ]}
      />
      {sold.length === 0
        ? <p class="note">This server sells no plans. Its operator sets the limits.</p>
        : sold.map((offer) => <Offer offer={offer} />)}
    </Panel>
  )
}

const SettingsPanel = ({ workspace }: { readonly workspace: AnswerOf<"get_workspace"> }) => (
  <Panel id="settings" title="Workspace">
    <CallForm
      call="update_workspace"
      id="workspace-settings"
      of={workspace}
      said="Workspace saved"
      otherwise={<Facts of={[["Name", workspace.name], ["Time zone", workspace.timezone]]} />}
    >
      <Field name="name" label="Name" required value={workspace.name} attributes={{ maxlength: 80 }} />
      <Field
        name="timezone"
        label="Time zone"
        required
        value={workspace.timezone}
        hint="IANA name, such as Europe/Berlin. The digest and new pages use it."
      />
      <Submit>Save</Submit>
    </CallForm>
  </Panel>
)

const End = ({ name, usage }: { readonly name: string; readonly usage: Usage }) =>
  useMay("delete_workspace")
    ? (
      <Panel id="end" title="Delete the workspace">
        <p class="note">You can restore it for 7 days. Then it is deleted for good; an export keeps its configuration.</p>
        <Confirm
          call="delete_workspace"
          id="delete-workspace"
          then="/app/workspaces"
          said={`${name} was deleted`}
          label={`Delete ${name}`}
          lost={`${counted(usage.monitors.used, "monitor")} with all checks, ${
            counted(usage.pages.used, "status page")
          } with all subscribers, all alerts and API keys stop immediately. For 7 days you can restore the workspace under Workspaces; its subscription ends.`}
        />
      </Panel>
    )
    : null

export const usageView = view("/app/usage", "usage", function*() {
  const [used, workspace, billing, offers] = yield* together([
    read("get_usage"),
    read("get_workspace"),
    readOrNull("get_billing"),
    read("list_plans")
  ])
  return {
    title: "Usage and plan",
    head: { note: workspace.id },
    split: [
      [<UsagePanel usage={used} />, <Plans billing={billing} current={used.plan} offers={offers.data} />],
      [<SettingsPanel workspace={workspace} />, <End name={workspace.name} usage={used} />]
    ]
  }
})
