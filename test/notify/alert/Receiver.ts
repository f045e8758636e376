/** A receiver of webhooks on loopback, and the rows that a delivery needs. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Either, Layer, Queue } from "effect"
import { randomBytes } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { FanOutTransactions } from "../../../cluster/alert/FanOutTransactions.ts"
import type { ChannelInput } from "../../../schema/alert/Channel.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { EventData } from "../../../schema/event/EventData.ts"
import { CheckId, IncidentId, MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import { type AllowList, parseAllowList } from "../../../src/domain/check/address/Egress.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { Links, linksFrom } from "../../../src/links/Links.ts"
import { ManageChannels } from "../../../src/operations/alert/ManageChannels.ts"
import { ManageDeliveries } from "../../../src/operations/alert/ManageDeliveries.ts"
import { Alarms } from "../../../src/store/Alarms.ts"
import { AlertedChannels } from "../../../src/store/alert/AlertedChannels.ts"
import { AlertGroups } from "../../../src/store/alert/AlertGroups.ts"
import { AlertStreaks } from "../../../src/store/alert/AlertStreaks.ts"
import { Channels } from "../../../src/store/alert/Channels.ts"
import { Deliveries } from "../../../src/store/alert/Deliveries.ts"
import { DeliveryQueues } from "../../../src/store/alert/DeliveryQueues.ts"
import { DeliveryResults } from "../../../src/store/alert/DeliveryResults.ts"
import { FanOutRows } from "../../../src/store/alert/FanOutRows.ts"
import { KeptBackTroubles } from "../../../src/store/alert/KeptBackTroubles.ts"
import { Mutes } from "../../../src/store/alert/Mutes.ts"
import { QuietAlerts } from "../../../src/store/alert/QuietAlerts.ts"
import { StandingAcknowledgements } from "../../../src/store/alert/StandingAcknowledgements.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { AcknowledgeTokens } from "../../../src/store/incident/AcknowledgeTokens.ts"
import { Pagings } from "../../../src/store/paging/Pagings.ts"
import { DatabaseClock } from "../../../src/store/postgres/DatabaseClock.ts"
import { Quotas } from "../../../src/store/workspace/Quotas.ts"
import { Workspaces } from "../../../src/store/workspace/Workspaces.ts"
import { TestDatabase } from "../../support/database/TestDatabase.ts"
import { testKeys } from "../../support/program/TestInstallation.ts"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Respond = (response: ServerResponse, count: number, request: Received) => void

export const answering = (status: number, headers: Record<string, string> = {}): Respond => (response) =>
  void response.writeHead(status, headers).end()

/** Answers each request with the result of `respond` (`count` starts at 1) and records it. */
export const receiver = (respond: Respond) =>
  Effect.gen(function*() {
    const received = yield* Queue.unbounded<Received>()
    const seen: Array<Received> = []
    const server = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const made = createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const one = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString("utf8") }
            seen.push(one)
            Queue.unsafeOffer(received, one)
            respond(response, seen.length, one)
          })
        })
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.async<void>((resume) => {
          made.closeAllConnections()
          made.close(() => resume(Effect.void))
        })
    )
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, next: Queue.take(received), seen }
  })

export const loopback: AllowList = Either.getOrThrow(parseAllowList("127.0.0.0/8"))

/** Everything that deliveries depend on, with its own database. */
const testLinks = Layer.succeed(Links, linksFrom("https://belltower.test"))

export const ground = (allow: AllowList, clock: Layer.Layer<DatabaseClock, never, SqlClient.SqlClient> = DatabaseClock.Default) =>
  Layer.merge(ManageChannels.Default, ManageDeliveries.Default).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Channels.Default, Deliveries.Default, FanOutTransactions.Default, Quotas.Default, Workspaces.Default)
    ),
    Layer.provideMerge(Layer.merge(Alarms.Default, FanOutRows.Default)),
    Layer.provideMerge(
      Layer.mergeAll(
        AcknowledgeTokens.Default,
        AlertedChannels.Default,
        AlertGroups.Default,
        AlertStreaks.Default,
        QuietAlerts.Default,
        StandingAcknowledgements.Default,
        KeptBackTroubles.Default,
        Mutes.Default,
        DeliveryQueues.Default,
        DeliveryResults.Default,
        Pagings.Default
      )
    ),
    Layer.provideMerge(Layer.mergeAll(EventLog.Default, clock, testKeys, testLinks)),
    Layer.provideMerge(Layer.merge(TestDatabase, EgressGuard.Default({ allow })))
  )

