/** Serves deploy markers. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageDeploys } from "../../operations/deploy/ManageDeploys.ts"
import { deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 50

export const DeploysLive = operationGroup(Api, "Deploys", (handlers) =>
  Effect.map(ManageDeploys, (manage) =>
    handlers
      .handle("create_deploy", ({ payload }) => inWorkspace((id) => manage.create(id, payload)))
      .handle("list_deploys", ({ urlParams }) => {
        const { before = null, environment = "", incidentId = null, limit = defaultLimit, monitorId = null } = urlParams
        const { pageId: page = null, since = null, until = null } = urlParams
        const filter = { monitorId, page, incidentId, environment: environment || null, since, until, before, limit }
        return inWorkspace((id) => manage.list(id, filter))
      })
      .handle("delete_deploy", ({ path }) => deleted(path.id, inWorkspace((id) => manage.remove(id, path.id))))))
