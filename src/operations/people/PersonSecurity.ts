/** Reads a person's security settings, and disconnects provider accounts. */
import { Effect, Struct } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { Provider, Security } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { SignInProviders } from "../../external/oauth/SignInProvider.ts"
import { Identities } from "../../store/people/Identities.ts"
import { SecondFactors } from "../../store/people/SecondFactors.ts"
import { PersonSessions } from "./PersonSessions.ts"

const notConnected = (provider: Provider) =>
  new NotFound({ message: `No ${provider} account is connected`, hint: "List connected accounts with GET /api/v1/me/security" })

export class PersonSecurity extends Effect.Service<PersonSecurity>()("belltower/PersonSecurity", {
  effect: Effect.gen(function*() {
    const sessions = yield* PersonSessions
    const factors = yield* SecondFactors
    const identities = yield* Identities
    const providers = Struct.keys(yield* SignInProviders)

    const get = Effect.fn("PersonSecurity.get")(function*(person: PersonIdentity) {
      return {
        sessions: yield* sessions.list(person),
        twoFactor: yield* factors.state(person.userId),
        identities: yield* identities.list(person.userId),
        providers
      } satisfies Security
    })

    const disconnect = Effect.fn("PersonSecurity.disconnect")(function*({ userId }: PersonIdentity, provider: Provider) {
      if (!(yield* identities.disconnect(userId, provider))) return yield* notConnected(provider)
    })

    return { get, disconnect }
  })
}) {}
