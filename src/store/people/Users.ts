/** The rows of users. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { UserId } from "../../../schema/Ids.ts"
import { type ContactUpdate, EmailAddress, Reach } from "../../../schema/people/Person.ts"
import { mint } from "../Mint.ts"

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

const Address = Schema.typeSchema(EmailAddress)

export class Users extends Effect.Service<Users>()("belltower/Users", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`
      id, email, name, contact, email_proved_at is not null as proved, totp_enabled_at is not null as "secondFactor"`)

    const byId = SqlSchema.findOne({
      Request: UserId,
      Result: UserRow,
      execute: (id) => sql`select ${columns} from users where id = ${id}`
    })
    const heldById = SqlSchema.findOne({
      Request: UserId,
      Result: UserRow,
      execute: (id) => sql`select ${columns} from users where id = ${id} for key share`
    })
    const byEmail = SqlSchema.findOne({
      Request: Address,
      Result: UserRow,
      execute: (email) => sql`select ${columns} from users where email = ${email}`
    })
    const insert = SqlSchema.single({
      Request: Schema.Struct({
        id: UserId,
        email: Address,
        name: Schema.NullOr(Schema.String),
        proved: Schema.Boolean,
        now: Schema.DateTimeUtcFromDate
      }),
      Result: UserRow,
      // Concurrent first sign-ins of one address create one user.
      execute: ({ email, id, name, now, proved }) =>
        sql`
        insert into users (id, email, name, email_proved_at, created_at, updated_at)
        values (${id}, ${email}, ${name}, ${proved ? now : null}, ${now}, ${now})
        on conflict (email) do update set updated_at = users.updated_at
        returning ${columns}`
    })

    const insertNew = SqlSchema.findOne({
      Request: Schema.Struct({ id: UserId, email: Address, now: Schema.DateTimeUtcFromDate }),
      Result: UserRow,
      execute: ({ email, id, now }) =>
        sql`
        insert into users (id, email, created_at, updated_at) values (${id}, ${email}, ${now}, ${now})
        on conflict (email) do nothing returning ${columns}`
    })

    /**
     * Records that the user has proved ownership of the address, and returns the updated user. The first proof removes all
     * sessions, connected accounts and second factors from before: someone who signed up with another person's address must
     * neither stay signed in nor lock the owner out.
     */
    const prove = Effect.fn("Users.prove")(
      function*(id: UserId) {
        const now = DateTime.toDateUtc(yield* DateTime.now)
        const first = yield* sql`
        update users
        set email_proved_at = ${now}, updated_at = ${now}, totp_sealed = null, totp_enabled_at = null, totp_last_step = null
        where id = ${id} and email_proved_at is null
        returning id`
        if (first.length > 0) {
          yield* sql`delete from sessions where user_id = ${id}`
          yield* sql`delete from identities where user_id = ${id}`
          yield* sql`delete from recovery_codes where user_id = ${id}`
        }
        return yield* Effect.flatten(byId(id))
      },
      sql.withTransaction,
      Effect.orDie
    )

    const updateContact = Effect.fn("Users.updateContact")(function*(id: UserId, { name, ...reach }: ContactUpdate) {
      const now = DateTime.toDateUtc(yield* DateTime.now)
      yield* sql`
        update users
        set name = ${name === undefined ? sql`name` : sql`${name?.trim() || null}`},
            contact = jsonb_strip_nulls(contact || ${JSON.stringify(reach)}::jsonb), updated_at = ${now}
        where id = ${id}`
    }, Effect.orDie)

    return {
      get: (id: UserId) => Effect.orDie(byId(id)),
      /** The same, with a lock that keeps the second factor unchanged until the caller's transaction ends. */
      hold: (id: UserId) => Effect.orDie(heldById(id)),
      findByEmail: (email: EmailAddress) => Effect.orDie(byEmail(email)),
      /** The user of an address, created when missing. `proved` applies only to a new user; see `prove` for others. */
      ensure: Effect.fn("Users.ensure")(function*(email: EmailAddress, proved: boolean, name: string | null) {
        const id = yield* mint("usr", UserId)
        return yield* Effect.orDie(insert({ id, email, name, proved, now: yield* DateTime.now }))
      }),
      /** Creates a user whose address is not proved. None when the address has an account. */
      create: Effect.fn("Users.create")(function*(email: EmailAddress) {
        const id = yield* mint("usr", UserId)
        return yield* Effect.orDie(insertNew({ id, email, now: yield* DateTime.now }))
      }),
      prove,
      updateContact
    }
  })
}) {}
