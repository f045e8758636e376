/** Pages, monitors and incidents as rows of a real database, and snapshots built by hand. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Layer } from "effect"
import { ComponentId, type GroupId, IncidentId, MonitorId, PageId, UpdateId, WorkspaceId } from "../../schema/Ids.ts"
import type { Impact } from "../../schema/incident/Incident.ts"
import type { Target } from "../../schema/monitor/kinds.ts"
import {
  type SettledPage,
  withBrandingDefaults,
  withSeoDefaults,
  withSettingsDefaults,
  withThemeDefaults
} from "../../src/domain/page/PageDefaults.ts"
import type { PageIncident } from "../../src/domain/page/PageIncident.ts"
import { type Snapshot, type SnapshotRows, snapshotSteps } from "../../src/domain/page/snapshot/Snapshot.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { EgressGuard } from "../../src/egress/EgressGuard.ts"
import { BaseUrl } from "../../src/links/BaseUrl.ts"
import { Links, linksFrom } from "../../src/links/Links.ts"
import { ManageComponents } from "../../src/operations/component/ManageComponents.ts"
import { TakePush } from "../../src/operations/component/TakePush.ts"
import { ChangePage } from "../../src/operations/page/ChangePage.ts"
import { ManagePages } from "../../src/operations/page/ManagePages.ts"
import { PublicIncidents } from "../../src/operations/page/PublicIncidents.ts"
import { PublicPages } from "../../src/operations/page/PublicPages.ts"
import { PublicResponseTimes } from "../../src/operations/page/PublicResponseTimes.ts"
import { VerifyDomain } from "../../src/operations/page/VerifyDomain.ts"
import { ManageSubscribers } from "../../src/operations/subscriber/ManageSubscribers.ts"
import { ManageSubscription } from "../../src/operations/subscriber/ManageSubscription.ts"
import { Subscribe } from "../../src/operations/subscriber/Subscribe.ts"
import { WarnOfDuplicates } from "../../src/operations/WarnOfDuplicates.ts"
import { PageViews } from "../../src/pages/PageViews.ts"
import { RateLimits } from "../../src/store/access/RateLimits.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { KeptBackTroubles } from "../../src/store/alert/KeptBackTroubles.ts"
import { CheckRollups } from "../../src/store/check/CheckRollups.ts"
import { Components } from "../../src/store/component/Components.ts"
import { ComponentSpans } from "../../src/store/component/ComponentSpans.ts"
import { Duplicates } from "../../src/store/Duplicates.ts"
import { EventLog } from "../../src/store/event/EventLog.ts"
import { PageIncidents } from "../../src/store/incident/PageIncidents.ts"
import { Mails } from "../../src/store/mail/Mails.ts"
import { mint } from "../../src/store/Mint.ts"
import { Spans } from "../../src/store/monitor/Spans.ts"
import { IncidentAlerting } from "../../src/store/oncall/IncidentAlerting.ts"
import { Policies } from "../../src/store/oncall/Policies.ts"
import { Pages } from "../../src/store/page/Pages.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { Wakeups } from "../../src/store/postgres/Wakeups.ts"
import { Subscribers } from "../../src/store/subscriber/Subscribers.ts"
import { Quotas } from "../../src/store/workspace/Quotas.ts"
import { Workspaces } from "../../src/store/workspace/Workspaces.ts"
import { TestDatabase } from "../support/database/TestDatabase.ts"
import { testKeys } from "../support/program/TestInstallation.ts"

export const baseUrl = "https://belltower.test"

/** Pages and components with their stores, over any database. */
export const pageOperations = Layer.mergeAll(
  ChangePage.Default,
  ManagePages.Default,
  ManageComponents.Default,
  VerifyDomain.Default,
  WarnOfDuplicates.Default.pipe(Layer.provide(Duplicates.Default)),
  Layer.succeed(
    TakePush,
    TakePush.make({
      take: () => Effect.dieMessage("No runner takes pushes here"),
      push: () => Effect.dieMessage("No runner takes pushes here")
    })
  )
).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Alarms.Default,
    DatabaseClock.Default,
    KeptBackTroubles.Default,
    EventLog.Default,
    IncidentAlerting.Default,
    Pages.Default,
    Policies.Default,
    Quotas.Default,
    Components.Default,
    CheckRollups.Default,
    ComponentSpans.Default,
    Spans.Default,
    PageIncidents.Default
  ))
).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Wakeups.Default,
    testKeys,
    Layer.succeed(Links, linksFrom(baseUrl))
  ))
)

