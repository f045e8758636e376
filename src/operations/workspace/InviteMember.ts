/** Invites a person to a workspace by email. */
import { Duration, Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict } from "../../../schema/Errors.ts"
import type { MemberInput } from "../../../schema/workspace/Member.ts"
import { principalId } from "../../domain/access/PrincipalId.ts"
import { inviteRefusal, roleRefusal } from "../../domain/workspace/Membership.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { linksFrom } from "../../links/Links.ts"
import { invitationMail } from "../../notify/mail/InvitationMail.ts"
import { plainLine } from "../../notify/mail/MailLayout.ts"
import { Keys } from "../../store/access/Keys.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { invitationDays, Members } from "../../store/workspace/Members.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { makeTries, type TryLimit } from "../access/Tries.ts"
import { makeChangeMembers } from "./ChangeMembers.ts"
import { requireClaimed } from "./RequireClaimed.ts"
import { requireWorkspace } from "./RequireWorkspace.ts"

/** Callers choose the addresses, so the number of emails a day is limited: for a workspace, a person and an address. */
const window = Duration.days(1)
const byWorkspace: RateLimit = {
  name: "invitation",
  limit: 100,
  window,
  message: "A workspace can send at most 100 invitations a day"
}
const byInviter: RateLimit = {
  name: "invitation-by",
  limit: 50,
  window,
  message: "You can send at most 50 invitations a day, from all your workspaces together"
}
/** The first invitation of an address by one inviter on a day is sent, also if others have used up its invitations to keep it out. */
const toAddress: TryLimit = {
  name: "invitation-to",
  each: { limit: 10, window },
  all: { limit: 10, window, few: 1 },
  message: "One address can be invited at most 10 times a day, by all workspaces together"
}

/** The most characters of the inviter's name in the mail: it leaves room for the address, which says who that is. */
const longestName = 30

const alreadyMember = (email: string) =>
  new Conflict({ message: `${email} is already a member`, hint: "Change the role with PATCH /api/v1/members/{id}" })

export class InviteMember extends Effect.Service<InviteMember>()("belltower/InviteMember", {
  effect: Effect.gen(function*() {
    const members = yield* Members
    const quotas = yield* Quotas
    const limits = yield* RateLimits
    const tries = yield* makeTries
    const keys = yield* Keys
    const mails = yield* Mails
    const workspaces = yield* Workspaces
    const links = linksFrom(yield* BaseUrl)
    const changing = yield* makeChangeMembers
    const claimed = requireClaimed(workspaces)
    const required = requireWorkspace(workspaces)

    /** The inviter's name for the email; null if a key invites. */
    const inviterName = Effect.fn("InviteMember.inviterName")(function*({ principal, workspaceId }: Caller) {
      if (principal._tag === "Key") return null
      const found = yield* members.findUser(workspaceId, principal.userId)
      return Option.getOrNull(
        Option.map(found, ({ email, name }) => name === null ? email : `${plainLine(name, longestName)} (${email})`)
      )
    })

    /** The person who answers for the invitation: the caller, or the member who created the calling key. */
    const inviterOf = Effect.fn("InviteMember.inviterOf")(function*({ principal, workspaceId }: Caller) {
      if (principal._tag === "User") return principal.userId
      const key = Option.getOrNull(yield* keys.get(workspaceId, principal.keyId))
      return key?.createdBy ?? principal.keyId
    })

    /** Counts an invitation, in the caller's transaction: one that is refused or not sent does not count. */
    const counted = Effect.fn("InviteMember.counted")(function*(caller: Caller, email: string) {
      yield* limits.take(byWorkspace, caller.workspaceId)
      const inviter = yield* inviterOf(caller)
      yield* limits.take(byInviter, inviter)
      yield* tries(toAddress, { target: email, sender: inviter })
    })

    /** Stores the invitation and queues its email, in the caller's transaction. */
    const send = Effect.fn("InviteMember.send")(
      function*(caller: Caller, { email, role }: MemberInput, workspaceName: string) {
        const { workspaceId } = caller
        const invitedBy = principalId(caller.principal)
        const { member, token } = yield* members.invite(workspaceId, { email, role, invitedBy })
        const mail = invitationMail({
          link: links.invite(token),
          workspaceName,
          role,
          invitedBy: yield* inviterName(caller),
          validDays: invitationDays
        })
        const mode = member.mail === null ? {} : { mode: member.mail }
        yield* mails.send({ ...mail, ...mode, workspaceId, priority: "standard", to: email, expiresAt: member.expiresAt })
        return member
      }
    )

    /** Invites an address, or renews its invitation, which invalidates the previous link. */
    const invite = Effect.fn("InviteMember.invite")(function*(caller: Caller, input: MemberInput) {
      const { workspaceId } = caller
      const { email, role } = input
      yield* claimed(workspaceId, "Invitations")
      const refusal = inviteRefusal(caller.role, role)
      if (refusal !== null) return yield* refusal
      const workspace = yield* required(workspaceId)
      return yield* changing(workspaceId, (owners) =>
        Effect.gen(function*() {
          const known = Option.getOrNull(yield* members.findEmail(workspaceId, email))
          if (known?.status === "active") return yield* alreadyMember(email)
          // A second invitation changes the role of the first.
          const kept = known === null ? null : roleRefusal(caller.role, known, role, owners)
          if (kept !== null) return yield* kept
          if (known === null) yield* quotas.take(workspaceId, { members: 1 })
          yield* counted(caller, email)
          return yield* send(caller, input, workspace.name)
        }))
    })

    return { invite }
  })
}) {}
