/** Restricts features that send email to claimed workspaces. (Specification: Authentication, 7.) */
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { closedUntilClaimed } from "../../domain/workspace/UnclaimedWorkspace.ts"
import type { Workspaces } from "../../store/workspace/Workspaces.ts"

/** Fails with `forbidden` if the workspace is unclaimed; `feature` names the feature, such as "Invitations". */
export const requireClaimed = (workspaces: Workspaces) =>
  Effect.fn("Workspace.requireClaimed")(function*(workspaceId: WorkspaceId, feature: string) {
    const workspace = yield* workspaces.get(workspaceId)
    if (Option.isSome(workspace) && workspace.value.claimed) return
    return yield* closedUntilClaimed(feature)
  })
