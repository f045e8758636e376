/** The members of a workspace, and pending invitations. */
import { Schema } from "effect"
import { optional, orNull, textLike, Timestamp } from "../Fields.ts"
import { ApiKeyId, IdPrefixes, UserId } from "../Ids.ts"
import { EmailAddress } from "../people/Person.ts"
import { Role } from "./Workspace.ts"

/** A user id for members, an invitation id for pending invitations. */
export const MemberId = textLike("usr_01k9x2m4q8e7s9v3bthn5wza6c").pipe(
  Schema.brand("MemberId"),
  Schema.annotations({
    identifier: "MemberId",
    description: "usr_... or inv_...",
    [IdPrefixes]: ["usr", "inv"]
  })
)
export type MemberId = typeof MemberId.Type

export const Member = Schema.Struct({
  id: MemberId,
  userId: orNull(UserId, "Null until the invitation is accepted"),
  email: textLike("ada@example.com"),
  name: Schema.NullOr(textLike("Ada")),
  role: Role,
  status: Schema.Literal("active", "invited").annotations({ description: "Whether they are in the workspace or were invited" }),
  createdAt: Timestamp.annotations({ description: "When the member joined or was last invited" }),
  expiresAt: orNull(Timestamp, "When the invitation expires; null for members"),
  mail: orNull(
    Schema.Literal("sent", "captured"),
    "captured: the invitation's mail reached nobody, because no mail server was set; null for members",
    "sent"
  )
}).annotations({ identifier: "Member" })
export type Member = typeof Member.Type

export const MemberInput = Schema.Struct({
  email: EmailAddress,
  role: Role.annotations({
    description: "member: monitors, pages, incidents; admin: all but owners and deletion",
    examples: ["member"]
  })
}).annotations({ identifier: "MemberInput" })
export type MemberInput = typeof MemberInput.Type

export const MemberRemoval = Schema.Struct({
  keys: optional(Schema.Literal("revoke", "keep")).annotations({
    description: "revoke the member's API keys (default), or transfer them to the caller"
  })
})

export const RemovedMember = Schema.Struct({
  id: MemberId,
  deleted: Schema.Literal(true).annotations({ description: "Always true: the person is no longer a member" }),
  keys: Schema.Array(Schema.Struct({
    id: ApiKeyId,
    name: textLike("deploy pipeline", "Name of the key"),
    revoked: Schema.Boolean.annotations({ description: "Whether the key was revoked; otherwise the workspace keeps it" })
  })).annotations({ description: "Active API keys that the member had created, and whether each was revoked" }),
  warnings: optional(
    Schema.Array(textLike("The on-call schedule Platform still names them: nobody is paged in their turns.")),
    "The schedules and policies that still name them; absent if none"
  )
}).annotations({ identifier: "RemovedMember" })
export type RemovedMember = typeof RemovedMember.Type

export const MemberUpdate = Schema.Struct({ role: Role }).annotations({ identifier: "MemberUpdate" })
export type MemberUpdate = typeof MemberUpdate.Type
