/** The browsers in which people have signed in, looked up by the SHA-256 of a token that outlives their sessions. It opens nothing. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect } from "effect"
import type { UserId } from "../../../schema/Ids.ts"
import type { EmailAddress } from "../../../schema/people/Person.ts"
import { knownBrowserLifetime } from "../../domain/people/SessionLifetime.ts"
import { randomToken } from "../Mint.ts"
import { exists } from "../postgres/Queries.ts"
import { sweepHourlyOlder } from "../Sweep.ts"
import { tokenHash } from "../Vault.ts"

/** Known browsers of one person; those that were not used for longest are forgotten. */
const most = 20

export class KnownBrowsers extends Effect.Service<KnownBrowsers>()("belltower/KnownBrowsers", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    yield* sweepHourlyOlder(
      "Old browsers",
      Duration.sum(knownBrowserLifetime, Duration.days(1)),
      (before) => sql`delete from known_browsers where seen_at < ${before}`
    )

    return {
      /** Notes a sign-in, in the caller's transaction; returns the browser's token, which is the one that it `had`, if that is theirs. */
      remember: Effect.fn("KnownBrowsers.remember")(function*(userId: UserId, had: string | undefined) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        if (had !== undefined) {
          const seen = yield* sql`
            update known_browsers set seen_at = ${now} where token_hash = ${
            tokenHash(had)
          } and user_id = ${userId} returning user_id`
          if (seen.length > 0) return had
        }
        const token = yield* randomToken(40)
        yield* sql`
          insert into known_browsers (token_hash, user_id, seen_at) values (${tokenHash(token)}, ${userId}, ${now})`
        yield* sql`
          delete from known_browsers where token_hash in (
            select token_hash from known_browsers where user_id = ${userId} order by seen_at desc offset ${most})`
        return token
      }, Effect.orDie),
      /** Whether the person with this address has signed in by the browser of a token. */
      isOf: (email: EmailAddress, token: string) =>
        exists(sql`
          select from known_browsers b join users u on u.id = b.user_id
          where b.token_hash = ${tokenHash(token)} and u.email = ${email}`),
      /** The same for a user. */
      isOfUser: (userId: UserId, token: string) =>
        exists(sql`select from known_browsers where token_hash = ${tokenHash(token)} and user_id = ${userId}`)
    }
  })
}) {}
