/** The claim links of unclaimed workspaces: looked up by the SHA-256 of their token, and sealed so that they can be shown again. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { accessEndedSignal } from "../access/AccessEnded.ts"
import { randomToken } from "../Mint.ts"
import { flatMapRead, type Read, readFirst, run } from "../postgres/Read.ts"
import { cellOf } from "../SealedColumns.ts"
import { tokenHash, Vault } from "../Vault.ts"

const readSealed = readFirst(Schema.Struct({ sealed: Schema.String }))

export class Claims extends Effect.Service<Claims>()("belltower/Claims", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault

    const readToken = (id: WorkspaceId): Read<Option.Option<string>> => {
      const kept = readSealed(
        sql`/* one plan */
        select claim_token_sealed as sealed from workspaces
        where id = ${id} and claimed_at is null and claim_token_sealed is not null`
      )
      return flatMapRead(
        kept,
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: ({ sealed }) => Effect.asSome(vault.unseal(cellOf("workspaces.claim_token_sealed", id), sealed))
        })
      )
    }

    /** Gives a workspace a new claim link, in the caller's transaction, and returns its token. Earlier links end. */
    const issue = Effect.fn("Claims.issue")(function*(id: WorkspaceId) {
      const token = yield* randomToken(40)
      const sealed = yield* vault.seal(cellOf("workspaces.claim_token_sealed", id), token)
      yield* sql`
        update workspaces set claim_token_hash = ${tokenHash(token)}, claim_token_sealed = ${sealed} where id = ${id}`
      return token
    }, Effect.orDie)

    return {
      issue,
      /** The token of an unclaimed workspace; none once it is claimed. */
      readToken,
      tokenOf: (id: WorkspaceId) => run(readToken(id)),
      /**
       * Makes claimed workspaces without an owner claimable again, in the caller's transaction. They do not expire: someone
       * may rely on what they monitor.
       */
      reopen: Effect.fn("Claims.reopen")(function*(ids: ReadonlyArray<WorkspaceId>) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        const opened = yield* sql<{ readonly id: string }>`
          update workspaces w set claimed_at = null, expires_at = null, updated_at = ${now}
          where w.id = any(${ids}::text[]) and w.claimed_at is not null and not exists (
            select from memberships m where m.workspace_id = w.id and m.role = 'owner')
          returning id`
        yield* Effect.forEach(opened, ({ id }) => issue(WorkspaceId.make(id)), { discard: true })
        // The keys of an unclaimed workspace may act as its owner.
        yield* sql`
          select pg_notify(${accessEndedSignal}, id) from api_keys where workspace_id = any(${
          opened.map(({ id }) => id)
        }::text[])`
      }, Effect.orDie)
    }
  })
}) {}
