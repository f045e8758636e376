/** How a person is reached when they are paged. */
import { Effect, Option } from "effect"
import { Person } from "../../../schema/api/PersonAccess.ts"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { ContactProfile, ContactUpdate } from "../../../schema/people/Person.ts"
import { Users } from "../../store/people/Users.ts"

const gone = new Unauthorized({ message: "This account is gone", hint: "Sign in again" })

export const contact = Effect.fn("Contact.get")(function*() {
  const { userId } = yield* Person
  const user = yield* Effect.flatMap(Users, (users) => users.get(userId))
  if (Option.isNone(user)) return yield* gone
  const { contact: { phone = null, slack = null, telegram = null }, email, name } = user.value
  return { name, email, phone, slack, telegram } satisfies ContactProfile
})

/** Changes what is given. */
export const updateContact = Effect.fn("Contact.update")(function*(update: ContactUpdate) {
  const { userId } = yield* Person
  yield* Effect.flatMap(Users, (users) => users.updateContact(userId, update))
  return yield* contact()
})
