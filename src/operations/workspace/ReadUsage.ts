/** Reads a workspace's usage against the limits of its plan. */
import { DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { usageRecord } from "../../domain/workspace/UsageRecord.ts"
import { AiUsage } from "../../store/ai/AiUsage.ts"
import { Subscribers } from "../../store/subscriber/Subscribers.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { requireWorkspace } from "./RequireWorkspace.ts"

export class ReadUsage extends Effect.Service<ReadUsage>()("belltower/ReadUsage", {
  effect: Effect.gen(function*() {
    const quotas = yield* Quotas
    const subscribers = yield* Subscribers
    const ai = yield* AiUsage
    const required = requireWorkspace(yield* Workspaces)

    const get = Effect.fn("ReadUsage.get")(function*(workspaceId: WorkspaceId) {
      const { plan } = yield* required(workspaceId)
      const counts = yield* quotas.counts(workspaceId)
      return usageRecord(
        plan,
        { ...counts, subscribers: yield* subscribers.most(workspaceId), aiReports: yield* ai.used(workspaceId) },
        yield* DateTime.now
      )
    })

    return { get }
  }),
  dependencies: [AiUsage.Default, Subscribers.Default]
}) {}
