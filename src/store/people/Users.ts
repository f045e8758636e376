/** The rows of users. */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Option, Schema } from "effect"
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

/** An address of an account that holds none. RFC 2606: no mail server accepts it. */
const placeholder = (id: UserId): string => `${id}@unproved.invalid`

const Address = Schema.typeSchema(EmailAddress)

export class Users extends Effect.Service<Users>()("belltower/Users", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`
      id, coalesce(shown_email, email) as email, name, contact, email_proved_at is not null as proved,
      totp_enabled_at is not null as "secondFactor"`)

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
      Request: Schema.Struct({
        id: UserId,
        email: Schema.String,
        shown: Schema.NullOr(Address),
        proved: Schema.Boolean,
        now: Schema.DateTimeUtcFromDate
      }),
      Result: UserRow,
      execute: ({ email, id, now, proved, shown }) =>
        sql`
        insert into users (id, email, shown_email, email_proved_at, created_at, updated_at)
        values (${id}, ${email}, ${shown}, ${proved ? now : null}, ${now}, ${now})
        on conflict (email) do nothing returning ${columns}`
    })

    /** Creates a user. None when the address has an account. */
    const create = Effect.fn("Users.create")(function*(email: EmailAddress, proved: boolean) {
      const id = yield* mint("usr", UserId)
      return yield* Effect.orDie(insertNew({ id, email, shown: null, proved, now: yield* DateTime.now }))
    })

    /** Creates a user who holds no address. Other people, such as workspace members, see the address that they typed. */
    const createApart = Effect.fn("Users.createApart")(function*(typed: EmailAddress) {
      const id = yield* mint("usr", UserId)
      const now = yield* DateTime.now
      return yield* Effect.orDie(Effect.flatten(insertNew({ id, email: placeholder(id), shown: typed, proved: false, now })))
    })

    /** Records, in the caller's transaction, that the user has proved ownership of the address. True for the first proof. */
    const prove = Effect.fn("Users.prove")(function*(id: UserId) {
      const now = DateTime.toDateUtc(yield* DateTime.now)
      const first = yield* sql`
        update users set email_proved_at = ${now}, updated_at = ${now} where id = ${id} and email_proved_at is null
        returning id`
      return first.length > 0
    }, Effect.orDie)

    const updateContact = Effect.fn("Users.updateContact")(function*(id: UserId, { name, ...reach }: ContactUpdate) {
      const now = DateTime.toDateUtc(yield* DateTime.now)
      yield* sql`
        update users
        set name = ${name === undefined ? sql`name` : sql`${name?.trim() || null}`},
            contact = jsonb_strip_nulls(contact || ${JSON.stringify(reach)}::jsonb), updated_at = ${now}
        where id = ${id}`
    }, Effect.orDie)

    /** Whether anybody has an account or a session, except an account of this address that nobody has used. */
    const anySignedIn = Effect.fn("Users.anySignedIn")(function*(except: EmailAddress) {
      const [found] = yield* sql<{ readonly used: boolean }>`
        select exists (select from users where email <> ${except}) or exists (select from sessions) as used`
      return found?.used ?? false
    }, Effect.orDie)

    return {
      anySignedIn,
      get: (id: UserId) => Effect.orDie(byId(id)),
      /** The same, with a lock that keeps the second factor unchanged until the caller's transaction ends. */
      hold: (id: UserId) => Effect.orDie(heldById(id)),
      findByEmail: (email: EmailAddress) => Effect.orDie(byEmail(email)),
      /** The user of an address, created when missing. `proved` applies only to a new user; see `prove` for others. */
      ensure: Effect.fn("Users.ensure")(function*(email: EmailAddress, proved: boolean, name: string | null) {
        const id = yield* mint("usr", UserId)
        return yield* Effect.orDie(insert({ id, email, name, proved, now: yield* DateTime.now }))
      }),
      create,
      /**
       * Creates a user who may type any address, because they prove none. The answer is the same whether or not the address
       * has an account, which they do not get into.
       */
      createNewcomer: Effect.fn("Users.createNewcomer")(function*(email: EmailAddress) {
        const created = yield* create(email, false)
        return Option.isSome(created) ? created.value : yield* createApart(email)
      }),
      prove,
      updateContact
    }
  })
}) {}
