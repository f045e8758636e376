/** Serves the audit log. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { AuditTrail } from "../../operations/access/AuditTrail.ts"
import { inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 100

export const AuditLive = operationGroup(
  Api,
  "Audit",
  (handlers) =>
    Effect.map(AuditTrail, (log) =>
      handlers.handle("list_audit_log", ({ urlParams }) => {
        const { actor = null, before = null, from = null, limit = defaultLimit, operation = null, to = null } = urlParams
        return inWorkspace((workspaceId) => log.list(workspaceId, { before, actor, operation, from, to, limit }))
      }))
)
