/** The apps that asked for access over OAuth. They are public clients: nothing about them is secret. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import type { ClientDetails } from "../../domain/oauth/ClientDetails.ts"
import { atNow, findOne, write } from "../postgres/Queries.ts"
import { sweepHourlyInBatches } from "../Sweep.ts"

const ClientRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  redirectUris: Schema.Array(Schema.String),
  /** When its document was read; null for an app that registered itself. */
  fetchedAt: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type ClientRow = typeof ClientRow.Type

/** An app that nobody gave access to, and that has not sent anybody here for so long, is forgotten. */
const keptFor = Duration.days(30)

/** Rows of one statement, so that a flood of registrations cannot make it long. */
const sweptTogether = 1_000

export class OAuthClients extends Effect.Service<OAuthClients>()("belltower/OAuthClients", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const sweepOne = Effect.gen(function*() {
      const before = DateTime.toDateUtc(DateTime.subtractDuration(yield* DateTime.now, keptFor))
      const gone = yield* sql`
        delete from oauth_clients where id in (
          select id from oauth_clients c
          where used_at < ${before} and not exists (select from oauth_grants g where g.client_id = c.id)
          order by used_at limit ${sweptTogether})
        returning id`
      return gone.length === sweptTogether
    })
    yield* sweepHourlyInBatches("Unused OAuth clients", sweepOne)

    return {
      find: findOne(
        ClientRow,
        (id: string) =>
          sql`select id, name, redirect_uris as "redirectUris", fetched_at as "fetchedAt" from oauth_clients where id = ${id}`
      ),
      /** Adds an app, or what the document of a known one says now. `read` is when it was read; null for a registration. */
      put: (id: string, { name, redirectUris }: ClientDetails, read: DateTime.Utc | null) => {
        const fetchedAt = read === null ? null : DateTime.toDateUtc(read)
        return write(atNow((now) =>
          sql`
          insert into oauth_clients (id, name, redirect_uris, created_at, fetched_at, used_at)
          values (${id}, ${name}, ${[...redirectUris]}::text[], ${now}, ${fetchedAt}::timestamptz, ${now})
          on conflict (id) do update set
            name = excluded.name, redirect_uris = excluded.redirect_uris, fetched_at = excluded.fetched_at`
        ))
      },
      /** Keeps an app that is in use. */
      touch: (id: string) => write(atNow((now) => sql`update oauth_clients set used_at = ${now} where id = ${id}`))
    }
  })
}) {}
