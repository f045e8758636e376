/** Requests of apps for access, until the person whom they sent here has decided. The id in the address is stored as a hash. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import { Scope } from "../../../schema/workspace/Workspace.ts"
import type { AuthorizationRequest } from "../../domain/oauth/AuthorizationRequest.ts"
import { randomToken } from "../Mint.ts"
import { atNow, findOne } from "../postgres/Queries.ts"
import { sweepHourlyOlder } from "../Sweep.ts"
import { tokenHash } from "../Vault.ts"

/** Longer than a sign-in by email takes, with the making of an account. */
const lifetime = Duration.hours(1)

const RequestRow = Schema.Struct({
  clientId: Schema.String,
  clientName: Schema.String,
  /** Whether the app has a document at the address that is its id, so that its host has vouched for it. */
  hasDocument: Schema.Boolean,
  redirectUri: Schema.String,
  state: Schema.NullOr(Schema.String),
  challenge: Schema.String,
  scopes: Schema.Array(Scope)
})
export type RequestRow = typeof RequestRow.Type

interface NewRequest extends AuthorizationRequest {
  readonly clientId: string
  readonly redirectUri: string
}

export class OAuthRequests extends Effect.Service<OAuthRequests>()("belltower/OAuthRequests", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    yield* sweepHourlyOlder("Old OAuth requests", 0, (before) => sql`delete from oauth_requests where expires_at < ${before}`)

    return {
      /** The id of the new request. */
      add: Effect.fn("OAuthRequests.add")(function*({ challenge, clientId, redirectUri, scopes, state }: NewRequest) {
        const id = yield* randomToken(32)
        const until = DateTime.toDateUtc(DateTime.addDuration(yield* DateTime.now, lifetime))
        yield* sql`
          insert into oauth_requests (hash, client_id, redirect_uri, state, challenge, scopes, expires_at)
          values (${tokenHash(id)}, ${clientId}, ${redirectUri}, ${state}, ${challenge}, ${[...scopes]}::text[], ${until})`
        return id
      }, Effect.orDie),
      find: findOne(RequestRow, (id: string) =>
        atNow((now) =>
          sql`
          select r.client_id as "clientId", c.name as "clientName", c.fetched_at is not null as "hasDocument",
                 r.redirect_uri as "redirectUri", r.state, r.challenge, r.scopes
          from oauth_requests r join oauth_clients c on c.id = r.client_id
          where r.hash = ${tokenHash(id)} and r.expires_at > ${now}`
        )),
      /** Ends a request that was decided: a person decides once. False if it had ended. */
      end: (id: string) =>
        Effect.orDie(
          Effect.map(sql`delete from oauth_requests where hash = ${tokenHash(id)} returning client_id`, (rows) => rows.length > 0)
        )
    }
  })
}) {}
