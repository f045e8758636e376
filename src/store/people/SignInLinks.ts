/** The links by which people sign in: looked up by the SHA-256 of their token, used once, within 15 minutes. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { randomToken } from "../Mint.ts"
import { sweepHourly } from "../Sweep.ts"
import { tokenHash, Vault } from "../Vault.ts"

const lifetime = Duration.minutes(15)

const SignInLink = Schema.Struct({
  email: Schema.typeSchema(EmailAddress),
  nextSealed: Schema.NullOr(Schema.String),
  /** Whether it went out by mail, so that whoever opens it has shown that the address is theirs. */
  mailed: Schema.Boolean,
  /** Good only for an address without an account: it was shown to someone who has not proved that the address is theirs. */
  newcomer: Schema.Boolean
})

export class SignInLinks extends Effect.Service<SignInLinks>()("belltower/SignInLinks", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const columns = sql.literal(`email, next_sealed as "nextSealed", mailed, newcomer`)
    const Lookup = Schema.Struct({ hash: Schema.Uint8ArrayFromSelf, now: Schema.DateTimeUtcFromDate })

    const valid = SqlSchema.findOne({
      Request: Lookup,
      Result: SignInLink,
      execute: ({ hash, now }) =>
        sql`
        select ${columns} from sign_in_links
        where token_hash = ${Buffer.from(hash)} and used_at is null and expires_at > ${now}`
    })
    const use = SqlSchema.findOne({
      Request: Lookup,
      Result: SignInLink,
      execute: ({ hash, now }) =>
        sql`
        update sign_in_links set used_at = ${now}
        where token_hash = ${Buffer.from(hash)} and used_at is null and expires_at > ${now}
        returning ${columns}`
    })

    const opened = Effect.fnUntraced(function*({ nextSealed, ...link }: typeof SignInLink.Type) {
      return { ...link, next: nextSealed === null ? null : yield* vault.unseal(nextSealed) }
    })
    const lookUp = (find: typeof valid) => (token: string) =>
      Effect.gen(function*() {
        const found = yield* Effect.orDie(find({ hash: tokenHash(token), now: yield* DateTime.now }))
        return Option.isNone(found) ? Option.none() : Option.some(yield* opened(found.value))
      })

    const sweep = Effect.gen(function*() {
      const dayAgo = DateTime.subtract(yield* DateTime.now, { days: 1 })
      yield* sql`delete from sign_in_links where expires_at < ${DateTime.toDateUtc(dayAgo)}`
    })
    yield* sweepHourly("Old sign-in links", sweep)

    return {
      /** A new link's token, in the caller's transaction; `next` is where its user goes then. */
      create: Effect.fn("SignInLinks.create")(
        function*(link: {
          readonly email: EmailAddress
          readonly next: string | null
          readonly mailed: boolean
          readonly newcomer: boolean
        }) {
          const token = yield* randomToken(40)
          const now = yield* DateTime.now
          const expiresAt = DateTime.addDuration(now, lifetime)
          // It may hold the token of a claim or an invitation.
          const nextSealed = link.next === null ? null : yield* vault.seal(link.next)
          yield* sql`
            insert into sign_in_links (token_hash, email, next_sealed, mailed, newcomer, created_at, expires_at)
            values (${tokenHash(token)}, ${link.email}, ${nextSealed}, ${link.mailed}, ${link.newcomer},
                    ${DateTime.toDateUtc(now)}, ${DateTime.toDateUtc(expiresAt)})`
          return { token, expiresAt }
        },
        Effect.orDie
      ),
      /** What a link that can still be used opens, without using it. */
      look: Effect.fn("SignInLinks.look")(lookUp(valid)),
      /** Uses a link: of two who come at once one gets in. */
      redeem: Effect.fn("SignInLinks.redeem")(lookUp(use))
    }
  })
}) {}
