/** What needs mail is closed until a human has claimed the workspace. (Specification: Authentication, 7.) */
import { Effect, Option } from "effect"
import { Forbidden } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"

/** Fails where the workspace is unclaimed; `feature` is what was asked for, such as "Invitations". */
export const requireClaimed = Effect.fn("EmailFeatures.requireClaimed")(function*(workspaceId: WorkspaceId, feature: string) {
  const workspace = yield* Effect.flatMap(Workspaces, (workspaces) => workspaces.get(workspaceId))
  if (Option.isSome(workspace) && workspace.value.claimed) return
  return yield* new Forbidden({
    message: `${feature} are closed until the workspace is claimed, since they send mail`,
    hint: "Hand the claimUrl from POST /api/v1/agent/bootstrap to a human, who opens it and signs in"
  })
})
