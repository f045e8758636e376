/** Reads, updates and deletes a workspace. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import type { DeletedWorkspace, Workspace, WorkspaceUpdate } from "../../../schema/workspace/Workspace.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { undeclarable } from "../../domain/upstream/Catalogue.ts"
import { seesClaim } from "../../domain/workspace/UnclaimedWorkspace.ts"
import { UpstreamSettings } from "../../external/upstream/UpstreamSettings.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { Upstreams } from "../../store/upstream/Upstreams.ts"
import { Claims } from "../../store/workspace/Claims.ts"
import { DeletedWorkspaces } from "../../store/workspace/DeletedWorkspaces.ts"
import { type WorkspaceRow, Workspaces } from "../../store/workspace/Workspaces.ts"
import { foundOr } from "../NoSuch.ts"
import { requireWorkspace, workspaceGone } from "./RequireWorkspace.ts"

export class ManageWorkspace extends Effect.Service<ManageWorkspace>()("belltower/ManageWorkspace", {
  effect: Effect.gen(function*() {
    const workspaces = yield* Workspaces
    const deleted = yield* DeletedWorkspaces
    const tracked = yield* Upstreams
    const clock = yield* DatabaseClock
    const { catalogue } = yield* UpstreamSettings
    const required = requireWorkspace(workspaces)
    const claims = yield* Claims
    const links = linksFrom(yield* BaseUrl)

    /** Only some callers see the claim link. */
    const shown = Effect.fnUntraced(function*(caller: Caller, row: WorkspaceRow) {
      const token = row.claimed || !seesClaim(caller) ? Option.none() : yield* claims.tokenOf(row.id)
      return { ...row, claimUrl: Option.getOrNull(Option.map(token, links.claim)) } satisfies Workspace
    })

    const get = (caller: Caller) => Effect.flatMap(required(caller.workspaceId), (row) => shown(caller, row))

    /** Updates the given fields. Upstreams that are declared for the first time are read from now on. */
    const update = Effect.fn("ManageWorkspace.update")(function*(caller: Caller, input: WorkspaceUpdate) {
      const { upstreams = [] } = input
      const problems = undeclarable(upstreams, catalogue)
      if (problems.length > 0) return yield* validationFailure(problems)
      const services = upstreams.map(({ service }) => service)
      if (services.length > 0) yield* tracked.track(services, yield* clock.now)
      const updated = yield* workspaces.update(caller.workspaceId, input)
      return yield* Option.match(updated, { onNone: () => workspaceGone, onSome: (row) => shown(caller, row) })
    })

    /** Ends everything that the workspace does; RestoreWorkspace brings it back within 7 days. */
    const remove = Effect.fn("ManageWorkspace.remove")(function*({ principal, workspaceId }: Caller) {
      const { restorableUntil, token } = yield* foundOr(deleted.put(workspaceId, principal), () => workspaceGone)
      return {
        id: workspaceId,
        deleted: true,
        restorableUntil,
        ...(token === null ? {} : { restoreToken: token })
      } satisfies DeletedWorkspace
    })

    return { get, update, remove }
  })
}) {}
