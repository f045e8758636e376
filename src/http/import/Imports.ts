/** Serves the operations on imports. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { RunImports } from "../../operations/import/RunImports.ts"
import { all, asCaller, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultJobs = 20

export const ImportsLive = operationGroup(Api, "Import", (handlers) =>
  Effect.map(RunImports, (imports) =>
    handlers
      .handle("preview_import", ({ payload }) => asCaller((caller) => imports.preview(caller, payload)))
      .handle("start_import", ({ payload }) => inWorkspace((id) => imports.start(id, payload)))
      .handle("get_import_job", ({ path }) => inWorkspace((id) => imports.find(id, path.id)))
      .handle(
        "list_import_jobs",
        ({ urlParams: { limit = defaultJobs } }) => all(inWorkspace((id) => imports.list(id, limit)))
      )))
