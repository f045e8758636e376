/** A new escalation policy, and one that exists. */
import { Effect } from "effect"
import type { Policy } from "../../../../schema/oncall/Policy.ts"
import { CallForm, Confirm, Submit } from "../../design/Form.tsx"
import { Box } from "../../design/Parts.tsx"
import { listed, read, together, view } from "../../frame/View.ts"
import { PagingWarnings } from "../oncall/OnDuty.tsx"
import { readTargets } from "./EscalationView.tsx"
import { PolicyFields } from "./PolicyFields.tsx"

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
  <Confirm
    call="delete_escalation_policy"
    id="delete-policy"
    fixed={{ id }}
    label="Delete this policy"
    does={`Delete ${name}`}
    then="/app/escalation"
    said="Policy deleted"
    lost={`Escalations under way by ${name} end, and its ${levels.length} levels are lost.${
      isDefault ? " Incidents without another policy page nobody then." : ""
    }`}
  />
)

export const policyView = view("/app/escalation/:id", "escalation", function*({ id }) {
  const policy = yield* listed("escalation policy", (yield* read("list_escalation_policies")).data, id)
  const choices = yield* readChoices
  return {
    title: policy.name,
    head: { crumbs, note: "Incidents that are being escalated follow what you save." },
    body: (
      <div class="stack">
        <PagingWarnings of={policy.warnings} />
        <Box label="Policy">
          <CallForm
            call="update_escalation_policy"
            id="edit-policy"
            fixed={{ id: policy.id }}
            then="/app/escalation"
            said="Policy saved"
            otherwise={<p class="note">Your role allows no changes to this policy.</p>}
          >
            <PolicyFields policy={policy} {...choices} />
            <Submit cancel="/app/escalation">Save</Submit>
          </CallForm>
        </Box>
        <DeletePolicy policy={policy} />
      </div>
    )
  }
})
