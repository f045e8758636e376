/** The Google and GitHub accounts that people sign in with. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { UserId } from "../../../schema/Ids.ts"
import { Provider } from "../../../schema/people/Person.ts"
import { atNow, exists, findAll, findOne } from "../postgres/Queries.ts"

export class Identities extends Effect.Service<Identities>()("belltower/Identities", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    return {
      ownerOf: findOne(Schema.Struct({ userId: UserId }), (provider: Provider, subject: string) =>
        sql`
        select user_id as "userId" from identities where provider = ${provider} and subject = ${subject}`),
      list: findAll(
        Schema.Struct({ provider: Provider, email: Schema.String, createdAt: Schema.DateTimeUtcFromDate }),
        (userId: UserId) =>
          sql`
        select provider, email, created_at as "createdAt" from identities where user_id = ${userId} order by provider`
      ),
      /** Connects an account. False when the account or the user already has another connection. */
      connect: (
        userId: UserId,
        { email, provider, subject }: { readonly provider: Provider; readonly subject: string; readonly email: string }
      ) =>
        exists(atNow((now) =>
          sql`
          insert into identities (user_id, provider, subject, email, created_at)
          values (${userId}, ${provider}, ${subject}, ${email}, ${now})
          on conflict do nothing returning user_id`
        )),
      /** Disconnects a provider. False when it is not connected. */
      disconnect: (userId: UserId, provider: Provider) =>
        exists(sql`delete from identities where user_id = ${userId} and provider = ${provider} returning user_id`)
    }
  })
}) {}
