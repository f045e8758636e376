/** The workspaces of a person: which there are, which is the current one, and how they come to more. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Person } from "../../../schema/api/PersonAccess.ts"
import { Conflict, Forbidden, NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { MyWorkspace } from "../../../schema/people/Person.ts"
import { initialPlan } from "../../domain/billing/Plans.ts"
import { Billing } from "../../external/billing/Billing.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { Sessions } from "../../store/people/Sessions.ts"
import { Users } from "../../store/people/Users.ts"
import { WorkspaceEntry } from "../../store/workspace/WorkspaceEntry.ts"
import { record } from "../guard/AuditedAction.ts"
import { workspacesByUser } from "../guard/Limits.ts"
import { enter } from "./SignIn.ts"

/** In the order in which they were joined; the current one is what the session was switched to, or else the first. */
export const myWorkspaces = Effect.fn("Workspaces.mine")(function*() {
  const { userId, workspaceId } = yield* Person
  const joined = yield* Effect.flatMap(WorkspaceEntry, (joining) => joining.workspacesOf(userId))
  const current = joined.some(({ id }) => id === workspaceId) ? workspaceId : joined[0]?.id
  return joined.map((workspace): MyWorkspace => ({ ...workspace, current: workspace.id === current }))
})

/** How one came to a workspace stands in its audit log, and the session is switched to it: all of it or nothing, though the browser leaves. */
const entering = <E, R>(operation: string, joining: Effect.Effect<Option.Option<WorkspaceId>, E, R>) =>
  Effect.gen(function*() {
    const { sessionId, userId } = yield* Person
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(Effect.tap(joining, (joined) =>
      Option.isNone(joined) ? Effect.void : Effect.gen(function*() {
        const workspaceId = joined.value
        yield* switchTo(workspaceId)
        yield* record({ workspaceId, principal: { _tag: "User", userId, sessionId }, operation, target: userId })
      })))
  }).pipe(Effect.catchTag("SqlError", Effect.die), Effect.uninterruptible)

const switchTo = Effect.fn("Workspaces.switchTo")(function*(id: WorkspaceId) {
  const { sessionId } = yield* Person
  yield* Effect.flatMap(Sessions, (sessions) => sessions.switchTo(sessionId, id))
})

export const switchWorkspace = Effect.fn("Workspaces.switch")(function*(id: WorkspaceId) {
  const workspace = (yield* myWorkspaces()).find((mine) => mine.id === id)
  if (workspace === undefined) {
    return yield* new NotFound({ message: `You are no member of ${id}`, hint: "GET /api/v1/me/workspaces lists yours" })
  }
  yield* switchTo(id)
  return { ...workspace, current: true }
})

/** A workspace of one's own, which the session is switched to. */
export const createWorkspace = Effect.fn("Workspaces.create")(function*(name: string) {
  const { userId } = yield* Person
  yield* Effect.flatMap(RateLimits, (limits) => limits.take(workspacesByUser, userId))
  const plan = initialPlan((yield* Billing) !== null)
  const found = Effect.flatMap(WorkspaceEntry, (joining) => joining.found(userId, name.trim(), plan))
  const id = yield* Effect.flatten(entering("create_workspace", Effect.asSome(found))).pipe(Effect.orDie)
  return { id, name: name.trim(), role: "owner", current: true } satisfies MyWorkspace
})

const noClaim = new NotFound({
  message: "This claim link is wrong, or its workspace was deleted because nobody claimed it in time",
  hint: "Ask whoever gave it to you for a new one"
})

/** What a claim link leads to. */
export const lookAtClaim = Effect.fn("Workspaces.lookAtClaim")(function*(token: string) {
  const claim = yield* Effect.flatMap(WorkspaceEntry, (joining) => joining.claimAt(token))
  return Option.isSome(claim) ? claim.value : yield* noClaim
})

/** Makes the signed-in person the owner of an unclaimed workspace. */
export const claimWorkspace = Effect.fn("Workspaces.claim")(function*(token: string) {
  const { userId } = yield* Person
  const { claimed } = yield* lookAtClaim(token)
  const claiming = Effect.flatMap(WorkspaceEntry, (joining) => joining.claim(token, userId))
  const id = claimed ? Option.none() : yield* entering("claim_workspace", claiming)
  if (Option.isNone(id)) {
    return yield* new Conflict({
      message: "This workspace has been claimed already",
      hint: "Ask its owner for an invitation"
    })
  }
  return id.value
})

const noInvitation = new NotFound({
  message: "This invitation was accepted, withdrawn or renewed, or it is over",
  hint: "Ask whoever invited you for a new one"
})

/** What an invitation leads to. */
export const lookAtInvitation = Effect.fn("Workspaces.lookAtInvitation")(function*(token: string) {
  const invitation = yield* Effect.flatMap(WorkspaceEntry, (joining) => joining.invitationAt(token))
  return Option.isSome(invitation) ? invitation.value : yield* noInvitation
})

/** Makes the signed-in person a member, if the invitation is to their address. */
export const acceptInvitation = Effect.fn("Workspaces.accept")(function*(token: string) {
  const { user, userId } = yield* Person
  const { email } = yield* lookAtInvitation(token)
  if (email !== user.email) {
    return yield* new Forbidden({
      message: `This invitation is for ${email}, and you are signed in as ${user.email}`,
      hint: `Sign in as ${email} to accept it`
    })
  }
  const accepting = Effect.flatMap(WorkspaceEntry, (joining) => joining.accept(token, userId))
  const id = yield* entering("accept_invitation", accepting)
  return Option.isSome(id) ? id.value : yield* noInvitation
})

const known = new Conflict({ message: "This address has an account", hint: "Sign in, then accept the invitation" })

/**
 * Accepts an invitation to an address that has no account: who holds it gets one, and is signed in. The address is not
 * proved by that, since without a mail server others can have read the invitation.
 */
export const joinAsNewcomer = Effect.fn("Workspaces.joinAsNewcomer")(function*(token: string) {
  const users = yield* Users
  const joining = yield* WorkspaceEntry
  const sql = yield* SqlClient.SqlClient
  const { email } = yield* lookAtInvitation(token)
  return yield* sql.withTransaction(Effect.gen(function*() {
    const user = yield* users.create(email)
    if (Option.isNone(user)) return yield* known
    const id = yield* joining.accept(token, user.value.id)
    if (Option.isNone(id)) return yield* noInvitation
    const session = yield* enter(user.value, "invitation")
    yield* Effect.flatMap(Sessions, (sessions) => sessions.switchTo(session.id, id.value))
    const principal = { _tag: "User", userId: user.value.id, sessionId: session.id } as const
    yield* record({ workspaceId: id.value, principal, operation: "accept_invitation", target: user.value.id })
    return session
  }))
}, Effect.catchTag("SqlError", Effect.die))
