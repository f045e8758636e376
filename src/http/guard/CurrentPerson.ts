/** Lets people in who are signed in: by their session alone, never by a key. */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import { Person, PersonAccess } from "../../../schema/api/PersonAccess.ts"
import { Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { Users } from "../../store/people/Users.ts"
import { isSameOrigin, sessionToken } from "./SessionCookie.ts"
import { via } from "./Via.ts"

const keysStayOut = new Forbidden({
  message: "This is for people who are signed in; API keys do not open it",
  hint: "Sign in at /sign-in. A key tells who it is at GET /api/v1/agent/whoami"
})

const nobody = new Unauthorized({ message: "Nobody is signed in", hint: "Sign in at /sign-in" })

export const foreign = new Forbidden({
  message: "A write with a session must come from a page of this service",
  hint: "Other origins call with an API key"
})

/** Who is signed in, whatever they came for. */
export const currentPerson = Effect.gen(function*() {
  const token = sessionToken(yield* HttpServerRequest.HttpServerRequest, yield* BaseUrl)
  if (token === undefined) return Option.none<Person["Type"]>()
  const session = yield* Effect.flatMap(Sessions, (sessions) => sessions.find(token))
  if (Option.isNone(session)) return Option.none()
  const { id: sessionId, userId, workspaceId } = session.value
  const user = yield* Effect.flatMap(Users, (users) => users.get(userId))
  return Option.map(user, ({ email, id, name }): Person["Type"] => ({
    userId,
    sessionId,
    workspaceId,
    user: { id, email, name }
  }))
}).pipe(Effect.withSpan("CurrentPerson.find"))

const admitted = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  if ((request.headers["authorization"] ?? "").trim() !== "") return yield* keysStayOut
  const person = yield* currentPerson
  if (Option.isNone(person)) return yield* nobody
  const reads = request.method === "GET" || request.method === "HEAD"
  if (!reads && !isSameOrigin(request, yield* BaseUrl)) return yield* foreign
  return person.value
})

/** What finding a person asks. */
export type PersonNeeds = Sessions | Users | BaseUrl

export const layer: Layer.Layer<PersonAccess, never, PersonNeeds> = Layer.effect(
  PersonAccess,
  Effect.map(Effect.context<PersonNeeds>(), (context) => PersonAccess.of(Effect.provide(admitted, context)))
)

/** Who a person is for whoever records what they do. */
export const asPerson = <A, E, R>(person: Person["Type"], effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provideService(Person, person), via("dashboard"))