/** Actions of subscribers on pages, over any database. */
export const subscriberOperations = Layer.mergeAll(ManageSubscribers.Default, ManageSubscription.Default, Subscribe.Default).pipe(
  Layer.provide(Layer.mergeAll(
    Alarms.Default,
    Mails.Default,
    RateLimits.Default,
    Subscribers.Default,
    Workspaces.Default,
    EgressGuard.Default({ allow: [] })
  )),
  Layer.provide(DatabaseClock.Default)
)

/** The same, with its own database. */
export const ground = pageOperations.pipe(Layer.provideMerge(TestDatabase))

export const publicPages = Layer.mergeAll(
  PublicPages.Default,
  PublicResponseTimes.Default,
  PageViews.Default
).pipe(
  Layer.provide(PublicIncidents.Default),
  Layer.provideMerge(Layer.succeed(BaseUrl, baseUrl))
)

export const newWorkspace = Effect.fn("newWorkspace")(function*(timezone = "UTC") {
  const sql = yield* SqlClient.SqlClient
  const id = yield* mint("ws", WorkspaceId)
  yield* sql`
    insert into workspaces (id, name, plan, timezone, created_at, updated_at)
    values (${id}, 'Test', 'self_hosted', ${timezone}, now(), now())`
  return id
})

export interface Lived {
  readonly state: string
  /** How many hours before now it began. */
  readonly hoursAgo: number
}

const targetOf = (name: string): Target => ({
  kind: "http",
  url: `https://${name}.internal.test/health`,
  method: "GET",
  followRedirects: true,
  expectedStatus: "200-299",
  keyword: null,
  keywordAbsent: null,
  degradedAfterMs: null,
  sslExpiryDays: null,
  assertions: []
})

/** A monitor that went through these states; the last one continues. */
export const newMonitor = Effect.fn("newMonitor")(function*(
  workspaceId: WorkspaceId,
  name: string,
  life: ReadonlyArray<Lived> = [{ state: "up", hoursAgo: 48 }]
) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* mint("mon", MonitorId)
  const state = life.at(-1)?.state ?? "pending"
  yield* sql`
    insert into monitors (id, workspace_id, name, kind, target, interval_sec, timeout_ms, failure_threshold,
                          recovery_threshold, channel_ids, reminder_minutes, ai, tags, paused, regions, revision,
                          created_at, updated_at)
    values (${id}, ${workspaceId}, ${name}, 'http', ${JSON.stringify(targetOf(name))}::jsonb, 60, 10000,
            2, 1, '{}', '{}', true, '{}', false, '{main}', 1, now(), now())`
  yield* sql`
    insert into monitor_states (monitor_id, workspace_id, version, state, state_since, machine)
    values (${id}, ${workspaceId}, 1, ${state}, now(), '{}')`
  yield* Effect.forEach(life, ({ hoursAgo, state }, index) =>
    sql`
      insert into monitor_spans (monitor_id, workspace_id, started_at, ended_at, state)
      values (${id}, ${workspaceId}, now() - ${`${hoursAgo} hours`}::interval,
              now() - ${life[index + 1] === undefined ? null : `${life[index + 1]?.hoursAgo} hours`}::interval, ${state})`)
  return id
})

