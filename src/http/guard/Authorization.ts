/** Lets callers in: by their API key, or by the session of a signed-in member. (Specification: Authentication.) */
import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import { type Access, ReadAccess, WriteAccess } from "../../../schema/api/Access.ts"
import { Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import type { Scope } from "../../../schema/workspace/Workspace.ts"
import { makesKeys } from "../../domain/access/KeyGrant.ts"
import { mayAct, roleOfKey, scopesOf } from "../../domain/access/Roles.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { type KeyRow, Keys } from "../../store/access/Keys.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { operations as allOperations } from "../openapi/Operations.ts"
import { CurrentOperation } from "../request/CurrentOperation.ts"
import { Admission } from "./Admission.ts"
import { isSameOrigin, sessionToken } from "./SessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest
type Caller = Access["Type"]

const header = "Send it as the header: Authorization: Bearer bell_live_..."

const missing = new Unauthorized({
  message: "This needs an API key",
  hint: `${header} An agent without a key gets one from bootstrap_workspace, POST /api/v1/agent/bootstrap.`
})

const malformed = new Unauthorized({ message: "The Authorization header is not a bearer key", hint: header })

const refused = new Unauthorized({
  message: "This API key is unknown, revoked or expired",
  hint: "Check that the whole key was copied, or use another"
})

const over = new Unauthorized({ message: "This session is over", hint: "Sign in again" })

const elsewhere = new Forbidden({
  message: "You are no member of this workspace",
  hint: "GET /api/v1/me/workspaces lists yours; x-workspace chooses among them"
})

const foreign = new Forbidden({
  message: "A write with a session must come from a page of this service",
  hint: "Other origins call with an API key"
})

const readOnly = new Forbidden({
  message: "This API key may read only",
  hint: "Use a key with the write scope"
})

const delegated = new Forbidden({
  message: "A delegated key creates no keys",
  hint: "Ask the holder of the key that delegated to it"
})

const unlisted = (id: string) =>
  new Forbidden({
    message: `A delegated key calls ${id} only when its operations name it`,
    hint: "Ask the holder of the key that delegated to it"
  })

const lookOnly = new Forbidden({ message: "Viewers may only look", hint: "Ask an admin of the workspace for another role" })

const bearer = /^Bearer +(\S+)$/i

/** Besides, a key may always end itself. */
const endsKeys = "revoke_api_key"

/**
 * What a delegated key without a list of its own may call: what a member may, since whom it invited would outlive it.
 * Refused here, a key is not had by repeating a request either.
 */
const delegable: ReadonlySet<string> = new Set(
  allOperations
    .filter(({ id, leastRole }) => id === endsKeys || (id !== makesKeys && mayAct("member", leastRole)))
    .map(({ id }) => id)
)

const callable = ({ operations, parentId }: KeyRow): ReadonlySet<string> | null =>
  operations !== null ? new Set(operations) : parentId === null ? null : delegable

const byKey = Effect.fn("Authorization.byKey")(function*(given: string) {
  const secret = bearer.exec(given)?.[1]
  if (secret === undefined) return yield* malformed
  const key = yield* Effect.flatMap(Keys, (keys) => keys.find(secret))
  if (Option.isNone(key)) return yield* refused
  const { claimed, id, makerRole, parentId, scopes, workspaceId } = key.value
  // Owning a workspace is not delegated.
  const role = roleOfKey(scopes, claimed || parentId !== null, makerRole)
  const caller: Caller = {
    workspaceId,
    principal: { _tag: "Key", keyId: id },
    scopes: scopesOf(role),
    role,
    operations: callable(key.value)
  }
  return caller
})

const isWrite = ({ method }: Request) => method !== "GET" && method !== "HEAD"

const bySession = Effect.fn("Authorization.bySession")(function*(request: Request, token: string) {
  const sessions = yield* Sessions
  const baseUrl = yield* BaseUrl
  const session = yield* sessions.find(token)
  if (Option.isNone(session)) return yield* over
  if (isWrite(request) && !isSameOrigin(request, baseUrl)) return yield* foreign
  const { id, userId } = session.value
  const membership = yield* sessions.membership(session.value, Option.fromNullable(request.headers["x-workspace"]))
  if (Option.isNone(membership)) return yield* elsewhere
  const { role, workspaceId } = membership.value
  const caller: Caller = {
    workspaceId,
    principal: { _tag: "User", userId, sessionId: id },
    scopes: scopesOf(role),
    role,
    operations: null
  }
  return caller
})

/** Who sends a request. A key counts before a cookie. */
export const authenticate = Effect.fn("Authorization.authenticate")(function*(request: Request) {
  const given = request.headers["authorization"]?.trim() ?? ""
  if (given !== "") return yield* byKey(given)
  const token = sessionToken(request, yield* BaseUrl)
  return token === undefined ? yield* missing : yield* bySession(request, token)
})

/** Any key may ask what it is. */
const always = "whoami"

/** Refuses what the caller's role or its key's list of operations does not hold. */
const permitted = Effect.fn("Authorization.permitted")(function*(caller: Caller) {
  const operation = yield* CurrentOperation
  if (operation === null) return caller
  if (caller.operations !== null && operation.id !== always && !caller.operations.has(operation.id)) {
    if (caller.operations === delegable) return yield* operation.id === makesKeys ? delegated : unlisted(operation.id)
    return yield* new Forbidden({
      message: `This key may not call ${operation.id}`,
      hint: `It may call ${[...caller.operations].join(", ")}`
    })
  }
  if (!mayAct(caller.role, operation.leastRole)) {
    if (caller.principal._tag === "User" && operation.leastRole === "member") return yield* lookOnly
    return yield* new Forbidden({
      message: `${operation.id} needs the role ${operation.leastRole}`,
      hint: caller.principal._tag === "User"
        ? `Yours is ${caller.role}`
        : caller.role === "viewer"
        ? "Use a key with the write scope"
        : "Ask an owner of the workspace"
    })
  }
  return caller
})

/** Any key and any member can read, those with the write scope too. */
const reader = Effect.flatMap(Effect.flatMap(HttpServerRequest.HttpServerRequest, authenticate), permitted)

/** A person's role alone says what they may change: also viewers may do something about themselves. */
const writer = Effect.flatMap(HttpServerRequest.HttpServerRequest, authenticate).pipe(
  Effect.filterOrFail(({ principal, scopes }) => principal._tag === "User" || scopes.includes("write"), () => readOnly),
  Effect.flatMap(permitted)
)

/** What authentication asks. */
export type AccessNeeds = Keys | Sessions | BaseUrl

/** Lets the caller of the current operation in, once for all that ask. */
export const admitted = (scope: Scope) =>
  Effect.flatMap(Admission, (caller) => caller === null ? (scope === "write" ? writer : reader) : Effect.succeed(caller))

const readLayer = Layer.effect(
  ReadAccess,
  Effect.map(
    Effect.context<AccessNeeds>(),
    (context) => ReadAccess.of({ bearer: () => Effect.provide(admitted("read"), context) })
  )
)

const writeLayer = Layer.effect(
  WriteAccess,
  Effect.map(
    Effect.context<AccessNeeds>(),
    (context) => WriteAccess.of({ bearer: () => Effect.provide(admitted("write"), context) })
  )
)

/** The middleware that the registry's guarded operations ask for. */
export const layer: Layer.Layer<ReadAccess | WriteAccess, never, AccessNeeds> = Layer.merge(readLayer, writeLayer)
