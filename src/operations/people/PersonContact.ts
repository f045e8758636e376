/** Reads and changes how a person is reached when they are paged. */
import { Effect, Option } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { ContactProfile, ContactUpdate } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { Users } from "../../store/people/Users.ts"

const gone = new Unauthorized({ message: "This account is gone", hint: "Sign in again" })

export class PersonContact extends Effect.Service<PersonContact>()("belltower/PersonContact", {
  effect: Effect.gen(function*() {
    const users = yield* Users

    const get = Effect.fn("PersonContact.get")(function*({ userId }: PersonIdentity) {
      const user = yield* users.get(userId)
      if (Option.isNone(user)) return yield* gone
      const { contact: { phone = null, slack = null, telegram = null }, email, name } = user.value
      return { name, email, phone, slack, telegram } satisfies ContactProfile
    })

    /** Changes what is given; null clears. */
    const update = Effect.fn("PersonContact.update")(function*(person: PersonIdentity, input: ContactUpdate) {
      yield* users.updateContact(person.userId, input)
      return yield* get(person)
    })

    return { get, update }
  })
}) {}
