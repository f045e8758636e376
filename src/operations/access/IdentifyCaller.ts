/** Returns the caller's identity, its workspace and the limits of the plan. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { WhoAmI } from "../../../schema/workspace/Workspace.ts"
import { plans } from "../../domain/billing/Plans.ts"
import { seesClaim } from "../../domain/workspace/UnclaimedWorkspace.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { Keys, shownKey } from "../../store/access/Keys.ts"
import { Users } from "../../store/people/Users.ts"
import { both, nothing, run } from "../../store/postgres/Read.ts"
import { Claims } from "../../store/workspace/Claims.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"

const gone = new Unauthorized({
  message: "The workspace of this API key was deleted",
  hint: "Create a new one with POST /api/v1/agent/bootstrap"
})

export class IdentifyCaller extends Effect.Service<IdentifyCaller>()("belltower/IdentifyCaller", {
  effect: Effect.gen(function*() {
    const keys = yield* Keys
    const users = yield* Users
    const workspaces = yield* Workspaces
    const claims = yield* Claims
    const links = linksFrom(yield* BaseUrl)

    const identify = Effect.fnUntraced(function*(caller: Caller) {
      const { principal, workspaceId } = caller
      const ofWorkspace = both(
        workspaces.read(workspaceId),
        seesClaim(caller) ? claims.readToken(workspaceId) : nothing(Option.none())
      )
      const [[found, token], key] = yield* run(
        both(ofWorkspace, principal._tag === "Key" ? keys.read(workspaceId, principal.keyId) : nothing(Option.none()))
      )
      if (Option.isNone(found)) return yield* gone
      const workspace = { ...found.value, claimUrl: Option.getOrNull(Option.map(token, links.claim)) }
      const known = { workspace, plan: workspace.plan, limits: plans[workspace.plan] }
      if (principal._tag === "User") {
        const user = Option.map(yield* users.get(principal.userId), ({ email, id, name }) => ({ user: { id, email, name } }))
        return { ...known, key: null, ...Option.getOrElse(user, () => ({})) } satisfies WhoAmI
      }
      if (Option.isNone(key)) return yield* gone
      return { ...known, key: shownKey(key.value) } satisfies WhoAmI
    })

    return { identify }
  })
}) {}
