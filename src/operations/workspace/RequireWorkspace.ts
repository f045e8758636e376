/** The workspace of a call, or the failure that says it is gone. */
import { Effect, Option } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Workspaces } from "../../store/workspace/Workspaces.ts"

/** The failure of a key that outlived its workspace. */
export const workspaceGone = new Unauthorized({
  message: "The workspace was deleted meanwhile",
  hint: "Bootstrap a new one"
})

export const requireWorkspace = (workspaces: Workspaces) =>
  Effect.fn("Workspace.require")(function*(id: WorkspaceId) {
    return yield* Option.match(yield* workspaces.get(id), { onNone: () => workspaceGone, onSome: Effect.succeed })
  })
