/** The account of a person: contact details, security settings, provider accounts and weekly digests. */
import { DateTime, Effect, Struct } from "effect"
import { NotFound, Unauthorized } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { ContactProfile, ContactUpdate, MyDigest, Provider, Security } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { digestWeek } from "../../domain/digest/DigestWeek.ts"
import { SignInProviders } from "../../external/oauth/SignInProvider.ts"
import { Digests } from "../../store/digest/Digests.ts"
import { Identities } from "../../store/people/Identities.ts"
import { SecondFactors } from "../../store/people/SecondFactors.ts"
import { Users } from "../../store/people/Users.ts"
import { foundOr } from "../NoSuch.ts"
import { PersonSessions } from "./PersonSessions.ts"

const accountDeleted = new Unauthorized({ message: "This account was deleted", hint: "Sign in again" })

const notConnected = (provider: Provider) =>
  new NotFound({ message: `No ${provider} account is connected`, hint: "List connected accounts with GET /api/v1/me/security" })

export class PersonAccount extends Effect.Service<PersonAccount>()("belltower/PersonAccount", {
  effect: Effect.gen(function*() {
    const sessions = yield* PersonSessions
    const factors = yield* SecondFactors
    const identities = yield* Identities
    const users = yield* Users
    const weekly = yield* Digests
    const providers = Struct.keys(yield* SignInProviders)

    const contact = Effect.fn("PersonAccount.contact")(function*({ userId }: PersonIdentity) {
      const { contact: { phone = null, slack = null, telegram = null }, email, name } = yield* foundOr(
        users.get(userId),
        () => accountDeleted
      )
      return { name, email, phone, slack, telegram } satisfies ContactProfile
    })

    /** Updates the given fields; null clears a field. */
    const updateContact = Effect.fn("PersonAccount.updateContact")(function*(person: PersonIdentity, input: ContactUpdate) {
      yield* users.updateContact(person.userId, input)
      return yield* contact(person)
    })

    const security = Effect.fn("PersonAccount.security")(function*(person: PersonIdentity) {
      return {
        sessions: yield* sessions.list(person),
        twoFactor: yield* factors.state(person.userId),
        identities: yield* identities.list(person.userId),
        providers
      } satisfies Security
    })

    const disconnect = Effect.fn("PersonAccount.disconnect")(function*({ userId }: PersonIdentity, provider: Provider) {
      if (!(yield* identities.disconnect(userId, provider))) return yield* notConnected(provider)
    })

    /** One weekly digest of each of their workspaces. */
    const digests = Effect.fn("PersonAccount.digests")(function*({ userId }: PersonIdentity) {
      const now = yield* DateTime.now
      const found = yield* weekly.ofPerson(userId)
      return found.map((one): MyDigest => ({ ...one, nextSendAt: digestWeek(now, one.timezone).nextAt }))
    })

    /** Fails with `not_found` for a workspace of others. */
    const subscribe = Effect.fn("PersonAccount.subscribe")(
      function*(person: PersonIdentity, id: WorkspaceId, subscribed: boolean) {
        if (!(yield* digests(person)).some((one) => one.id === id)) {
          return yield* new NotFound({ message: `You are not a member of ${id}` })
        }
        yield* weekly.subscribe(id, person.userId, subscribed)
      }
    )

    return { contact, updateContact, security, disconnect, digests, subscribe }
  })
}) {}
