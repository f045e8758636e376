/** Reads and updates the contact details of a person. */
import { Effect } from "effect"
import { Unauthorized } from "../../../schema/Errors.ts"
import type { ContactProfile, ContactUpdate } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { Users } from "../../store/people/Users.ts"
import { foundOr } from "../NoSuch.ts"

const accountDeleted = new Unauthorized({ message: "This account was deleted", hint: "Sign in again" })

export class PersonContact extends Effect.Service<PersonContact>()("belltower/PersonContact", {
  effect: Effect.gen(function*() {
    const users = yield* Users

    const get = Effect.fn("PersonContact.get")(function*({ userId }: PersonIdentity) {
      const { contact, email, name } = yield* foundOr(users.get(userId), () => accountDeleted)
      const { phone = null, slack = null, telegram = null } = contact
      return { name, email, phone, slack, telegram } satisfies ContactProfile
    })

    /** Updates the given fields; null clears a field. */
    const update = Effect.fn("PersonContact.update")(function*(person: PersonIdentity, input: ContactUpdate) {
      yield* users.updateContact(person.userId, input)
      return yield* get(person)
    })

    return { get, update }
  })
}) {}