const newId = (prefix: string) => Effect.map(DateTime.now, (now) => makeId(prefix, DateTime.toEpochMillis(now), randomBytes(10)))

export const newWorkspace = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const id = WorkspaceId.make(yield* newId("ws"))
  yield* sql`
    insert into workspaces (id, name, plan, created_at, updated_at) values (${id}, 'Test', 'self_hosted', now(), now())`
  return id
})

export const newMonitor = (workspaceId: WorkspaceId, channelIds: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = MonitorId.make(yield* newId("mon"))
    yield* sql`
      insert into monitors (id, workspace_id, name, kind, target, interval_sec, timeout_ms, failure_threshold,
                            recovery_threshold, channel_ids, reminder_minutes, ai, tags, paused, regions, revision,
                            created_at, updated_at)
      values (${id}, ${workspaceId}, 'Shop', 'http', '{}', 60, 10000, 2, 1, ${[...channelIds]}, '{}', true, '{}', false,
              '{main}', 1, now(), now())`
    return id
  })

export const newChannel = (workspaceId: WorkspaceId, url: string, more: Partial<ChannelInput> = {}) =>
  Effect.flatMap(ManageChannels, (manage) => manage.create(workspaceId, { name: "Team", type: "webhook", url, ...more }))

/** Turns up to `limit` new events into deliveries. */
export const fanOut = (limit: number) => Effect.flatMap(FanOutTransactions, ({ step }) => step(limit))

/** One transaction of a workspace whose events go apart. */
export const fanOutApart = (limit: number) => Effect.flatMap(FanOutTransactions, ({ stepApart }) => stepApart(limit))

/** The data of a `monitor.degraded` event. */
export const degraded = (monitorId: MonitorId): EventData<"monitor.degraded"> => ({
  monitor: {
    _id: monitorId,
    name: "Shop",
    kind: "http",
    state: "degraded",
    http: {
      url: "https://shop.example/",
      method: "GET",
      followRedirects: true,
      expectedStatus: "200-299",
      keyword: null,
      keywordAbsent: null,
      degradedAfterMs: null,
      sslExpiryDays: null,
      assertions: []
    },
    tags: [],
    url: "https://belltower.example/monitors/1"
  },
  check: {
    _id: CheckId.make("chk_1"),
    at: DateTime.unsafeMake(0),
    outcome: "degraded",
    statusCode: 200,
    latencyMs: 900,
    error: null,
    cause: "slow",
    region: RegionId.make("main"),
    hasEvidence: false
  }
})

const update = {
  id: "upd_1" as EventData<"incident.created">["update"]["id"],
  status: "investigating",
  body: "We are looking",
  at: DateTime.unsafeMake(0),
  ai: false,
  public: true
} as const

/** The data of an `incident.created` event. */
export const incidentCreated = (automatic: boolean): EventData<"incident.created"> => ({
  incident: {
    id: IncidentId.make("inc_1"),
    kind: "incident",
    title: "Shop is down",
    status: "investigating",
    impact: "major",
    startedAt: DateTime.unsafeMake(0),
    resolvedAt: null,
    scheduledStart: null,
    scheduledEnd: null,
    components: [],
    aiSummary: null,
    url: "https://belltower.example/incidents/inc_1",
    automatic,
    public: true,
    monitorId: null,
    pageIds: [],
    acknowledgement: null,
    likelyUpstream: null,
    createdAt: DateTime.unsafeMake(0),
    updatedAt: DateTime.unsafeMake(0),
    updates: [update],
    aiReports: []
  },
  update
})

/** The deliveries of a channel, oldest first. */
export const rowsOf = (channelId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly status: string; readonly attempts: number; readonly last_error: string | null; readonly due_at: Date }>`
      select status, attempts, last_error, due_at from deliveries where channel_id = ${channelId} order by id`
  )
