/** Finds the workspace of a call or fails with `unauthorized`. */
import { Effect } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Workspaces } from "../../store/workspace/Workspaces.ts"
import { foundOr } from "../NoSuch.ts"

export const workspaceGone = new Unauthorized({
  message: "This workspace was deleted",
  hint: "Create a new one with POST /api/v1/agent/bootstrap"
})

export const requireWorkspace = (workspaces: Workspaces) =>
  Effect.fn("Workspace.require")((id: WorkspaceId) => foundOr(workspaces.get(id), () => workspaceGone))
