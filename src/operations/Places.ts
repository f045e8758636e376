/** The places of a workspace for work that takes a while, of which it may have a limited number under way. */
import { Effect } from "effect"
import type { RateLimited, Unavailable } from "../../schema/Errors.ts"
import type { makeRunningChecks } from "../domain/check/probe/RunningChecks.ts"

type Refusal = RateLimited | Unavailable

/** Takes a place until the scope closes; fails when all are taken. */
export const takePlace = (places: ReturnType<typeof makeRunningChecks>, workspaceId: string) =>
  Effect.acquireRelease(
    Effect.suspend((): Effect.Effect<void, Refusal> => places.begin(workspaceId) ?? Effect.void),
    () => Effect.sync(() => places.end(workspaceId))
  )
