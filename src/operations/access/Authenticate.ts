/** Finds out who calls: by an API key, or by the session of a signed-in member. (Specification: Authentication.) */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { type CallableOperation, callRefusal, delegableOperations, operationsOfKey } from "../../domain/access/CallPermission.ts"
import { roleOfKey, scopesOf } from "../../domain/access/Roles.ts"
import { Keys } from "../../store/access/Keys.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { Users } from "../../store/people/Users.ts"
import { OperationCatalog } from "./OperationCatalog.ts"

/** What a request shows of its sender. */
export interface Credentials {
  /** The `Authorization` header, trimmed; empty when there is none. A key counts before a session. */
  readonly authorization: string
  readonly sessionToken: string | undefined
  /** The workspace that the sender asks for (`x-workspace`); without it the session's own. */
  readonly workspace: string | undefined
  /** Whether a session counts: a write must come from a page of this service. */
  readonly acceptsSession: boolean
}

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

export const foreignWrite = new Forbidden({
  message: "A write with a session must come from a page of this service",
  hint: "Other origins call with an API key"
})

const bearer = /^Bearer +(\S+)$/i

/** On the path of every request, so its functions are untraced. */
export class Authenticate extends Effect.Service<Authenticate>()("belltower/Authenticate", {
  effect: Effect.gen(function*() {
    const keys = yield* Keys
    const sessions = yield* Sessions
    const users = yield* Users
    const delegable = delegableOperations(yield* OperationCatalog)

    const byKey = Effect.fnUntraced(function*(authorization: string) {
      const secret = bearer.exec(authorization)?.[1]
      if (secret === undefined) return yield* malformed
      const key = yield* keys.find(secret)
      if (Option.isNone(key)) return yield* refused
      const { claimed, id, makerRole, parentId, scopes, workspaceId } = key.value
      // Owning a workspace is not delegated.
      const role = roleOfKey(scopes, claimed || parentId !== null, makerRole)
      const operations = operationsOfKey(key.value, delegable)
      const caller: Caller = { workspaceId, principal: { _tag: "Key", keyId: id }, scopes: scopesOf(role), role, operations }
      return caller
    })

    const bySession = Effect.fnUntraced(function*(token: string, { acceptsSession, workspace }: Credentials) {
      const session = yield* sessions.find(token)
      if (Option.isNone(session)) return yield* over
      if (!acceptsSession) return yield* foreignWrite
      const { id, userId } = session.value
      const membership = yield* sessions.membership(session.value, Option.fromNullable(workspace))
      if (Option.isNone(membership)) return yield* elsewhere
      const { role, workspaceId } = membership.value
      const principal = { _tag: "User", userId, sessionId: id } as const
      const caller: Caller = { workspaceId, principal, scopes: scopesOf(role), role, operations: null }
      return caller
    })

    /** Whose credentials they are. Fails with `unauthorized`, and for a session with `forbidden`. */
    const caller = (credentials: Credentials): Effect.Effect<Caller, Unauthorized | Forbidden> => {
      if (credentials.authorization !== "") return byKey(credentials.authorization)
      return credentials.sessionToken === undefined ? missing : bySession(credentials.sessionToken, credentials)
    }

    /** The caller of an operation; fails with `forbidden` also where it may not call it. */
    const admit = (credentials: Credentials, operation: CallableOperation): Effect.Effect<Caller, Unauthorized | Forbidden> =>
      Effect.flatMap(caller(credentials), (found) => {
        const refusal = callRefusal(found, operation, delegable)
        return refusal === null ? Effect.succeed(found) : refusal
      })

    /** Who is signed in with a session; none without one, and while it waits for its second factor. */
    const person = Effect.fnUntraced(function*(sessionToken: string | undefined) {
      if (sessionToken === undefined) return Option.none<PersonIdentity>()
      const session = yield* sessions.find(sessionToken)
      if (Option.isNone(session)) return Option.none<PersonIdentity>()
      const { id: sessionId, userId, workspaceId } = session.value
      return Option.map(
        yield* users.get(userId),
        ({ email, id, name }): PersonIdentity => ({ userId, sessionId, workspaceId, user: { id, email, name } })
      )
    })

    return { caller, admit, person }
  })
}) {}
