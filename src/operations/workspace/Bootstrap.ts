/** Creates a workspace and its first key for an agent, without human involvement. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect } from "effect"
import { RateLimited } from "../../../schema/Errors.ts"
import type { Bootstrap as Bootstrapped, BootstrapInput } from "../../../schema/workspace/Workspace.ts"
import { initialPlan } from "../../domain/billing/Plans.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { AuditTrail } from "../access/AuditTrail.ts"

/** Per client address. */
const bootstraps: RateLimit = { name: "bootstrap", limit: 5, window: Duration.hours(1) }

const crowded = ({ details, hint = "Try again later" }: RateLimited) =>
  new RateLimited({
    message: `At most ${bootstraps.limit} new workspaces an hour from one address; use the key you have`,
    hint,
    details
  })

export class Bootstrap extends Effect.Service<Bootstrap>()("belltower/Bootstrap", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const limits = yield* RateLimits
    const workspaces = yield* Workspaces
    const audit = yield* AuditTrail
    const links = linksFrom(yield* BaseUrl)
    const plan = initialPlan((yield* Billing) !== null)

    /** The key works immediately. Fails with `rate_limited` above 5 calls per hour from one client `address`. */
    const create = Effect.fn("Bootstrap.create")(function*({ agentName, workspaceName }: BootstrapInput, address: string) {
      yield* Effect.mapError(limits.take(bootstraps, address), crowded)
      const name = workspaceName?.trim() || `${agentName}'s workspace`
      const creating = Effect.tap(workspaces.create({ name, agentName, plan }), ({ key, workspace }) =>
        audit.record({
          workspaceId: workspace.id,
          principal: { _tag: "Key", keyId: key.id },
          operation: "bootstrap_workspace",
          target: workspace.id
        }))
      const { claimToken, expiresAt, key, secret, workspace } = yield* Effect.orDie(sql.withTransaction(creating))
      return { workspace, apiKey: secret, claimUrl: links.claim(claimToken), expiresAt, key } satisfies Bootstrapped
    })

    return { create }
  })
}) {}
