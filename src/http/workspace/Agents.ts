/** Lets an agent in without a human, and tells it who it is. */
import { HttpApiBuilder, HttpServerRequest } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { Bootstrap, BootstrapInput, WhoAmI } from "../../../schema/workspace/Workspace.ts"
import { initialPlan, plans } from "../../domain/billing/Plans.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { TakePush } from "../../operations/component/TakePush.ts"
import { CreateService } from "../../operations/monitor/CreateService.ts"
import { TakePings } from "../../operations/monitor/TakePings.ts"
import { Keys, shownKey } from "../../store/access/Keys.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { Users } from "../../store/people/Users.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { record } from "../guard/AuditedAction.ts"
import { bootstraps } from "../guard/Limits.ts"
import { clientAddress } from "../request/ClientAddress.ts"

/** Creates a workspace and a key that works at once. Fails beyond 5 an hour from one address. */
export const bootstrap = Effect.fn("Agents.bootstrap")(function*({ payload }: { readonly payload: BootstrapInput }) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const limits = yield* RateLimits
  const workspaces = yield* Workspaces
  const baseUrl = yield* BaseUrl
  yield* limits.take(bootstraps, clientAddress(request))
  const name = payload.workspaceName?.trim() || `${payload.agentName}'s workspace`
  const sql = yield* SqlClient.SqlClient
  const plan = initialPlan((yield* Billing) !== null)
  const creating = Effect.tap(workspaces.create({ name, agentName: payload.agentName, plan }), ({ key, workspace }) =>
    record({
      workspaceId: workspace.id,
      principal: { _tag: "Key", keyId: key.id },
      operation: "bootstrap_workspace",
      target: workspace.id
    }))
  const { claimToken, expiresAt, key, secret, workspace } = yield* Effect.orDie(sql.withTransaction(creating))
  return { workspace, apiKey: secret, claimUrl: linksFrom(baseUrl).claim(claimToken), expiresAt, key } satisfies Bootstrap
})

const gone = new Unauthorized({ message: "The workspace of this API key is gone", hint: "Bootstrap a new one" })

/** The calling key, its workspace, and what the plan allows. */
export const whoami = Effect.fn("Agents.whoami")(function*() {
  const { principal, workspaceId } = yield* Access
  const workspace = yield* Effect.flatMap(Workspaces, (store) => store.get(workspaceId))
  if (Option.isNone(workspace)) return yield* gone
  const { plan } = workspace.value
  const place = { workspace: workspace.value, plan, limits: plans[plan] }
  if (principal._tag === "User") {
    const person = yield* Effect.flatMap(Users, (users) => users.get(principal.userId))
    const user = Option.map(person, ({ email, id, name }) => ({ user: { id, email, name } }))
    return { ...place, key: null, ...Option.getOrElse(user, () => ({})) } satisfies WhoAmI
  }
  const key = yield* Effect.flatMap(Keys, (store) => store.get(workspaceId, principal.keyId))
  if (Option.isNone(key)) return yield* gone
  return { ...place, key: shownKey(key.value) } satisfies WhoAmI
})

export const AgentsLive = HttpApiBuilder.group(Api, "Agents", (handlers) =>
  Effect.gen(function*() {
    const services = yield* CreateService
    const pings = yield* TakePings
    const pushing = yield* TakePush
    return handlers
      .handle("bootstrap_workspace", bootstrap)
      .handle(
        "create_service",
        ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => services.create(workspaceId, payload))
      )
      .handle("send_heartbeat", ({ path, payload }) => pings.take(path.token, payload))
      .handle("push_component_status", ({ path, payload }) => pushing.take(path.token, payload))
      .handle("whoami", whoami)
  }))
