/** Authenticates a caller by API key or by the session of a signed-in member. (Specification: Authentication.) */
import { DateTime, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Forbidden, Unauthorized } from "../../../schema/Errors.ts"
import type { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import {
  type CallableOperation,
  callRefusal,
  delegableOperations,
  isDelegated,
  operationsOfKey
} from "../../domain/access/CallPermission.ts"
import { keyEnd } from "../../domain/access/KeyEnd.ts"
import { roleOfKey, scopesOf } from "../../domain/access/Roles.ts"
import { withCurrent } from "../../domain/people/CurrentWorkspace.ts"
import { isAccessTokenShaped, type KeyRow, Keys } from "../../store/access/Keys.ts"
import { Sessions, type SignedIn } from "../../store/people/Sessions.ts"
import { OperationCatalog } from "./OperationCatalog.ts"

export interface Credentials {
  /** The `Authorization` header, trimmed; empty if absent. A key takes precedence over a session. */
  readonly authorization: string
  /** Whether there is a key in the `x-api-key` header, which this service does not read. */
  readonly misplacedKey: boolean
  readonly sessionToken: string | undefined
  /** The requested workspace (`x-workspace`); undefined selects the session's own. */
  readonly workspace: string | undefined
  /** Whether a session is accepted: writes must come from a page of this service. */
  readonly acceptsSession: boolean
}

const header = "Send the header: Authorization: Bearer bell_live_..."

const missing = new Unauthorized({
  message: "API key required",
  hint: `${header} An agent can create a workspace and a key with bootstrap_workspace, POST /api/v1/agent/bootstrap.`
})

const misplaced = new Unauthorized({ message: "Send the key as Authorization: Bearer, not x-api-key", hint: header })

const malformed = new Unauthorized({ message: "The Authorization header does not contain a bearer token", hint: header })

const refused = new Unauthorized({
  message: "This API key is unknown",
  hint: "Check that you copied the whole key, or use another key"
})

const tokenEnded = new Unauthorized({
  message: "This access token has expired or its access was ended",
  hint: "Refresh it, or connect again"
})

const sessionEnded = new Unauthorized({ message: "This session has ended", hint: "Sign in again" })

const notMember = new Forbidden({
  message: "You are not a member of this workspace",
  hint: "List your workspaces with GET /api/v1/me/workspaces, and select one with the x-workspace header"
})

export const foreignWrite = new Forbidden({
  message: "Writes with a session must come from a page of this service",
  hint:
    "From other origins, use an API key. If this is its page, open it at the address of BELLTOWER_URL, or have the operator add " +
    "this host to BELLTOWER_ALLOWED_HOSTS"
})

const bearer = /^Bearer +(\S+)$/i

export interface PersonInWorkspaces {
  readonly person: PersonIdentity
  readonly workspaces: ReadonlyArray<MyWorkspace>
}

const personOf = ({ session: { id, userId, workspaceId }, user }: SignedIn): PersonIdentity => ({
  userId,
  sessionId: id,
  workspaceId,
  user
})

/** The caller that a member is in one of their workspaces. */
export const memberCaller = (
  { sessionId, userId }: Pick<PersonIdentity, "sessionId" | "userId">,
  { id, role }: Pick<MyWorkspace, "id" | "role">
): Caller => ({
  workspaceId: id,
  principal: { _tag: "User", userId, sessionId },
  scopes: scopesOf(role),
  role,
  operations: null
})

/** Runs for every request, so its functions are untraced. */
export class Authenticate extends Effect.Service<Authenticate>()("belltower/Authenticate", {
  effect: Effect.gen(function*() {
    const keys = yield* Keys
    const sessions = yield* Sessions
    const delegable = delegableOperations(yield* OperationCatalog)

    /** Only the holder of a key learns how it ended. */
    const refusalOf = Effect.fnUntraced(function*(secret: string) {
      if (isAccessTokenShaped(secret)) return tokenEnded
      const now = yield* DateTime.now
      return Option.getOrNull(Option.map(yield* keys.timesOf(secret), (times) => keyEnd(times, now))) ?? refused
    })

    const callerOf = (key: KeyRow): Caller => {
      const { claimed, id, makerRole, scopes, workspaceId } = key
      // The owner role is never delegated.
      const role = roleOfKey(scopes, claimed || isDelegated(key), makerRole)
      const operations = operationsOfKey(key, delegable)
      return { workspaceId, principal: { _tag: "Key", keyId: id }, scopes: scopesOf(role), role, operations }
    }

    const byKey = Effect.fnUntraced(function*(authorization: string) {
      const secret = bearer.exec(authorization)?.[1]
      if (secret === undefined) return yield* malformed
      const key = yield* keys.find(secret)
      if (Option.isNone(key)) return yield* yield* refusalOf(secret)
      return callerOf(key.value)
    })

    /** The caller whom a key, named by its id, stands for; fails with `unauthorized` once the key has ended. */
    const byKeyId = Effect.fnUntraced(function*({ keyId, workspaceId }: {
      readonly workspaceId: WorkspaceId
      readonly keyId: ApiKeyId
    }) {
      const key = yield* keys.get(workspaceId, keyId)
      const now = yield* DateTime.now
      const standing = Option.filter(key, ({ expiresAt }) => expiresAt === null || DateTime.greaterThan(expiresAt, now))
      return Option.isSome(standing) ? callerOf(standing.value) : yield* refused
    })

    const bySession = Effect.fnUntraced(function*(token: string, { acceptsSession, workspace }: Credentials) {
      const session = yield* sessions.find(token)
      if (Option.isNone(session)) return yield* sessionEnded
      if (!acceptsSession) return yield* foreignWrite
      const { id, userId } = session.value
      const membership = yield* sessions.membership(session.value, Option.fromNullable(workspace))
      if (Option.isNone(membership)) return yield* notMember
      const { role, workspaceId } = membership.value
      return memberCaller({ userId, sessionId: id }, { id: workspaceId, role })
    })

    /** The caller behind the credentials. Fails with `unauthorized`, and for sessions also with `forbidden`. */
    const caller = (credentials: Credentials): Effect.Effect<Caller, Unauthorized | Forbidden> => {
      if (credentials.authorization !== "") return byKey(credentials.authorization)
      if (credentials.misplacedKey) return misplaced
      return credentials.sessionToken === undefined ? missing : bySession(credentials.sessionToken, credentials)
    }

    const mayCall = (found: Caller, operation: CallableOperation): boolean => callRefusal(found, operation, delegable) === null

    /** The caller, if it may call the operation; else fails with `forbidden`. */
    const permit = (found: Caller, operation: CallableOperation): Effect.Effect<Caller, Forbidden> => {
      const refusal = callRefusal(found, operation, delegable)
      return refusal === null ? Effect.succeed(found) : refusal
    }

    /** The caller of an operation; also fails with `forbidden` if the caller may not call it. */
    const admit = (credentials: Credentials, operation: CallableOperation): Effect.Effect<Caller, Unauthorized | Forbidden> =>
      Effect.flatMap(caller(credentials), (found) => permit(found, operation))

    /** The signed-in person of a session; none without a session or while its second factor is pending. */
    const person = Effect.fnUntraced(function*(sessionToken: string | undefined) {
      if (sessionToken === undefined) return Option.none<PersonIdentity>()
      return Option.map(yield* sessions.person(sessionToken), personOf)
    })

    /** The same with the person's workspaces: one look at the database for both. */
    const personWithWorkspaces = Effect.fnUntraced(function*(sessionToken: string | undefined) {
      if (sessionToken === undefined) return Option.none<PersonInWorkspaces>()
      return Option.map(
        yield* sessions.personWithWorkspaces(sessionToken),
        (found): PersonInWorkspaces => {
          const person = personOf(found)
          return { person, workspaces: withCurrent(found.workspaces, person.workspaceId) }
        }
      )
    })

    return { caller, byKeyId, admit, mayCall, permit, person, personWithWorkspaces }
  })
}) {}
