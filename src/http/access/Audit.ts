/** Serves the audit log. */
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { ReadAuditLog } from "../../operations/access/ReadAuditLog.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const defaultLimit = 100

export const AuditLive = operationGroup(
  Api,
  "Audit",
  (handlers) =>
    Effect.map(ReadAuditLog, (log) =>
      handlers.handle("list_audit_log", ({ urlParams }) => {
        const { actor = null, before = null, from = null, limit = defaultLimit, operation = null, to = null } = urlParams
        return Effect.flatMap(Access, ({ workspaceId }) => log.list(workspaceId, { before, actor, operation, from, to, limit }))
          .pipe(
            Effect.map(({ entries, next }) => ({ data: entries, next }))
          )
      }))
)
