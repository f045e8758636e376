/** The rows of the audit log. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { AuditActor, AuditEntry, type AuditVia } from "../../../schema/access/Audit.ts"
import type { Principal } from "../../../schema/access/Caller.ts"
import { AuditId, type WorkspaceId } from "../../../schema/Ids.ts"
import { mint } from "../Mint.ts"
import { withNext } from "../postgres/LeanTransactions.ts"
import { findAll } from "../postgres/Queries.ts"
import { sweepHourlyOlder } from "../Sweep.ts"

const keptFor = Duration.days(365)

/** Longer than any operation runs: an entry that is not settled by then never will be. */
const settledWithin = Duration.minutes(5)

const AuditRow = Schema.Struct({
  id: AuditId,
  at: Schema.DateTimeUtcFromDate,
  operation: Schema.String,
  target: Schema.NullOr(Schema.String),
  actor: AuditActor,
  via: AuditEntry.fields.via,
  outcome: AuditEntry.fields.outcome,
  ip: Schema.NullOr(Schema.String)
})

export interface AuditDraft {
  readonly principal: Principal
  readonly operation: string
  readonly target: string | null
  readonly via: AuditVia
  readonly ip: string | null
}

/** Filters of the list; null matches any entry. */
export interface AuditFilter {
  readonly workspaceId: WorkspaceId
  readonly before: AuditId | null
  /** The id of a key or a person; a key also matches the entries of keys it delegated to. */
  readonly actor: string | null
  readonly operation: string | null
  readonly from: DateTime.Utc | null
  readonly to: DateTime.Utc | null
  readonly limit: number
}

export class AuditLog extends Effect.Service<AuditLog>()("belltower/AuditLog", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    yield* sweepHourlyOlder("Old entries of the audit log", keptFor, (before) => sql`delete from audit_log where at < ${before}`)

    const insert = Effect.fnUntraced(function*(workspaceId: WorkspaceId, draft: AuditDraft, settled: boolean) {
      const id = yield* mint("aud", AuditId)
      const now = DateTime.toDateUtc(yield* DateTime.now)
      const { ip, operation, principal, target, via } = draft
      const [type, actor] = principal._tag === "Key" ? ["key", principal.keyId] : ["user", principal.userId]
      yield* withNext(sql`/* one plan */
        insert into audit_log (id, workspace_id, at, operation, target, actor, via, ip, settled)
        select ${id}, w.id, ${now}, ${operation}, ${target}, jsonb_build_object(
                 'type', ${type}::text, 'id', ${actor}::text, 'name', coalesce(k.name, u.shown_email, u.email),
                 'parent', case when p.id is not null then jsonb_build_object('id', p.id, 'name', p.name) end
               ), ${via}, ${ip}, ${settled}
        from workspaces w
        left join api_keys k on k.id = ${actor} and k.workspace_id = w.id
        left join api_keys p on p.id = k.parent_id
        left join users u on u.id = ${actor}
        where w.id = ${workspaceId}`)
      return id
    }, Effect.orDie)

    return {
      /** Writes an entry with the actor's current name. Does nothing when the workspace no longer exists. */
      append: (workspaceId: WorkspaceId, draft: AuditDraft) => Effect.asVoid(insert(workspaceId, draft, true)),
      /** Writes the entry of a change that is about to happen. Its outcome is `unknown` until it is settled or forgotten. */
      begin: (workspaceId: WorkspaceId, draft: AuditDraft) => insert(workspaceId, draft, false),
      /** Records that the change has happened. The entry gets a new id and time, so that it never appears behind a cursor. */
      settle: Effect.fnUntraced(function*(begun: AuditId, workspaceId: WorkspaceId, target: string | null) {
        const id = yield* mint("aud", AuditId)
        const now = DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`
          update audit_log set id = ${id}, at = ${now}, target = ${target}, settled = true
          where workspace_id = ${workspaceId} and id = ${begun}`
      }, Effect.orDie),
      /** Deletes the entry of a change that did not happen. */
      forget: (begun: AuditId, workspaceId: WorkspaceId) =>
        Effect.orDie(sql`delete from audit_log where workspace_id = ${workspaceId} and id = ${begun} and not settled`),
      /** Newest first. */
      list: findAll(AuditRow, ({ actor, before, limit, operation, workspaceId, ...period }: AuditFilter) => {
        const date = (at: DateTime.Utc | null) => at === null ? null : DateTime.toDateUtc(at)
        const [from, to] = [date(period.from), date(period.to)]
        return sql`
        select id, at, operation, target, actor, via, ip, case when settled then 'done' else 'unknown' end as outcome
        from audit_log
        where workspace_id = ${workspaceId}
          and (settled or at < statement_timestamp() - make_interval(secs => ${Duration.toSeconds(settledWithin)}))
          and (${before}::text is null or id < ${before})
          and (${actor}::text is null or actor ->> 'id' = ${actor} or actor -> 'parent' ->> 'id' = ${actor})
          and (${operation}::text is null or operation = ${operation})
          and (${from}::timestamptz is null or at >= ${from})
          and (${to}::timestamptz is null or at < ${to})
        order by id desc limit ${limit}`
      })
    }
  })
}) {}
