/** The handlers of the workspace itself. */
import { DateTime, Effect, Option } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { WorkspaceUpdate } from "../../../schema/workspace/Workspace.ts"
import { usageRecord } from "../../domain/workspace/UsageRecord.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { WorkspaceRemoval } from "../../store/workspace/WorkspaceRemoval.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"

const gone = new Unauthorized({ message: "The workspace was deleted meanwhile", hint: "Bootstrap a new one" })

/** The workspace, or the answer of a key whose workspace is gone. */
export const requireWorkspace = Effect.fn("Workspaces.require")(function*(id: WorkspaceId) {
  const found = yield* Effect.flatMap(Workspaces, (workspaces) => workspaces.get(id))
  return yield* Option.match(found, { onNone: () => gone, onSome: Effect.succeed })
})

export const getWorkspace = Effect.fn("Workspaces.get")(function*() {
  const { workspaceId } = yield* Access
  return yield* requireWorkspace(workspaceId)
})

export const updateWorkspace = Effect.fn("Workspaces.update")(function*({ payload }: { readonly payload: WorkspaceUpdate }) {
  const { workspaceId } = yield* Access
  const updated = yield* Effect.flatMap(Workspaces, (workspaces) => workspaces.update(workspaceId, payload))
  return yield* Option.match(updated, { onNone: () => gone, onSome: Effect.succeed })
})

export const deleteWorkspace = Effect.fn("Workspaces.delete")(function*() {
  const { workspaceId } = yield* Access
  const removed = yield* Effect.flatMap(WorkspaceRemoval, (removal) => removal.remove(workspaceId))
  return removed ? { id: workspaceId, deleted: true as const } : yield* gone
})

/** How much of its plan a workspace uses. Subscribers and AI reports have no operations yet, so there are none. */
export const usageOf = Effect.fn("Workspaces.usage")(function*(workspaceId: WorkspaceId) {
  const { plan } = yield* requireWorkspace(workspaceId)
  const counts = yield* Effect.flatMap(Quotas, (quotas) => quotas.counts(workspaceId))
  return usageRecord(plan, { ...counts, subscribers: 0, aiReports: 0 }, yield* DateTime.now)
})

export const getUsage = Effect.fn("Workspaces.getUsage")(function*() {
  const { workspaceId } = yield* Access
  return yield* usageOf(workspaceId)
})
