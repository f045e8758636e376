/** The rows of users. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
import { UserId } from "../../../schema/Ids.ts"
import { type ContactUpdate, EmailAddress, Reach } from "../../../schema/people/Person.ts"
import { mint } from "../Mint.ts"
import { atNow, exists, findOne, findSingle } from "../postgres/Queries.ts"

export const UserRow = Schema.Struct({
  id: UserId,
  email: Schema.typeSchema(EmailAddress),
  name: Schema.NullOr(Schema.String),
  contact: Reach,
  /** Whether the user has proved ownership of the address. */
  proved: Schema.Boolean,
  secondFactor: Schema.Boolean
})
export type UserRow = typeof UserRow.Type

/** An address of an account that holds none. RFC 2606: no mail server accepts it. */
const placeholder = (id: UserId): string => `${id}@unproved.invalid`

export class Users extends Effect.Service<Users>()("belltower/Users", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`
      id, coalesce(shown_email, email) as email, name, contact, email_proved_at is not null as proved,
      totp_enabled_at is not null as "secondFactor"`)
    // Concurrent first sign-ins of one address create one user.
    const insert = findSingle(
      UserRow,
      (id: UserId, email: EmailAddress, name: string | null, proved: boolean) =>
        atNow((now) =>
          sql`
        insert into users (id, email, name, email_proved_at, created_at, updated_at)
        values (${id}, ${email}, ${name}, ${proved ? now : null}, ${now}, ${now})
        on conflict (email) do update set updated_at = users.updated_at
        returning ${columns}`
        )
    )

    const insertNew = findOne(
      UserRow,
      (id: UserId, email: string, shown: EmailAddress | null, proved: boolean) =>
        atNow((now) =>
          sql`
        insert into users (id, email, shown_email, email_proved_at, created_at, updated_at)
        values (${id}, ${email}, ${shown}, ${proved ? now : null}, ${now}, ${now})
        on conflict (email) do nothing returning ${columns}`
        )
    )

    /** Creates a user. None when the address has an account. */
    const create = (email: EmailAddress, proved: boolean) =>
      Effect.flatMap(mint("usr", UserId), (id) => insertNew(id, email, null, proved))

    return {
      /** Whether anybody has an account or a session, except an account of this address that nobody has used. */
      anySignedIn: (except: EmailAddress) =>
        exists(sql`
          select where exists (select from users where email <> ${except}) or exists (select from sessions)`),
      get: findOne(UserRow, (id: UserId) => sql`select ${columns} from users where id = ${id}`),
      /** The same, with a lock that keeps the second factor unchanged until the caller's transaction ends. */
      hold: findOne(UserRow, (id: UserId) => sql`select ${columns} from users where id = ${id} for key share`),
      findByEmail: findOne(UserRow, (email: EmailAddress) => sql`select ${columns} from users where email = ${email}`),
      /** The user of an address, created when missing. `proved` applies only to a new user; see `prove` for others. */
      ensure: (email: EmailAddress, proved: boolean, name: string | null) =>
        Effect.flatMap(mint("usr", UserId), (id) => insert(id, email, name, proved)),
      create,
      /**
       * Creates a user who may type any address, because they prove none. The answer is the same whether or not the address
       * has an account, which they do not get into.
       */
      createNewcomer: Effect.fn("Users.createNewcomer")(function*(email: EmailAddress) {
        const created = yield* create(email, false)
        if (Option.isSome(created)) return created.value
        // A user who holds no address. Other people, such as workspace members, see the address that they typed.
        const id = yield* mint("usr", UserId)
        return yield* Effect.orDie(Effect.flatten(insertNew(id, placeholder(id), email, false)))
      }),
      /** Records, in the caller's transaction, that the user has proved ownership of the address. True for the first proof. */
      prove: (id: UserId) =>
        exists(atNow((now) =>
          sql`
          update users set email_proved_at = ${now}, updated_at = ${now} where id = ${id} and email_proved_at is null
          returning id`
        )),
      updateContact: Effect.fn("Users.updateContact")(function*(id: UserId, { name, ...reach }: ContactUpdate) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        yield* sql`
          update users
          set name = ${name === undefined ? sql`name` : sql`${name?.trim() || null}`},
              contact = jsonb_strip_nulls(contact || ${JSON.stringify(reach)}::jsonb), updated_at = ${now}
          where id = ${id}`
      }, Effect.orDie)
    }
  })
}) {}
