/** The Google and GitHub accounts that people sign in with. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { UserId } from "../../../schema/Ids.ts"
import { Provider } from "../../../schema/people/Person.ts"

const Subject = Schema.Struct({ provider: Provider, subject: Schema.String })

export class Identities extends Effect.Service<Identities>()("belltower/Identities", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const owner = SqlSchema.findOne({
      Request: Subject,
      Result: Schema.Struct({ userId: UserId }),
      execute: ({ provider, subject }) =>
        sql`
        select user_id as "userId" from identities where provider = ${provider} and subject = ${subject}`
    })
    const listed = SqlSchema.findAll({
      Request: UserId,
      Result: Schema.Struct({ provider: Provider, email: Schema.String, createdAt: Schema.DateTimeUtcFromDate }),
      execute: (userId) =>
        sql`
        select provider, email, created_at as "createdAt" from identities where user_id = ${userId} order by provider`
    })

    return {
      /** The user that an account is connected to. */
      ownerOf: (provider: Provider, subject: string) => Effect.orDie(owner({ provider, subject })),
      list: (userId: UserId) => Effect.orDie(listed(userId)),
      /** Connects an account. False when the account or the user already has another connection. */
      connect: Effect.fn("Identities.connect")(
        function*(userId: UserId, account: { readonly provider: Provider; readonly subject: string; readonly email: string }) {
          const now = DateTime.toDateUtc(yield* DateTime.now)
          const { email, provider, subject } = account
          const connected = yield* sql`
            insert into identities (user_id, provider, subject, email, created_at)
            values (${userId}, ${provider}, ${subject}, ${email}, ${now})
            on conflict do nothing returning user_id`
          return connected.length > 0
        },
        Effect.orDie
      ),
      /** Disconnects a provider. False when it is not connected. */
      disconnect: Effect.fn("Identities.disconnect")(function*(userId: UserId, provider: Provider) {
        const gone = yield* sql`
          delete from identities where user_id = ${userId} and provider = ${provider} returning user_id`
        return gone.length > 0
      }, Effect.orDie)
    }
  })
}) {}
