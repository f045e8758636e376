/** Starts, lists and ends the sessions of people. */
import { Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { SessionId, UserId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { KnownBrowsers } from "../../store/people/KnownBrowsers.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import type { UserRow } from "../../store/people/Users.ts"
import { WorkspaceEntry } from "../../store/workspace/WorkspaceEntry.ts"
import { AuditTrail } from "../access/AuditTrail.ts"

/** The browser of a person who is signing in. */
export interface Visitor {
  /** The browser's existing session; undefined without one. */
  readonly sessionToken: string | undefined
  /** The token by which the browser is known to have signed in before; undefined without one. */
  readonly browserToken: string | undefined
  /** The client's address for rate limits; for IPv6, its /64 network. */
  readonly ip: string
  readonly userAgent: string | null
}

const notFound = (id: SessionId) =>
  new NotFound({ message: `You have no session ${id}`, hint: "List your sessions with GET /api/v1/me/security" })

export class PersonSessions extends Effect.Service<PersonSessions>()("belltower/PersonSessions", {
  effect: Effect.gen(function*() {
    const sessions = yield* Sessions
    const entry = yield* WorkspaceEntry
    const audit = yield* AuditTrail
    const browsers = yield* KnownBrowsers

    const recordSignIn = Effect.fn("PersonSessions.recordSignIn")(function*(userId: UserId, sessionId: SessionId) {
      const principal = { _tag: "User", userId, sessionId } as const
      yield* Effect.forEach(
        yield* entry.workspacesOf(userId),
        ({ id }) => audit.record({ workspaceId: id, principal, operation: "sign_in", target: userId }),
        { discard: true }
      )
    })

    /**
     * Ends the browser's previous session. The new one is pending until a second factor is passed; until then, `browser` is null.
     * `via` is a method, such as `google`.
     */
    const begin = Effect.fn("PersonSessions.begin")(function*(user: UserRow, via: string, visitor: Visitor, ofOperator = false) {
      const { browserToken, ip, sessionToken, userAgent } = visitor
      if (sessionToken !== undefined) yield* sessions.endByToken(sessionToken)
      const session = yield* sessions.create({ userId: user.id, via, ip, userAgent, ofOperator }, user.secondFactor)
      if (user.secondFactor) return { ...session, browser: null }
      yield* recordSignIn(user.id, session.id)
      return { ...session, browser: yield* browsers.remember(user.id, browserToken) }
    })

    /** Activates a session that has passed its second factor; returns its new token, and that of the browser. */
    const admit = Effect.fn("PersonSessions.admit")(
      function*(userId: UserId, id: SessionId, { browserToken }: Pick<Visitor, "browserToken">) {
        yield* recordSignIn(userId, id)
        return { token: yield* sessions.admit(id), browser: yield* browsers.remember(userId, browserToken) }
      }
    )

    const list = Effect.fn("PersonSessions.list")(function*({ sessionId, userId }: PersonIdentity) {
      const found = yield* sessions.list(userId)
      return found.map((session) => ({ ...session, current: session.id === sessionId }))
    })

    /** Ends one of the person's sessions, which may be the current one. */
    const end = Effect.fn("PersonSessions.end")(function*({ userId }: PersonIdentity, id: SessionId) {
      if (!(yield* sessions.end(userId, id))) return yield* notFound(id)
    })

    return {
      begin,
      admit,
      list,
      end,
      /** Ends all sessions except the current one; returns their number. */
      endOthers: ({ sessionId, userId }: PersonIdentity) => sessions.endOthers(userId, sessionId),
      signOut: (token: string | undefined) => token === undefined ? Effect.void : sessions.endByToken(token)
    }
  })
}) {}
