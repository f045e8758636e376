/** Alert channels that send mail are closed until a human has claimed the workspace. (Specification: Authentication, 7.) */
import { Effect, Option } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { closedUntilClaimed } from "../../domain/workspace/UnclaimedWorkspace.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"

/** Fails with `forbidden` where the workspace is unclaimed; `feature` is what was asked for. */
export const requireClaimed = Effect.fn("EmailFeatures.requireClaimed")(function*(workspaceId: WorkspaceId, feature: string) {
  const workspace = yield* Effect.flatMap(Workspaces, (workspaces) => workspaces.get(workspaceId))
  if (Option.isSome(workspace) && workspace.value.claimed) return
  return yield* closedUntilClaimed(feature)
})
