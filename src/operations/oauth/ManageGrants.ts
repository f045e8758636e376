/** Lists and ends what people granted to apps over OAuth. */
import { Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden } from "../../../schema/Errors.ts"
import type { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Grant } from "../../../schema/oauth/Grant.ts"
import { mayEndGrant } from "../../domain/oauth/GrantEnd.ts"
import { redirectHost } from "../../domain/oauth/RedirectUri.ts"
import { Keys } from "../../store/access/Keys.ts"
import { type GrantRow, Grants } from "../../store/oauth/Grants.ts"
import { orNoSuch, removed } from "../NoSuch.ts"

const shown = ({ name, redirectUri, workspaceId: _, ...grant }: GrantRow): Grant => ({
  ...grant,
  app: name,
  redirectHost: redirectHost(redirectUri)
})

const ofAnother = new Forbidden({
  message: "Only admins end the access that others gave to an app",
  hint: "Ask an admin, or the person who gave it"
})

export class ManageGrants extends Effect.Service<ManageGrants>()("belltower/ManageGrants", {
  effect: Effect.gen(function*() {
    const grants = yield* Grants
    const keys = yield* Keys

    const list = (workspaceId: WorkspaceId) => Effect.map(grants.list(workspaceId), (found) => found.map(shown))

    /** Ends a grant with all its tokens, immediately. */
    const end = Effect.fn("ManageGrants.end")(function*(caller: Caller, id: ApiKeyId) {
      const { createdBy } = yield* orNoSuch("grant", id, grants.find(caller.workspaceId, id))
      if (!mayEndGrant(caller, { id, createdBy })) return yield* ofAnother
      yield* removed("grant", id, keys.revoke(caller.workspaceId, id))
    })

    return { list, end }
  })
}) {}
