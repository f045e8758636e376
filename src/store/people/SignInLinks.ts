/** One-time sign-in links, valid for 15 minutes and looked up by the SHA-256 of their token. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { UserId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { randomToken } from "../Mint.ts"
import { atNow, findOne } from "../postgres/Queries.ts"
import { cellOf } from "../SealedColumns.ts"
import { sweepHourlyOlder } from "../Sweep.ts"
import { tokenHash, Vault } from "../Vault.ts"

const lifetime = Duration.minutes(15)

/** How a link reached its reader, which decides what opening it proves. */
const LinkOrigin = Schema.Literal(
  /** Sent by email, or issued after a provider has verified the address. It proves the address. */
  "mailed",
  /** Printed by the server's operator, for a person whom they know by the address. It proves the address. */
  "operator",
  /** Shown to someone who typed the address. It proves nothing, so it makes a new account. */
  "newcomer",
  /** In an email that the server keeps instead of sending it. It proves nothing. */
  "captured"
)
export type LinkOrigin = typeof LinkOrigin.Type

const LinkRow = Schema.Struct({
  email: Schema.typeSchema(EmailAddress),
  nextSealed: Schema.NullOr(Schema.String),
  origin: LinkOrigin,
  /** Whether the session that it starts is the operator's, who sets the mail server. */
  forOperator: Schema.Boolean
})

/** `next` is the page to open after sign-in. */
export interface SignInLink extends Omit<typeof LinkRow.Type, "nextSealed"> {
  readonly next: string | null
}

export class SignInLinks extends Effect.Service<SignInLinks>()("belltower/SignInLinks", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const columns = sql.literal(`email, next_sealed as "nextSealed", for_operator as "forOperator",
      case when mailed then 'mailed' when operator then 'operator' when newcomer then 'newcomer' else 'captured' end as origin`)

    const valid = findOne(LinkRow, (token: string) =>
      atNow((now) =>
        sql`
      select ${columns} from sign_in_links
      where token_hash = ${tokenHash(token)} and used_at is null and expires_at > ${now}`
      ))
    const use = findOne(LinkRow, (token: string) =>
      atNow((now) =>
        sql`
      update sign_in_links set used_at = ${now}
      where token_hash = ${tokenHash(token)} and used_at is null and expires_at > ${now}
      returning ${columns}`
      ))

    const cell = (token: string) => cellOf("sign_in_links.next_sealed", tokenHash(token))
    const opened = Effect.fnUntraced(function*(token: string, { nextSealed, ...link }: typeof LinkRow.Type) {
      const whole: SignInLink = { ...link, next: nextSealed === null ? null : yield* vault.unseal(cell(token), nextSealed) }
      return whole
    })
    const lookUp = (find: typeof valid) => (token: string) =>
      Effect.gen(function*() {
        const found = yield* find(token)
        return Option.isNone(found) ? Option.none() : Option.some(yield* opened(token, found.value))
      })

    yield* sweepHourlyOlder("Old sign-in links", "1 day", (before) => sql`delete from sign_in_links where expires_at < ${before}`)

    const addressOf = findOne(
      Schema.Struct({ email: Schema.typeSchema(EmailAddress) }),
      (id: UserId) => sql`select email from users where id = ${id}`
    )

    /** Creates a link in the caller's transaction and returns its token. `next` is the page to open after sign-in. */
    const create = Effect.fn("SignInLinks.create")(
      function*(link: {
        readonly email: EmailAddress
        readonly next: string | null
        readonly origin: LinkOrigin
        readonly forOperator?: boolean
      }) {
        const token = yield* randomToken(40)
        const now = yield* DateTime.now
        const expiresAt = DateTime.addDuration(now, lifetime)
        // Sealed because it may contain the token of a claim or an invitation.
        const nextSealed = link.next === null ? null : yield* vault.seal(cell(token), link.next)
        yield* sql`
            insert into sign_in_links
              (token_hash, email, next_sealed, mailed, operator, newcomer, for_operator, created_at, expires_at)
            values (${tokenHash(token)}, ${link.email}, ${nextSealed}, ${link.origin === "mailed"}, ${link.origin === "operator"},
                    ${link.origin === "newcomer"}, ${link.forOperator ?? false}, ${DateTime.toDateUtc(now)}, ${
          DateTime.toDateUtc(expiresAt)
        })`
        return { token, expiresAt }
      },
      Effect.orDie
    )

    return {
      create,
      /**
       * The token of a link that the operator prints, for an address or for an account; none if there is no such account.
       * `forOperator`: whether it is for the operator, not for somebody whom the operator lets in.
       */
      createForOperator: Effect.fn("SignInLinks.createForOperator")(
        function*(wanted: { readonly email: EmailAddress } | { readonly id: UserId }, forOperator: boolean) {
          const found = "id" in wanted ? yield* addressOf(wanted.id) : Option.some(wanted)
          if (Option.isNone(found)) return Option.none<string>()
          const { token } = yield* create({ email: found.value.email, next: null, origin: "operator", forOperator })
          return Option.some(token)
        },
        Effect.orDie
      ),
      /** The content of a valid link, without using it. */
      look: Effect.fn("SignInLinks.look")(lookUp(valid)),
      /** Uses a link. Of two concurrent uses, one succeeds. */
      redeem: Effect.fn("SignInLinks.redeem")(lookUp(use)),
      /** Ends the links of an address that have not been used, in the caller's transaction. */
      endOf: Effect.fn("SignInLinks.endOf")(function*(email: EmailAddress) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`
          update sign_in_links set used_at = ${now} where email = ${email} and used_at is null and not newcomer`
      }, Effect.orDie)
    }
  })
}) {}
