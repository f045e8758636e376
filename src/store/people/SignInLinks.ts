/** One-time sign-in links, valid for 15 minutes and looked up by the SHA-256 of their token. */
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
  /** Whether it was sent by mail, so that opening it proves ownership of the address. */
  mailed: Schema.Boolean,
  /** Valid only for an address without an account, because it was shown to someone who has not proved ownership of it. */
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
      /** Creates a link in the caller's transaction and returns its token. `next` is the page to open after sign-in. */
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
          // Sealed because it may contain the token of a claim or an invitation.
          const nextSealed = link.next === null ? null : yield* vault.seal(link.next)
          yield* sql`
            insert into sign_in_links (token_hash, email, next_sealed, mailed, newcomer, created_at, expires_at)
            values (${tokenHash(token)}, ${link.email}, ${nextSealed}, ${link.mailed}, ${link.newcomer},
                    ${DateTime.toDateUtc(now)}, ${DateTime.toDateUtc(expiresAt)})`
          return { token, expiresAt }
        },
        Effect.orDie
      ),
      /** The content of a valid link, without using it. */
      look: Effect.fn("SignInLinks.look")(lookUp(valid)),
      /** Uses a link. Of two concurrent uses, one succeeds. */
      redeem: Effect.fn("SignInLinks.redeem")(lookUp(use))
    }
  })
}) {}
