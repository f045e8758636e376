/** Returns the caller's identity, its workspace and the limits of the plan. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { WhoAmI } from "../../../schema/workspace/Workspace.ts"
import { plans } from "../../domain/billing/Plans.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { Keys, shownKey } from "../../store/access/Keys.ts"
import { Users } from "../../store/people/Users.ts"
import { Claims } from "../../store/workspace/Claims.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { showWorkspace } from "../workspace/ShowWorkspace.ts"

const gone = new Unauthorized({
  message: "The workspace of this API key was deleted",
  hint: "Create a new one with POST /api/v1/agent/bootstrap"
})

export class IdentifyCaller extends Effect.Service<IdentifyCaller>()("belltower/IdentifyCaller", {
  effect: Effect.gen(function*() {
    const keys = yield* Keys
    const users = yield* Users
    const workspaces = yield* Workspaces
    const shown = showWorkspace(yield* Claims, linksFrom(yield* BaseUrl))

    const identify = Effect.fn("IdentifyCaller.identify")(function*(caller: Caller) {
      const { principal, workspaceId } = caller
      const found = yield* workspaces.get(workspaceId)
      if (Option.isNone(found)) return yield* gone
      const workspace = yield* shown(caller, found.value)
      const place = { workspace, plan: workspace.plan, limits: plans[workspace.plan] }
      if (principal._tag === "User") {
        const user = Option.map(yield* users.get(principal.userId), ({ email, id, name }) => ({ user: { id, email, name } }))
        return { ...place, key: null, ...Option.getOrElse(user, () => ({})) } satisfies WhoAmI
      }
      const key = yield* keys.get(workspaceId, principal.keyId)
      if (Option.isNone(key)) return yield* gone
      return { ...place, key: shownKey(key.value) } satisfies WhoAmI
    })

    return { identify }
  })
}) {}
