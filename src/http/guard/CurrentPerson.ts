/** Admits signed-in people by session only, never by API key. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import { PersonAccess } from "../../../schema/api/Access.ts"
import { Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Authenticate, foreignWrite } from "../../operations/access/Authenticate.ts"
import { type AccessNeeds, credentialsOf } from "./Authorization.ts"
import { sessionToken } from "./SessionCookie.ts"

const keysNotAccepted = new Forbidden({
  message: "This endpoint requires a signed-in person; API keys are not accepted",
  hint: "Sign in at /sign-in. With an API key, use GET /api/v1/agent/whoami"
})

const notSignedIn = new Unauthorized({ message: "Not signed in", hint: "Sign in at /sign-in" })

const sessionOf = Effect.zipWith(HttpServerRequest.HttpServerRequest, BaseUrl, sessionToken)

/** The signed-in person of the request; none without a valid session. */
export const currentPerson = Effect.flatMap(Authenticate, ({ person }) => Effect.flatMap(sessionOf, person))

export const currentPersonInWorkspaces = Effect.flatMap(
  Authenticate,
  ({ personWithWorkspaces }) => Effect.flatMap(sessionOf, personWithWorkspaces)
)

const admitted = (access: Authenticate, baseUrl: string) =>
  Effect.gen(function*() {
    const credentials = credentialsOf(yield* HttpServerRequest.HttpServerRequest, baseUrl)
    if (credentials.authorization !== "") return yield* keysNotAccepted
    const person = yield* access.person(credentials.sessionToken)
    if (Option.isNone(person)) return yield* notSignedIn
    return credentials.acceptsSession ? person.value : yield* foreignWrite
  })

export const layer: Layer.Layer<PersonAccess, never, AccessNeeds> = Layer.effect(
  PersonAccess,
  Effect.zipWith(Authenticate, BaseUrl, (access, baseUrl) => PersonAccess.of(admitted(access, baseUrl)))
)
