/** Reads, updates and deletes a workspace. */
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { WorkspaceUpdate } from "../../../schema/workspace/Workspace.ts"
import { WorkspaceRemoval } from "../../store/workspace/WorkspaceRemoval.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requireWorkspace, workspaceGone } from "./RequireWorkspace.ts"

export class ManageWorkspace extends Effect.Service<ManageWorkspace>()("belltower/ManageWorkspace", {
  effect: Effect.gen(function*() {
    const workspaces = yield* Workspaces
    const removal = yield* WorkspaceRemoval

    /** Updates the given fields. */
    const update = Effect.fn("ManageWorkspace.update")(function*(workspaceId: WorkspaceId, input: WorkspaceUpdate) {
      const updated = yield* workspaces.update(workspaceId, input)
      return yield* Option.match(updated, { onNone: () => workspaceGone, onSome: Effect.succeed })
    })

    /** Deletes the workspace and everything in it. */
    const remove = Effect.fn("ManageWorkspace.remove")(function*(workspaceId: WorkspaceId) {
      return (yield* removal.remove(workspaceId)) ? workspaceId : yield* workspaceGone
    })

    return { get: requireWorkspace(workspaces), update, remove }
  })
}) {}
