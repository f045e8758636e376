/** Lets people in who are signed in: by their session alone, never by a key. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import { PersonAccess } from "../../../schema/api/PersonAccess.ts"
import { Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Authenticate, foreignWrite } from "../../operations/access/Authenticate.ts"
import { type AccessNeeds, credentialsOf } from "./Authorization.ts"
import { sessionToken } from "./SessionCookie.ts"

const keysStayOut = new Forbidden({
  message: "This is for people who are signed in; API keys do not open it",
  hint: "Sign in at /sign-in. A key tells who it is at GET /api/v1/agent/whoami"
})

const nobody = new Unauthorized({ message: "Nobody is signed in", hint: "Sign in at /sign-in" })

/** The person of the session that the request carries; none when nobody is signed in. */
export const currentPerson = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const access = yield* Authenticate
  return yield* access.person(sessionToken(request, yield* BaseUrl))
})

const admitted = (access: Authenticate, baseUrl: string) =>
  Effect.gen(function*() {
    const credentials = credentialsOf(yield* HttpServerRequest.HttpServerRequest, baseUrl)
    if (credentials.authorization !== "") return yield* keysStayOut
    const person = yield* access.person(credentials.sessionToken)
    if (Option.isNone(person)) return yield* nobody
    return credentials.acceptsSession ? person.value : yield* foreignWrite
  })

export const layer: Layer.Layer<PersonAccess, never, AccessNeeds> = Layer.effect(
  PersonAccess,
  Effect.zipWith(Authenticate, BaseUrl, (access, baseUrl) => PersonAccess.of(admitted(access, baseUrl)))
)