export const newIncident = Effect.fn("newIncident")(function*(workspaceId: WorkspaceId, incident: {
  readonly title: string
  readonly pageIds: ReadonlyArray<PageId>
  readonly components?: ReadonlyArray<{ readonly componentId: ComponentId; readonly status: string }>
  readonly automatic?: boolean
  readonly public?: boolean
  readonly impact?: Impact
  readonly monitorId?: MonitorId
  readonly resolved?: boolean
  readonly updates?: ReadonlyArray<{ readonly body: string; readonly public: boolean }>
}) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* mint("inc", IncidentId)
  yield* sql`
    insert into incidents (id, workspace_id, kind, automatic, public, monitor_id, title, status, impact, components, page_ids,
                           started_at, resolved_at, updated_at)
    values (${id}, ${workspaceId}, 'incident', ${incident.automatic ?? false}, ${incident.public ?? true},
            ${incident.monitorId ?? null}, ${incident.title}, ${incident.resolved ? "resolved" : "investigating"},
            ${incident.impact ?? "major"}, ${JSON.stringify(incident.components ?? [])}::jsonb,
            ${[...incident.pageIds]}::text[], now() - interval '1 hour', ${incident.resolved ? sql.literal("now()") : null},
            now())`
  yield* Effect.forEach(incident.updates ?? [], (update) =>
    Effect.flatMap(mint("upd", UpdateId), (updateId) =>
      sql`
        insert into incident_updates (id, workspace_id, incident_id, status, body, at, public)
        values (${updateId}, ${workspaceId}, ${id}, 'investigating', ${update.body}, now(), ${update.public})`))
  return id
})

export const now = DateTime.unsafeMake("2026-11-20T10:33:00Z")

/** A page that was never stored. */
export const pageRow = (more: Partial<SettledPage> = {}): SettledPage => ({
  id: PageId.make("pg_1"),
  workspaceId: WorkspaceId.make("ws_1"),
  name: "Acme",
  slug: "acme",
  description: null,
  customDomain: null,
  domainVerifiedAt: null,
  visibility: "public",
  passwordSetAt: null,
  theme: withThemeDefaults({}),
  branding: withBrandingDefaults({}),
  settings: withSettingsDefaults({}, "UTC"),
  seo: withSeoDefaults({}),
  createdAt: now,
  updatedAt: now,
  ...more
})

/** A snapshot of a page with one monitored component per name. */
export const snapshotOf = (names: ReadonlyArray<string>, more: Partial<SnapshotRows> = {}): Snapshot =>
  runSteps(snapshotSteps({
    page: pageRow(),
    groups: [],
    components: names.map((name, index) => ({
      id: ComponentId.make(`cmp_${index}`),
      pageId: PageId.make("pg_1"),
      name,
      key: `key-${index}`,
      description: null,
      group: null as GroupId | null,
      monitorIds: [MonitorId.make(`mon_${index}`)],
      aggregate: "worst",
      push: false,
      pushTtlSec: null,
      manifest: null,
      confirmations: 2,
      manual: false,
      showUptime: true,
      showResponseTimes: false,
      hidden: false,
      order: index,
      status: "operational",
      statusMessage: null,
      override: null,
      createdAt: now,
      updatedAt: now
    })),
    spans: new Map(names.map((_, index) => [
      MonitorId.make(`mon_${index}`),
      [{ state: "up" as const, startedAt: DateTime.toEpochMillis(now) - 5 * 86_400_000, endedAt: null }]
    ])),
    recorded: new Map(),
    incidents: [],
    windows: new Map(),
    responses: new Map(),
    ...more
  }, now))

/** An incident of the first component. */
export const incidentRow = (
  { updates, ...more }: Partial<Omit<PageIncident, "updates">> & { readonly updates: ReadonlyArray<string> }
): PageIncident => ({
  id: IncidentId.make("inc_1"),
  kind: "incident",
  title: "Trouble",
  status: "investigating",
  impact: "major",
  startedAt: now,
  resolvedAt: null,
  scheduledStart: null,
  scheduledEnd: null,
  components: [{ componentId: ComponentId.make("cmp_0"), status: "major_outage" }],
  aiSummary: null,
  automatic: false,
  monitorName: null,
  monitorTarget: null,
  otherNames: [],
  isCut: false,
  updates: updates.map((body, index) => ({
    id: UpdateId.make(`upd_${index}`),
    status: "investigating",
    body,
    at: now,
    ai: false,
    public: true,
    byPerson: false
  })),
  ...more
})
