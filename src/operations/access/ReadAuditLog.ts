/** Reads the audit log of a workspace, newest first. */
import type { DateTime } from "effect"
import { Effect } from "effect"
import { ValidationFailed } from "../../../schema/Errors.ts"
import type { AuditId, WorkspaceId } from "../../../schema/Ids.ts"
import { idTime } from "../../domain/Id.ts"
import { AuditLog } from "../../store/access/AuditLog.ts"

/** Which entries are wanted; null for any. */
interface AuditQuery {
  /** Only entries older than this one. */
  readonly before: AuditId | null
  /** The id of a key or a person; entries of keys that a key delegated to count as its own. */
  readonly actor: string | null
  readonly operation: string | null
  readonly from: DateTime.Utc | null
  readonly to: DateTime.Utc | null
  readonly limit: number
}

const expected = "Expected the id of an entry, as next tells it"

/** Any other text would select the newest entries again and again. */
const noEntry = new ValidationFailed({
  message: `before: ${expected}`,
  details: [{ path: "before", message: expected }]
})

const isEntry = (id: AuditId) => id.startsWith("aud_") && idTime(id) !== null

export class ReadAuditLog extends Effect.Service<ReadAuditLog>()("belltower/ReadAuditLog", {
  effect: Effect.gen(function*() {
    const log = yield* AuditLog

    /** Up to `limit` entries, and the id that the next page begins before; null on the last page. */
    const list = Effect.fn("ReadAuditLog.list")(function*(workspaceId: WorkspaceId, query: AuditQuery) {
      const { before, limit } = query
      if (before !== null && !isEntry(before)) return yield* noEntry
      // One more than a page holds tells whether there is another page.
      const found = yield* log.list({ ...query, workspaceId, limit: limit + 1 })
      const entries = found.slice(0, limit)
      return { entries, next: found.length > limit ? entries.at(-1)?.id ?? null : null }
    })

    return { list }
  })
}) {}
