/** Lets an agent in without a human, and tells it who it is. */
import { HttpApiBuilder, HttpServerRequest } from "@effect/platform"
import { Duration, Effect, Option } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { Bootstrap, BootstrapInput, WhoAmI } from "../../../schema/Workspace.ts"
import { plans } from "../../domain/Plans.ts"
import { Keys } from "../../store/Keys.ts"
import { type RateLimit, RateLimits } from "../../store/RateLimits.ts"
import { Workspaces } from "../../store/Workspaces.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { clientAddress } from "../ClientAddress.ts"
import { createService } from "./Services.ts"

/** (Specification: Limits.) */
const bootstraps: RateLimit = { name: "bootstrap", limit: 5, window: Duration.hours(1) }

/** With no billing configured nothing is limited. */
const initialPlan = "self_hosted"

/** Creates a workspace and a key that works at once. Fails beyond 5 an hour from one address. */
export const bootstrap = Effect.fn("Agents.bootstrap")(function*({ payload }: { readonly payload: BootstrapInput }) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const limits = yield* RateLimits
  const workspaces = yield* Workspaces
  const baseUrl = yield* BaseUrl
  yield* limits.take(bootstraps, clientAddress(request))
  const name = payload.workspaceName?.trim() || `${payload.agentName}'s workspace`
  const { claimToken, expiresAt, key, secret, workspace } = yield* workspaces.create({
    name,
    agentName: payload.agentName,
    plan: initialPlan
  })
  return { workspace, apiKey: secret, claimUrl: `${baseUrl}/claim/${claimToken}`, expiresAt, key } satisfies Bootstrap
})

const gone = new Unauthorized({ message: "The workspace of this API key is gone", hint: "Bootstrap a new one" })

/** The calling key, its workspace, and what the plan allows. */
export const whoami = Effect.fn("Agents.whoami")(function*() {
  const { keyId, workspaceId } = yield* Access
  const workspace = yield* Effect.flatMap(Workspaces, (store) => store.get(workspaceId))
  const key = yield* Effect.flatMap(Keys, (store) => store.get(workspaceId, keyId))
  if (Option.isNone(workspace) || Option.isNone(key)) return yield* gone
  const { workspaceId: _, ...shown } = key.value
  const { plan } = workspace.value
  return { workspace: workspace.value, key: shown, plan, limits: plans[plan] } satisfies WhoAmI
})

export const AgentsLive = HttpApiBuilder.group(Api, "Agents", (handlers) =>
  handlers
    .handle("bootstrap_workspace", bootstrap)
    .handle("create_service", ({ payload }) =>
      Effect.flatMap(Access, ({ workspaceId }) => createService(workspaceId, payload)))
    .handle("whoami", whoami))
