/** Serves deploy markers. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ManageDeploys } from "../../operations/deploy/ManageDeploys.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

export const DeploysLive = operationGroup(Api, "Deploys", (handlers) =>
  Effect.map(ManageDeploys, (manage) =>
    handlers
      .handle("create_deploy", ({ payload }) => Effect.flatMap(Access, ({ workspaceId }) => manage.create(workspaceId, payload)))
      .handle("list_deploys", ({ urlParams }) =>
        Effect.flatMap(Access, ({ workspaceId }) =>
          manage.list(workspaceId, {
            monitorId: urlParams.monitorId ?? null,
            page: urlParams.pageId ?? null,
            incidentId: urlParams.incidentId ?? null,
            environment: urlParams.environment ?? null,
            since: urlParams.since ?? null,
            until: urlParams.until ?? null,
            before: urlParams.before ?? null,
            limit: urlParams.limit ?? defaultLimit
          })))
      .handle("delete_deploy", ({ path }) =>
        Effect.flatMap(
          Access,
          ({ workspaceId }) => Effect.as(manage.remove(workspaceId, path.id), { id: path.id, deleted: true as const })
        ))))
