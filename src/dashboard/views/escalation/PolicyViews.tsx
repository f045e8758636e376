/** A new escalation policy, and one that exists. */
import { Effect } from "effect"
import type { Policy } from "../../../../schema/oncall/Policy.ts"
import type { Page } from "../../../../schema/page/Page.ts"
import { Confirm } from "../../design/Confirm.tsx"
import { Buttons, CallForm } from "../../design/Form.tsx"
import { Head } from "../../design/Parts.tsx"
import { read, together } from "../../frame/DashboardApi.ts"
import { notHere } from "../../frame/NotHere.ts"
import { view } from "../../frame/View.ts"
import { Visit } from "../../frame/Visit.ts"
import { PagingWarnings } from "../oncall/OnDuty.tsx"
import { readTargets } from "./EscalationView.tsx"
import { PolicyFields, type Targets } from "./PolicyFields.tsx"

const crumbs = [["/app/escalation", "Escalation"]] as const

interface Parts {
  readonly targets: Targets
  readonly pages: ReadonlyArray<Page>
}

const parts = Effect.map(
  Effect.all([readTargets, read("list_pages", { components: false, limit: 100 })], together),
  ([targets, pages]): Parts => ({ targets, pages: pages.data })
)

const NewPolicy = ({ pages, targets }: Parts) => (
  <>
    <Head title="New escalation policy" crumbs={crumbs} />
    <section class="panel">
      <div class="body">
        <CallForm call="create_escalation_policy" id="new-policy" then="/app/escalation" said="Policy created">
          <PolicyFields policy={null} targets={targets} pages={pages} />
          <Buttons>
            <button>Create policy</button>
          </Buttons>
        </CallForm>
      </div>
    </section>
  </>
)

const EditPolicy = ({ pages, policy, targets }: Parts & { readonly policy: Policy }) => (
  <>
    <Head title={policy.name} crumbs={crumbs} note="Incidents that are being escalated follow what you save." />
    <div class="stack">
      <PagingWarnings of={policy.warnings} />
      <section class="panel" aria-label="Policy">
        <div class="body">
          <CallForm
            call="update_escalation_policy"
            id="edit-policy"
            fixed={{ id: policy.id }}
            then="/app/escalation"
            said="Policy saved"
            otherwise={<p class="note">Your role allows no changes to this policy.</p>}
          >
            <PolicyFields policy={policy} targets={targets} pages={pages} />
            <Buttons>
              <button>Save</button>
              <a class="button plain" href="/app/escalation">Cancel</a>
            </Buttons>
          </CallForm>
        </div>
      </section>
      <Confirm
        call="delete_escalation_policy"
        id="delete-policy"
        fixed={{ id: policy.id }}
        label="Delete this policy"
        does={`Delete ${policy.name}`}
        then="/app/escalation"
        said="Policy deleted"
        lost={
          <>
            <p>
              Escalations under way by {policy.name} end, and its {policy.levels.length} levels are lost.
              {policy.isDefault ? " Incidents without another policy page nobody then." : ""}
            </p>
          </>
        }
      />
    </div>
  </>
)

export const newPolicyView = view(
  "/app/escalation/new",
  "escalation",
  Effect.map(parts, (given) => ({ title: "New escalation policy", body: <NewPolicy {...given} /> }))
)

export const policyView = view(
  "/app/escalation/:id",
  "escalation",
  Effect.gen(function*() {
    const { params } = yield* Visit
    const { data } = yield* read("list_escalation_policies")
    const policy = data.find(({ id }) => id === params["id"])
    if (policy === undefined) return yield* notHere("escalation policy")
    const given = yield* parts
    return { title: policy.name, body: <EditPolicy {...given} policy={policy} /> }
  })
)
