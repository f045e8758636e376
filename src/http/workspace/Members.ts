/** The handlers of members and invitations; each change holds the workspace's row, so that its last owner stays. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Access } from "../../../schema/api/Access.ts"
import { Conflict, NotFound } from "../../../schema/Errors.ts"
import type { UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Member, MemberId, MemberInput, MemberUpdate, RemovedMember } from "../../../schema/workspace/Member.ts"
import { inviteRefusal, removalRefusal, roleRefusal } from "../../domain/workspace/Membership.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { requireClaimed } from "../../notify/mail/EmailFeatures.ts"
import { invitationMail } from "../../notify/mail/InvitationMail.ts"
import { Keys } from "../../store/access/Keys.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { invitationDays, Members } from "../../store/workspace/Members.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { record } from "../guard/AuditedAction.ts"
import { invitations } from "../guard/Limits.ts"
import { requireWorkspace } from "./WorkspaceHandlers.ts"

const notFound = (id: string) =>
  new NotFound({ message: `There is no member ${id} in this workspace`, hint: "GET /api/v1/members lists them" })

const alreadyMember = (email: string) =>
  new Conflict({ message: `${email} is a member already`, hint: "PATCH /api/v1/members/{id} gives another role" })

/** A change of members as one transaction. */
const changing = <A, E, R>(change: (workspaceId: WorkspaceId, members: Members, owners: number) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { workspaceId } = yield* Access
    const members = yield* Members
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(
      Effect.flatMap(members.lock(workspaceId), (owners) => change(workspaceId, members, owners))
    ).pipe(Effect.catchTag("SqlError", Effect.die))
  })

const required = (found: Option.Option<Member>, id: MemberId) =>
  Option.match(found, { onNone: () => Effect.fail(notFound(id)), onSome: Effect.succeed })

export const listMembers = Effect.fn("Members.list")(function*() {
  const { workspaceId } = yield* Access
  return { data: yield* Effect.flatMap(Members, (members) => members.list(workspaceId)), next: null }
})

/** By what the invited know the inviter; null for a key. */
const inviterName = Effect.fn("Members.inviterName")(function*(workspaceId: WorkspaceId) {
  const { principal } = yield* Access
  if (principal._tag === "Key") return null
  const found = yield* Effect.flatMap(Members, (members) => members.findUser(workspaceId, principal.userId))
  return Option.getOrNull(Option.map(found, ({ email, name }) => name === null ? email : `${name} (${email})`))
})

/** The invitation and its mail are written as one, or neither is. */
export const inviteMember = Effect.fn("Members.invite")(function*({ payload }: { readonly payload: MemberInput }) {
  const { principal, role: caller, workspaceId: id } = yield* Access
  const { email, role } = payload
  yield* requireClaimed(id, "Invitations")
  const refusal = inviteRefusal(caller, role)
  if (refusal !== null) return yield* refusal
  const workspace = yield* requireWorkspace(id)
  const baseUrl = yield* BaseUrl
  const member = yield* changing((workspaceId, members, owners) =>
    Effect.gen(function*() {
      const known = Option.getOrNull(yield* members.findEmail(workspaceId, email))
      if (known?.status === "active") return yield* alreadyMember(email)
      // To invite again is to change what was invited.
      const kept = known === null ? null : roleRefusal(caller, known, role, owners)
      if (kept !== null) return yield* kept
      if (known === null) yield* Effect.flatMap(Quotas, (quotas) => quotas.take(workspaceId, { members: 1 }))
      yield* Effect.flatMap(RateLimits, (limits) => limits.take(invitations, workspaceId))
      const invitedBy = principal._tag === "User" ? principal.userId : principal.keyId
      const { member, token } = yield* members.invite(workspaceId, { email, role, invitedBy })
      const mail = invitationMail({
        link: linksFrom(baseUrl).invite(token),
        workspaceName: workspace.name,
        role,
        invitedBy: yield* inviterName(workspaceId),
        validDays: invitationDays
      })
      yield* Effect.flatMap(Mails, (mails) => mails.send({ ...mail, workspaceId, to: email, expiresAt: member.expiresAt }))
      return member
    })
  )
  return member
})

export const updateMember = Effect.fn("Members.update")(function*({ path, payload }: {
  readonly path: { readonly id: MemberId }
  readonly payload: MemberUpdate
}) {
  const { role: caller } = yield* Access
  return yield* changing((workspaceId, members, owners) =>
    Effect.gen(function*() {
      const member = yield* required(yield* members.find(workspaceId, path.id), path.id)
      const refusal = roleRefusal(caller, member, payload.role, owners)
      if (refusal !== null) return yield* refusal
      yield* members.setRole(workspaceId, member, payload.role)
      return { ...member, role: payload.role }
    })
  )
})

/** Who stands for keys that the caller keeps: the caller, or for a key the member who stands for it. */
const keeper = Effect.gen(function*() {
  const { principal, workspaceId } = yield* Access
  if (principal._tag === "User") return principal.userId
  const key = yield* Effect.flatMap(Keys, (keys) => keys.get(workspaceId, principal.keyId))
  return Option.getOrNull(key)?.createdBy ?? null
})

/** What becomes of the keys that a member made, each told to the audit log. */
const settleKeys = Effect.fn("Members.settleKeys")(function*(workspaceId: WorkspaceId, userId: UserId, keeps: boolean) {
  const { principal } = yield* Access
  const keys = yield* Keys
  const settled = keeps ? yield* keys.handOver(workspaceId, userId, yield* keeper) : yield* keys.revokeOf(workspaceId, userId)
  yield* Effect.forEach(
    settled,
    ({ id }) => record({ workspaceId, principal, operation: keeps ? "keep_api_key" : "revoke_api_key", target: id }),
    { discard: true }
  )
  return settled.map((key) => ({ ...key, revoked: !keeps }))
})

export const removeMember = Effect.fn("Members.remove")(function*({ path, urlParams }: {
  readonly path: { readonly id: MemberId }
  readonly urlParams: { readonly keys?: "revoke" | "keep" }
}) {
  const { principal, role: caller } = yield* Access
  const keeps = urlParams.keys === "keep"
  return yield* changing((workspaceId, members, owners) =>
    Effect.gen(function*() {
      const member = yield* required(yield* members.find(workspaceId, path.id), path.id)
      const isSelf = principal._tag === "User" && member.userId === principal.userId
      const refusal = removalRefusal(caller, member, isSelf, owners, keeps)
      if (refusal !== null) return yield* refusal
      yield* members.remove(workspaceId, member)
      // After that nobody can make another one in their name.
      const keys = member.userId === null ? [] : yield* settleKeys(workspaceId, member.userId, keeps)
      return { id: path.id, deleted: true, keys } satisfies RemovedMember
    })
  )
})
