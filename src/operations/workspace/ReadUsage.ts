/** Reads a workspace's usage against the limits of its plan. */
import { DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { usageRecord } from "../../domain/workspace/UsageRecord.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requireWorkspace } from "./RequireWorkspace.ts"

export class ReadUsage extends Effect.Service<ReadUsage>()("belltower/ReadUsage", {
  effect: Effect.gen(function*() {
    const quotas = yield* Quotas
    const required = requireWorkspace(yield* Workspaces)

    /** Subscribers and AI reports have no operations yet, so their usage is 0. */
    const get = Effect.fn("ReadUsage.get")(function*(workspaceId: WorkspaceId) {
      const { plan } = yield* required(workspaceId)
      const counts = yield* quotas.counts(workspaceId)
      return usageRecord(plan, { ...counts, subscribers: 0, aiReports: 0 }, yield* DateTime.now)
    })

    return { get }
  })
}) {}
