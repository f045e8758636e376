/** Invitations of the operator to make a workspace, looked up by the SHA-256 of their code. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import { randomToken } from "../Mint.ts"
import { atNow, exists } from "../postgres/Queries.ts"
import { sweepHourly } from "../Sweep.ts"
import { tokenHash } from "../Vault.ts"

export class OperatorInvitations extends Effect.Service<OperatorInvitations>()("belltower/OperatorInvitations", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    yield* sweepHourly("Old invitations", atNow((now) => sql`delete from operator_invitations where expires_at < ${now}`))

    return {
      /** Stores an invitation for some workspaces; returns its code, which is not shown again. */
      create: Effect.fn("OperatorInvitations.create")(function*(uses: number, expiresAt: DateTime.Utc) {
        const code = yield* randomToken(40)
        yield* sql`
          insert into operator_invitations (token_hash, uses_left, created_at, expires_at)
          values (${tokenHash(code)}, ${uses}, ${DateTime.toDateUtc(yield* DateTime.now)}, ${DateTime.toDateUtc(expiresAt)})`
        return code
      }, Effect.orDie),
      /** Whether a code can still be used. */
      isValid: (code: string) =>
        exists(atNow((now) =>
          sql`
          select from operator_invitations where token_hash = ${tokenHash(code)} and uses_left > 0 and expires_at > ${now}`
        )),
      /** Uses a code once, in the caller's transaction. Of two concurrent last uses, one succeeds. */
      use: (code: string) =>
        exists(atNow((now) =>
          sql`
          update operator_invitations set uses_left = uses_left - 1
          where token_hash = ${tokenHash(code)} and uses_left > 0 and expires_at > ${now}
          returning uses_left`
        )),
      /** Ends an invitation. False when there is none with this code. */
      end: (code: string) =>
        exists(sql`delete from operator_invitations where token_hash = ${tokenHash(code)} returning token_hash`)
    }
  })
}) {}
