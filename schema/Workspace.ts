/** A workspace, the tenant of everything, and the API keys that act in it. */
import { Schema } from "effect"
import { name, optional, Timestamp } from "./Fields.ts"
import { ApiKeyId, WorkspaceId } from "./Ids.ts"

export const Scope = Schema.Literal("read", "write")
export type Scope = typeof Scope.Type

export const Plan = Schema.Literal("free", "starter", "business", "self_hosted")
export type Plan = typeof Plan.Type

export const Workspace = Schema.Struct({
  id: WorkspaceId,
  name: Schema.String,
  timezone: Schema.String,
  plan: Plan,
  claimed: Schema.Boolean,
  createdAt: Timestamp,
  updatedAt: Timestamp
}).annotations({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

/** An API key without its secret. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  name: Schema.String,
  prefix: Schema.String.annotations({ description: "The first characters of the key, to recognise it by" }),
  scopes: Schema.Array(Scope),
  createdAt: Timestamp,
  expiresAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp)
}).annotations({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

export const BootstrapInput = Schema.Struct({
  agentName: name(80),
  workspaceName: optional(Schema.String.pipe(Schema.maxLength(80)))
}).annotations({ identifier: "BootstrapInput" })
export type BootstrapInput = typeof BootstrapInput.Type

export const Bootstrap = Schema.Struct({
  workspace: Workspace,
  apiKey: Schema.String.annotations({ description: "The secret key, shown this once" }),
  claimUrl: Schema.String.annotations({ description: "Hand this to a human to take the workspace over" }),
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

export const WhoAmI = Schema.Struct({ workspace: Workspace, key: ApiKey, plan: Plan, limits: Limits }).annotations({
  identifier: "WhoAmI"
})
export type WhoAmI = typeof WhoAmI.Type
