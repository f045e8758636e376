/** Creates a workspace and its first key for an agent, without human involvement. */
import { Effect } from "effect"
import { bootstraps } from "../../../schema/api/parts/AddressLimit.ts"
import type { Bootstrap as Bootstrapped, BootstrapInput } from "../../../schema/workspace/Workspace.ts"
import { networksAround } from "../../domain/access/NetworkShares.ts"
import type { Applicant } from "../../domain/access/Registration.ts"
import { initialPlan } from "../../domain/billing/Plans.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Claims } from "../../store/workspace/Claims.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { AuditTrail } from "../access/AuditTrail.ts"
import { AdmitRegistration, RegistrationSettings } from "./AdmitRegistration.ts"

/** A stranger with many addresses has few networks: each may make as many workspaces as some of its addresses. */
const ofNetwork = (addresses: number): RateLimit => ({
  name: "bootstrap-network",
  limit: bootstraps.limit * addresses,
  window: bootstraps.window,
  message: "Too many new workspaces from this network; use the key you have"
})

const ofAll = (limit: number): RateLimit => ({
  name: "bootstrap-all",
  limit,
  window: bootstraps.window,
  message: "This installation makes no more workspaces in this hour (BELLTOWER_BOOTSTRAPS_AN_HOUR)"
})

export class Bootstrap extends Effect.Service<Bootstrap>()("belltower/Bootstrap", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const limits = yield* RateLimits
    const workspaces = yield* Workspaces
    const claims = yield* Claims
    const audit = yield* AuditTrail
    const links = linksFrom(yield* BaseUrl)
    const registration = yield* AdmitRegistration
    const plan = initialPlan((yield* Billing) !== null)
    const all = ofAll((yield* RegistrationSettings).bootstrapsAnHour)

    /** Counts from narrow to wide: what a network has used up costs the others nothing. */
    const counted = Effect.fn("Bootstrap.counted")(function*({ address, isLocal }: Applicant, isInvited: boolean) {
      yield* limits.take(bootstraps, address)
      // Strangers cannot use up what these have.
      if (isInvited || isLocal) return
      yield* Effect.forEach(
        networksAround(address),
        ({ addresses, network }) => limits.take(ofNetwork(addresses), network),
        { discard: true }
      )
      yield* limits.take(all, "all")
    })

    /**
     * The key works immediately. Fails with `forbidden` where the operator admits only others, and with `rate_limited` above 5 calls
     * per hour from one client address, or too many from its network or from all together.
     */
    const create = Effect.fn("Bootstrap.create")(function*(input: BootstrapInput, applicant: Applicant) {
      const { agentName, invitation, workspaceName } = input
      const { isForeign, isLocal } = applicant
      const isInvited = yield* registration.workspace({ isForeign, isInside: isLocal }, invitation)
      yield* counted(applicant, isInvited)
      const name = workspaceName?.trim() || `${agentName}'s workspace`
      const creating = Effect.gen(function*() {
        yield* registration.use(invitation)
        const { expiresAt, key, secret, workspace } = yield* workspaces.create({ name, agentName, plan })
        const claimUrl = links.claim(yield* claims.issue(workspace.id))
        const principal = { _tag: "Key", keyId: key.id } as const
        yield* audit.record({ workspaceId: workspace.id, principal, operation: "bootstrap_workspace", target: workspace.id })
        return { workspace: { ...workspace, claimUrl }, apiKey: secret, claimUrl, expiresAt, key } satisfies Bootstrapped
      })
      return yield* transaction(creating)
    })

    return { create }
  })
}) {}
