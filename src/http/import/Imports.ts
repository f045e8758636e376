/** Serves the operations on imports. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { RunImports } from "../../operations/import/RunImports.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultJobs = 20

export const ImportsLive = operationGroup(Api, "Import", (handlers) =>
  Effect.map(RunImports, (imports) =>
    handlers
      .handle(
        "preview_import",
        ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => imports.preview(workspaceId, payload))
      )
      .handle("start_import", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => imports.start(workspaceId, payload)))
      .handle("get_import_job", ({ path }) => Effect.flatMap(Access, ({ workspaceId }) => imports.find(workspaceId, path.id)))
      .handle(
        "list_import_jobs",
        ({ urlParams }) =>
          Effect.flatMap(
            Access,
            ({ workspaceId }) =>
              Effect.map(imports.list(workspaceId, urlParams.limit ?? defaultJobs), (data) => ({ data, next: null }))
          )
      )))
