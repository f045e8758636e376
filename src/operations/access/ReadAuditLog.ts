/** Reads the audit log of a workspace, newest first. */
import { type DateTime, Effect } from "effect"
import type { AuditId, WorkspaceId } from "../../../schema/Ids.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { idTime } from "../../domain/tools/Id.ts"
import { AuditLog } from "../../store/access/AuditLog.ts"

/** Filters; null matches everything. */
interface AuditQuery {
  /** Only entries older than this one. */
  readonly before: AuditId | null
  /** The id of a key or a person; a key also matches the entries of keys it delegated to. */
  readonly actor: string | null
  readonly operation: string | null
  readonly from: DateTime.Utc | null
  readonly to: DateTime.Utc | null
  readonly limit: number
}

/** Any other string would select the first page again, and a client would page forever. */
const invalidCursor = validationFailure([{
  path: "before",
  message: "Expected the id of an audit entry, such as the value of next"
}])

const isAuditId = (id: AuditId) => id.startsWith("aud_") && idTime(id) !== null

export class ReadAuditLog extends Effect.Service<ReadAuditLog>()("belltower/ReadAuditLog", {
  effect: Effect.gen(function*() {
    const log = yield* AuditLog

    /** Up to `limit` entries, and the `before` of the next page; null on the last page. */
    const list = Effect.fn("ReadAuditLog.list")(function*(workspaceId: WorkspaceId, query: AuditQuery) {
      const { before, limit } = query
      if (before !== null && !isAuditId(before)) return yield* invalidCursor
      // Reads one extra row to detect whether there is another page.
      const found = yield* log.list({ ...query, workspaceId, limit: limit + 1 })
      const data = found.slice(0, limit)
      return { data, next: found.length > limit ? data.at(-1)?.id ?? null : null }
    })

    return { list }
  })
}) {}
