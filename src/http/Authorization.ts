/** Lets callers in by their API key. (Specification: Authentication.) */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import { type Access, ReadAccess, WriteAccess } from "../../schema/api/Access.ts"
import { Forbidden, Unauthorized } from "../../schema/Errors.ts"
import { Keys } from "../store/Keys.ts"

const header = "Send it as the header: Authorization: Bearer bell_live_..."

const missing = new Unauthorized({
  message: "This needs an API key",
  hint: `${header} An agent without a key gets one from POST /api/v1/agent/bootstrap.`
})

const malformed = new Unauthorized({ message: "The Authorization header is not a bearer key", hint: header })

const refused = new Unauthorized({
  message: "This API key is unknown, revoked or expired",
  hint: "Check that the whole key was copied, or use another"
})

const readOnly = new Forbidden({
  message: "This API key may read only",
  hint: "Use a key with the write scope"
})

const bearer = /^Bearer +(\S+)$/i

/** Who sends a request. */
export const authenticate = Effect.fn("Authorization.authenticate")(function*(
  request: HttpServerRequest.HttpServerRequest
) {
  const keys = yield* Keys
  const given = request.headers["authorization"]
  if (given === undefined || given.trim() === "") return yield* missing
  const secret = bearer.exec(given.trim())?.[1]
  if (secret === undefined) return yield* malformed
  const key = yield* keys.find(secret)
  if (Option.isNone(key)) return yield* refused
  const { id, scopes, workspaceId } = key.value
  return { workspaceId, keyId: id, scopes } satisfies Access["Type"]
})

const caller = Effect.flatMap(HttpServerRequest.HttpServerRequest, authenticate)

const writer = Effect.filterOrFail(caller, (access) => access.scopes.includes("write"), () => readOnly)

/** Any key can read, one with the write scope too. */
const readLayer = Layer.effect(
  ReadAccess,
  Effect.map(Keys, (keys) => ReadAccess.of({ bearer: () => Effect.provideService(caller, Keys, keys) }))
)

const writeLayer = Layer.effect(
  WriteAccess,
  Effect.map(Keys, (keys) => WriteAccess.of({ bearer: () => Effect.provideService(writer, Keys, keys) }))
)

/** The middleware that the registry's keyed operations ask for. */
export const layer: Layer.Layer<ReadAccess | WriteAccess, never, Keys> = Layer.merge(readLayer, writeLayer)
