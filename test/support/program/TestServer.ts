/** The real server on a free port and a real database; operations that a test is not about return their input. */
import { HttpApiBuilder } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Layer } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Scope } from "../../../schema/workspace/Workspace.ts"
import * as Server from "../../../src/deployment/Server.ts"
import { AuditLive } from "../../../src/http/access/Audit.ts"
import { BillingLive } from "../../../src/http/billing/Billing.ts"
import * as BillingRoutes from "../../../src/http/billing/Billing.ts"
import { EventsLive } from "../../../src/http/event/Events.ts"
import * as CurrentPerson from "../../../src/http/guard/CurrentPerson.ts"
import { operations } from "../../../src/http/openapi/Operations.ts"
import { MeLive } from "../../../src/http/people/Me.ts"
import { SignInLive } from "../../../src/http/people/SignInGroup.ts"
import { type HealthCheck, makeHealthLooks } from "../../../src/http/server/HealthChecks.ts"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { WorkspaceLive } from "../../../src/http/workspace/WorkspaceGroup.ts"
import { BaseUrl } from "../../../src/links/BaseUrl.ts"
import { McpSettings } from "../../../src/mcp/McpSettings.ts"
import { OperationCatalog } from "../../../src/operations/access/OperationCatalog.ts"
import { WatchAccess } from "../../../src/operations/access/WatchAccess.ts"
import * as AccountOperations from "../../../src/operations/AccountOperations.ts"
import { FollowEvents } from "../../../src/operations/event/FollowEvents.ts"
import { ReadEvents } from "../../../src/operations/event/ReadEvents.ts"
import { StreamTokens } from "../../../src/operations/event/StreamTokens.ts"
import { AccessEnded } from "../../../src/store/access/AccessEnded.ts"
import { AuditLog } from "../../../src/store/access/AuditLog.ts"
import { EndedMcpSessions } from "../../../src/store/access/EndedMcpSessions.ts"
import { IdempotentRequests } from "../../../src/store/access/IdempotentRequests.ts"
import { Keys, mintKey } from "../../../src/store/access/Keys.ts"
import { RateLimits } from "../../../src/store/access/RateLimits.ts"
import { Subscriptions } from "../../../src/store/billing/Subscriptions.ts"
import { Digests } from "../../../src/store/digest/Digests.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { mint } from "../../../src/store/Mint.ts"
import { Grants } from "../../../src/store/oauth/Grants.ts"
import { Policies } from "../../../src/store/oncall/Policies.ts"
import { Schedules } from "../../../src/store/oncall/Schedules.ts"
import * as People from "../../../src/store/people/People.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { Upstreams } from "../../../src/store/upstream/Upstreams.ts"
import { tokenHash } from "../../../src/store/Vault.ts"
import { DeletedWorkspaces } from "../../../src/store/workspace/DeletedWorkspaces.ts"
import { Members } from "../../../src/store/workspace/Members.ts"
import { Quotas } from "../../../src/store/workspace/Quotas.ts"
import { WorkspaceRemoval } from "../../../src/store/workspace/WorkspaceRemoval.ts"
import { Workspaces } from "../../../src/store/workspace/Workspaces.ts"
import { TestDatabase } from "../database/TestDatabase.ts"
import { echoesExcept } from "./Echoes.ts"
import { testKeys } from "./TestInstallation.ts"

type GroupName = (typeof Api)["groups"][string]["identifier"]

/** The groups with their real handlers, by their registry names. */
const realGroups = {
  Workspace: WorkspaceLive,
  Billing: BillingLive,
  Audit: AuditLive,
  Me: MeLive,
  "Sign-in": SignInLive,
  Events: EventsLive
} satisfies Partial<Record<GroupName, Layer.Layer.Any>>

const groups = Layer.mergeAll(echoesExcept(Object.keys(realGroups)), ...Object.values(realGroups))

const stores = Layer.mergeAll(
  Keys.Default,
  AuditLog.Default,
  IdempotentRequests.Default,
  EndedMcpSessions.Default,
  Grants.Default,
  Workspaces.Default,
  DeletedWorkspaces.Default,
  WorkspaceRemoval.Default,
  Members.Default,
  Quotas.Default,
  Subscriptions.Default,
  Digests.Default,
  Policies.Default,
  Schedules.Default,
  People.layer,
  RateLimits.Default,
  EventLog.Default,
  Upstreams.Default
).pipe(Layer.provideMerge(AccessEnded.Default), Layer.provideMerge(Layer.merge(DatabaseClock.Default, Wakeups.Default)))

export const testBaseUrl = "https://belltower.test"

/** The server over any database. */
export const serverOver = (checks: ReadonlyArray<HealthCheck> = []) =>
  Layer.unwrapScoped(
    Effect.map(makeHealthLooks(checks), (health) => Server.layer({ host: "127.0.0.1", port: 0, health }))
  ).pipe(
    Layer.provide(HttpApiBuilder.api(Api).pipe(Layer.provide(groups))),
    Layer.provide([CurrentPerson.layer, BillingRoutes.layer]),
    Layer.provide([FollowEvents.Default, ReadEvents.Default, StreamTokens.Default, WatchAccess.Default]),
    Layer.provide(AccountOperations.layer),
    Layer.provideMerge(stores),
    Layer.provide(Layer.succeed(OperationCatalog, operations)),
    Layer.provide(Layer.succeed(McpSettings, { allowedHosts: ["*.agents.test"] })),
    Layer.provide([Layer.succeed(BaseUrl, testBaseUrl), testKeys])
  )

/** The server with its own database. */
export const TestServer = serverOver().pipe(Layer.provideMerge(TestDatabase), Layer.orDie)

/** An answer's body, for untyped access. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any

/** A request to the server. */
export const call = Effect.fn("call")(function*(path: string, init?: RequestInit) {
  const { host, port } = yield* ServerAddress
  return yield* Effect.promise((signal) => fetch(`http://${host}:${port}${path}`, { signal, ...init }))
})

/** The same, with the answer's body as JSON. */
export const callJson = Effect.fn("callJson")(function*(path: string, init?: RequestInit) {
  const response = yield* call(path, init)
  const body: Json = yield* Effect.promise(() => response.json())
  return { status: response.status, headers: response.headers, body }
})

export const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  callJson(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) })

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** A workspace with a key of these scopes. */
export const newKey = Effect.fn("newKey")(function*(
  scopes: ReadonlyArray<Scope> = ["read", "write"],
  options: { readonly expiresAt?: DateTime.Utc; readonly workspaceId?: WorkspaceId } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDateUtc(yield* DateTime.now)
  const workspaceId = options.workspaceId ?? (yield* mint("ws", WorkspaceId))
  const keyId = yield* mint("key", ApiKeyId)
  const secret = yield* mintKey
  const expiresAt = options.expiresAt === undefined ? null : DateTime.toDateUtc(options.expiresAt)
  yield* sql`insert into workspaces (id, name, plan, created_at, updated_at)
    values (${workspaceId}, 'Test', 'self_hosted', ${now}, ${now}) on conflict do nothing`
  yield* sql`insert into api_keys (id, workspace_id, name, hash, prefix, scopes, created_at, expires_at)
    values (${keyId}, ${workspaceId}, 'test', ${tokenHash(secret)}, ${secret.slice(0, 14)}, ${[
    ...scopes
  ]}::text[], ${now}, ${expiresAt})`
  return { workspaceId, keyId, secret, headers: bearer(secret) }
})
