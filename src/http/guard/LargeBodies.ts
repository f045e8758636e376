/** Admits requests with a large body before it is read: it is in memory, several times over, until the operation ends. */
import { Effect } from "effect"
import type { RateLimited, Unavailable } from "../../../schema/Errors.ts"
import { makeRunningChecks } from "../../domain/check/probe/RunningChecks.ts"
import type { Request } from "../request/OperationCall.ts"

/** Bytes that need no admission. */
const usual = 1024 * 1024

/** Large requests that a process serves at a time, per workspace and in total. Others are refused. */
const perWorkspace = 2
const most = 16

/** A body without a declared length counts as large. */
const isLarge = ({ headers }: Request): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > usual

export const makeLargeBodies = () => {
  const running = makeRunningChecks(perWorkspace, "requests with a body above 1 MiB", most)

  const begin = (workspaceId: string) =>
    Effect.suspend((): Effect.Effect<void, RateLimited | Unavailable> => running.begin(workspaceId) ?? Effect.void)

  /** Serves a request of a workspace, from reading its body on. */
  return <A, E, R>(workspaceId: string, request: Request, work: Effect.Effect<A, E, R>) =>
    isLarge(request)
      ? Effect.acquireUseRelease(begin(workspaceId), () => work, () => Effect.sync(() => running.end(workspaceId)))
      : work
}
