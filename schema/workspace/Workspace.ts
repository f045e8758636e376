/** A workspace, the tenant of everything, and the API keys that act in it. */
import { DateTime, Option, Schema } from "effect"
import { list, name, optional, text, textLike, Timestamp } from "../Fields.ts"
import { ApiKeyId, UserId, WorkspaceId } from "../Ids.ts"
import { User } from "../people/User.ts"

export const Scope = Schema.Literal("read", "write")
export type Scope = typeof Scope.Type

export const Plan = Schema.Literal("free", "starter", "business", "self_hosted")
export type Plan = typeof Plan.Type

/** Offsets are no time zones: they know no daylight saving. */
const Timezone = text(64).pipe(
  Schema.filter((value) =>
    (/^[A-Za-z]/.test(value) && Option.isSome(DateTime.zoneMakeNamed(value))) ||
    "Expected an IANA time zone, such as Europe/Berlin"
  )
).annotations({
  description: "An IANA time zone; status pages that name none of their own show its times",
  examples: ["Europe/Athens"],
  jsonSchema: { type: "string", maxLength: 64 }
})

const Slug = Schema.String.pipe(Schema.pattern(/^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/))

/** What a member of a workspace may do, from most to least; `src/domain/access/Roles.ts` says what each may. */
export const Role = Schema.Literal("owner", "admin", "member", "viewer")
export type Role = typeof Role.Type

/** A third party that the workspace's services stand on, by the slugs of its public upstream-status page. */
const Upstream = Schema.Struct({
  service: Slug.annotations({ examples: ["github"] }),
  component: optional(Slug.annotations({ description: "The part of it; all of it when left out", examples: ["api"] }))
}).annotations({ identifier: "Upstream" })

export const Workspace = Schema.Struct({
  id: WorkspaceId,
  name: textLike("Acme"),
  timezone: textLike("Europe/Athens"),
  plan: Plan,
  claimed: Schema.Boolean,
  upstreams: Schema.Array(Upstream).annotations({ description: "The third parties that its services depend on" }),
  expiresAt: Schema.NullOr(Timestamp).annotations({ description: "When it is deleted unless claimed; null once it is" }),
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

/** Of its fields only those that are given change. */
export const WorkspaceUpdate = Schema.Struct({
  name: optional(name(80).annotations({ examples: ["Acme"] })),
  timezone: optional(Timezone),
  upstreams: optional(list(Upstream, 50).annotations({ description: "Replaces the whole list" }))
}).annotations({ identifier: "WorkspaceUpdate" })
export type WorkspaceUpdate = typeof WorkspaceUpdate.Type

/** An API key without its secret. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  name: textLike("scout"),
  prefix: textLike("bell_live_4fZk").annotations({ description: "The first characters of the key, to recognise it by" }),
  scopes: Schema.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp),
  parentId: Schema.NullOr(ApiKeyId).annotations({ description: "The key that delegated to this one" }),
  createdBy: Schema.NullOr(UserId).annotations({
    description:
      "The member who stands for it: it may no more than they, and ends with their membership. Null for a key of the workspace itself"
  }),
  operations: Schema.NullOr(Schema.Array(Schema.String)).annotations({
    description: "The only operations it may call; null for all that its scopes allow"
  })
}).annotations({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

export const BootstrapInput = Schema.Struct({
  agentName: name(80).annotations({ description: "Who is calling; the key is named after it", examples: ["scout"] }),
  workspaceName: optional(
    Schema.String.pipe(Schema.maxLength(80)).annotations({
      description: "Default: the agent's name",
      examples: ["Acme"]
    })
  )
}).annotations({ identifier: "BootstrapInput" })
export type BootstrapInput = typeof BootstrapInput.Type

export const Bootstrap = Schema.Struct({
  workspace: Workspace,
  apiKey: textLike("bell_live_<40 letters and digits>").annotations({ description: "The secret key, shown this once" }),
  claimUrl: textLike("https://belltower.example/claim/<token>").annotations({
    description: "Hand this to a human to take the workspace over"
  }),
  expiresAt: Timestamp.annotations({ description: "When the workspace is deleted unless claimed" }),
  key: ApiKey
}).annotations({ identifier: "Bootstrap" })
export type Bootstrap = typeof Bootstrap.Type

/** What the plan allows; null is unlimited. */
export const Limits = Schema.Struct({
  monitors: Schema.NullOr(Schema.Int),
  minIntervalSec: Schema.Int,
  regionsPerMonitor: Schema.Int,
  pages: Schema.NullOr(Schema.Int),
  customDomains: Schema.NullOr(Schema.Int),
  subscribersPerPage: Schema.NullOr(Schema.Int),
  codeMonitors: Schema.NullOr(Schema.Int),
  members: Schema.NullOr(Schema.Int),
  aiReportsPerMonth: Schema.NullOr(Schema.Int),
  onCall: Schema.Boolean
}).annotations({ identifier: "Limits" })
export type Limits = typeof Limits.Type

export const WhoAmI = Schema.Struct({
  workspace: Workspace,
  key: Schema.NullOr(ApiKey).annotations({ description: "The calling key; null for a person who is signed in" }),
  plan: Plan,
  limits: Limits,
  user: optional(User.annotations({ description: "Who is signed in; absent for a key" }))
}).annotations({ identifier: "WhoAmI" })
export type WhoAmI = typeof WhoAmI.Type
