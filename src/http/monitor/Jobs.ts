/** Serves runs of jobs, and the ping key. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManagePingKey } from "../../operations/monitor/ManagePingKey.ts"
import { ReadRuns } from "../../operations/monitor/ReadRuns.ts"
import { inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

export const JobsLive = operationGroup(Api, "Jobs", (handlers) =>
  Effect.gen(function*() {
    const runs = yield* ReadRuns
    const keys = yield* ManagePingKey
    return handlers
      .handle("list_runs", ({ path, urlParams: { before = null, limit = defaultLimit, search = "", state = null } }) =>
        inWorkspace((id) =>
          runs.list(id, path.id, { state, search: search === "" ? null : search, before, limit })
        ))
      .handle("get_run", ({ path }) => inWorkspace((id) => runs.get(id, path.id)))
      .handle("get_ping_key", () => inWorkspace((id) => keys.get(id)))
      .handle("create_ping_key", ({ payload: { create = false } }) => inWorkspace((id) => keys.create(id, create)))
  }))
