/** Answers the audit log. */
import { HttpApiBuilder } from "@effect/platform"
import type { DateTime } from "effect"
import { Effect } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import type { AuditId } from "../../../schema/Ids.ts"
import { idTime } from "../../domain/Id.ts"
import { AuditLog } from "../../store/access/AuditLog.ts"
import { validationFailed } from "../request/FieldIssues.ts"

const defaultLimit = 100

/** Taken for an id, it would answer the newest entries again and again. */
const noEntry = validationFailed([{ path: "before", message: "Expected the id of an entry, as next tells it" }])

const isEntry = (id: AuditId) => id.startsWith("aud_") && idTime(id) !== null

const listAuditLog = Effect.fn("Audit.list")(function*({ urlParams }: {
  readonly urlParams: {
    readonly before?: AuditId
    readonly limit?: number
    readonly actor?: string
    readonly operation?: string
    readonly from?: DateTime.Utc
    readonly to?: DateTime.Utc
  }
}) {
  const { actor = null, before = null, from = null, limit = defaultLimit, operation = null, to = null } = urlParams
  if (before !== null && !isEntry(before)) return yield* noEntry
  const { workspaceId } = yield* Access
  const log = yield* AuditLog
  // One more than is shown tells whether there are more.
  const found = yield* log.list({ workspaceId, before, actor, operation, from, to, limit: limit + 1 })
  const data = found.slice(0, limit)
  return { data, next: found.length > limit ? data.at(-1)?.id ?? null : null }
})

export const AuditLive = HttpApiBuilder.group(Api, "Audit", (handlers) => handlers.handle("list_audit_log", listAuditLog))
