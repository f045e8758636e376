/** Creates a workspace and its first key for an agent, without human involvement. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { bootstraps } from "../../../schema/api/AddressLimit.ts"
import type { Bootstrap as Bootstrapped, BootstrapInput } from "../../../schema/workspace/Workspace.ts"
import { initialPlan } from "../../domain/billing/Plans.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { Claims } from "../../store/workspace/Claims.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { AuditTrail } from "../access/AuditTrail.ts"

export class Bootstrap extends Effect.Service<Bootstrap>()("belltower/Bootstrap", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const limits = yield* RateLimits
    const workspaces = yield* Workspaces
    const claims = yield* Claims
    const audit = yield* AuditTrail
    const links = linksFrom(yield* BaseUrl)
    const plan = initialPlan((yield* Billing) !== null)

    /** The key works immediately. Fails with `rate_limited` above 5 calls per hour from one client `address`. */
    const create = Effect.fn("Bootstrap.create")(function*({ agentName, workspaceName }: BootstrapInput, address: string) {
      yield* limits.take(bootstraps, address)
      const name = workspaceName?.trim() || `${agentName}'s workspace`
      const creating = Effect.gen(function*() {
        const { expiresAt, key, secret, workspace } = yield* workspaces.create({ name, agentName, plan })
        const claimUrl = links.claim(yield* claims.issue(workspace.id))
        const principal = { _tag: "Key", keyId: key.id } as const
        yield* audit.record({ workspaceId: workspace.id, principal, operation: "bootstrap_workspace", target: workspace.id })
        return { workspace: { ...workspace, claimUrl }, apiKey: secret, claimUrl, expiresAt, key } satisfies Bootstrapped
      })
      return yield* Effect.orDie(sql.withTransaction(creating))
    })

    return { create }
  })
}) {}
