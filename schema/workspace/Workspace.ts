/** A workspace, the tenant that owns every resource, and its API keys. */
import { Schema } from "effect"
import { described, formed, list, name, optional, orNull, text, textLike, Timestamp, timezone } from "../Fields.ts"
import { ApiKeyId, UserId, WorkspaceId } from "../Ids.ts"
import { User } from "../people/User.ts"

export const Scope = Schema.Literal("read", "write")
export type Scope = typeof Scope.Type

export const Plan = Schema.Literal("free", "starter", "business", "self_hosted")
export type Plan = typeof Plan.Type

const Slug = formed(
  /^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/,
  "Expected lower-case letters, digits and hyphens, at most 60, such as github"
)

/** The roles of members, from most to least privileged; `src/domain/access/Roles.ts` defines what each allows. */
export const Role = Schema.Literal("owner", "admin", "member", "viewer")
export type Role = typeof Role.Type

/** A third party that the workspace's services depend on, by the slugs of its public upstream-status page. */
const Upstream = Schema.Struct({
  service: Slug.annotations({ examples: ["github"] }),
  component: optional(Slug, "Default the whole service", "api")
}).annotations({ identifier: "Upstream" })

export const Workspace = Schema.Struct({
  id: WorkspaceId,
  name: textLike("Acme"),
  timezone: textLike("Europe/Athens"),
  plan: Plan,
  claimed: Schema.Boolean,
  upstreams: Schema.Array(Upstream).annotations({ description: "Third parties that the workspace's services depend on" }),
  expiresAt: orNull(Timestamp, "When the workspace is deleted unless claimed; null once it is claimed"),
  claimUrl: orNull(
    textLike("https://belltower.example/claim/<token>"),
    "URL for a human to claim the workspace and become its owner. Null once it is claimed, and for callers without full " +
      "write access"
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

export const WorkspaceUpdate = Schema.Struct({
  name: optional(name(80).annotations({ examples: ["Acme"] })),
  timezone: optional(timezone(64), "IANA time zone"),
  upstreams: optional(list(Upstream, 50), "Replaces the whole list")
}).annotations({ identifier: "WorkspaceUpdate" })
export type WorkspaceUpdate = typeof WorkspaceUpdate.Type

export const DeletedWorkspace = Schema.Struct({
  id: WorkspaceId,
  deleted: Schema.Literal(true),
  restorableUntil: Timestamp.annotations({ description: "Until then it can be restored; then it is deleted for good" }),
  restoreToken: optional(
    textLike("8sTq2LmZ7xT0bVwRj4sYcH1n9fKq2LmZ7xT0bVwR"),
    "For restore_workspace, if a key deleted it: keep it, it is returned only once. A signed-in owner needs none"
  )
}).annotations({ identifier: "DeletedWorkspace" })
export type DeletedWorkspace = typeof DeletedWorkspace.Type

export const RestoredWorkspace = Schema.Struct({ id: WorkspaceId, name: textLike("Acme") }).annotations({
  identifier: "RestoredWorkspace"
})

/** An API key without its secret. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  name: textLike("scout"),
  prefix: textLike("bell_live_4fZk", "First characters of the key, to identify it"),
  scopes: Schema.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp),
  parentId: orNull(ApiKeyId, "Key that this delegated key was created with"),
  createdBy: orNull(
    UserId,
    "Member that the key belongs to and whose permissions limit it; it is revoked when they leave, unless kept. Null for a " +
      "key of the workspace itself"
  ),
  operations: orNull(Schema.Array(Schema.String), "The only operations that the key can call; null for all that its scopes allow")
}).annotations({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

export const BootstrapInput = Schema.Struct({
  agentName: name(80).annotations({
    description: "Your name; the API key gets it",
    examples: ["scout"]
  }),
  workspaceName: optional(Schema.String.pipe(Schema.maxLength(80)), "Default the agent's name", "Acme"),
  invitation: optional(text(100), "The operator's, where one is needed")
}).annotations({ identifier: "BootstrapInput" })
export type BootstrapInput = typeof BootstrapInput.Type

export const Bootstrap = Schema.Struct({
  workspace: Workspace,
  apiKey: textLike("bell_live_<40 letters and digits>", "The key itself, to send as Authorization: Bearer. Returned only once"),
  claimUrl: textLike("https://belltower.example/claim/<token>", "URL for a human to claim the workspace"),
  expiresAt: Timestamp.annotations({
    description: "When the workspace is deleted unless it is claimed; an empty one goes after a day"
  }),
  key: ApiKey
}).annotations({ identifier: "Bootstrap" })
export type Bootstrap = typeof Bootstrap.Type

/** The limits of a plan; null is unlimited. */
export const Limits = Schema.Struct({
  monitors: orNull(Schema.Int, "Monitors"),
  minIntervalSec: described(Schema.Int, "Shortest interval of a monitor, in seconds"),
  regionsPerMonitor: described(Schema.Int, "Regions of one monitor"),
  pages: orNull(Schema.Int, "Status pages"),
  customDomains: orNull(Schema.Int, "Pages with a domain of their own"),
  subscribersPerPage: orNull(Schema.Int, "Subscribers of one page"),
  codeMonitors: orNull(Schema.Int, "Browser and script monitors"),
  members: orNull(Schema.Int, "People in the workspace"),
  aiReportsPerMonth: orNull(Schema.Int, "AI reports in a calendar month"),
  onCall: Schema.Boolean.annotations({ description: "Whether on-call schedules and escalation policies are included" })
}).annotations({ identifier: "Limits" })
export type Limits = typeof Limits.Type

export const WhoAmI = Schema.Struct({
  workspace: described(Workspace, "The workspace of the caller"),
  key: orNull(ApiKey, "Calling key; null for a signed-in person"),
  plan: Plan.annotations({ description: "Its plan" }),
  limits: Limits,
  user: optional(User, "Signed-in person; absent for a key")
}).annotations({ identifier: "WhoAmI" })
export type WhoAmI = typeof WhoAmI.Type
