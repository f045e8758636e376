/** Who belongs to a workspace: its members, and those who were invited and have yet to come. */
import { Schema } from "effect"
import { optional, Timestamp } from "../Fields.ts"
import { ApiKeyId, UserId } from "../Ids.ts"
import { EmailAddress } from "../people/Person.ts"
import { Role } from "./Workspace.ts"

/** A member goes by the id of its user, an invitation by its own. */
export const MemberId = Schema.String.annotations({ examples: ["usr_01k9x2m4q8e7s9v3bthn5wza6c"] }).pipe(
  Schema.brand("MemberId"),
  Schema.annotations({ identifier: "MemberId", description: "Starts with usr_ for a member, with inv_ for an invitation" })
)
export type MemberId = typeof MemberId.Type

export const Member = Schema.Struct({
  id: MemberId,
  userId: Schema.NullOr(UserId).annotations({ description: "null while invited" }),
  email: Schema.String.annotations({ examples: ["ada@example.com"] }),
  name: Schema.NullOr(Schema.String.annotations({ examples: ["Ada"] })),
  role: Role,
  status: Schema.Literal("active", "invited"),
  createdAt: Timestamp.annotations({ description: "When they joined, or were invited last" }),
  expiresAt: Schema.NullOr(Timestamp).annotations({ description: "When the invitation ends; null for members" })
}).annotations({ identifier: "Member" })
export type Member = typeof Member.Type

export const MemberInput = Schema.Struct({
  email: EmailAddress,
  role: Role.annotations({
    description: "owner: everything; admin: all but owners and deletion; member: monitors, pages, incidents; viewer: looks",
    examples: ["member"]
  })
}).annotations({ identifier: "MemberInput" })
export type MemberInput = typeof MemberInput.Type

export const MemberRemoval = Schema.Struct({
  keys: optional(Schema.Literal("revoke", "keep")).annotations({
    description:
      "What becomes of the API keys that the member made: revoked (the default), or kept in the name of whoever removes them"
  })
})

export const RemovedMember = Schema.Struct({
  id: MemberId,
  deleted: Schema.Literal(true),
  keys: Schema.Array(Schema.Struct({
    id: ApiKeyId,
    name: Schema.String.annotations({ examples: ["deploy pipeline"] }),
    revoked: Schema.Boolean
  })).annotations({ description: "The working API keys that the member had made, and what became of them" })
}).annotations({ identifier: "RemovedMember" })
export type RemovedMember = typeof RemovedMember.Type

export const MemberUpdate = Schema.Struct({ role: Role }).annotations({ identifier: "MemberUpdate" })
export type MemberUpdate = typeof MemberUpdate.Type
