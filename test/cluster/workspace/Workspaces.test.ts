/** The deletion of a workspace: atomic, announced to the probes, and never applied to a workspace claimed in the meantime. */
import { SqlClient } from "@effect/sql"
import { assert, expect, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { WorkspaceUpkeep } from "../../../cluster/workspace/WorkspaceUpkeep.ts"
import { ApiKeyId, ChannelId, type MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { Bus } from "../../../src/bus/Bus.ts"
import { DefaultRegion } from "../../../src/operations/check/DefaultRegion.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { AlarmKind, Alarms } from "../../../src/store/Alarms.ts"
import { Backlog } from "../../../src/store/Backlog.ts"
import { mint } from "../../../src/store/Mint.ts"
import { Pages } from "../../../src/store/page/Pages.ts"
import { PlannedMonitors } from "../../../src/store/plan/PlannedMonitors.ts"
import { DeletedWorkspaces } from "../../../src/store/workspace/DeletedWorkspaces.ts"
import { WorkspaceRemoval } from "../../../src/store/workspace/WorkspaceRemoval.ts"
import { Workspaces } from "../../../src/store/workspace/Workspaces.ts"
import { Ground, newWorkspace, resultOf, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

/** All tables that still contain rows of a workspace, new tables included. Checks are not: they leave with their partitions. */
const remains = Effect.fn("remains")(function*(workspaceId: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE'
      and c.table_name not like 'checks%'`
  assert.isAbove(tables.length, 15)
  const found = yield* Effect.forEach(
    tables,
    ({ name }) =>
      Effect.map(
        sql`select 1 from ${sql(name)} where workspace_id = ${workspaceId} limit 1`,
        (rows) => rows.length === 0 ? [] : [name]
      )
  )
  return found.flat().sort()
})

const monitor = (name: string) => ({ name, url: "https://shop.test/" })

/** A workspace with rows in every table. */
const furnished = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { id } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const shop = yield* manage.create(id, monitor("Shop"))
  const beat = yield* manage.create(id, { name: "Backup", periodSec: 3600 })
  const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(id, { name: "Status" }))
  yield* Effect.flatMap(
    ManageComponents,
    (components) => components.create(id, page.id, { name: "Shop", monitorIds: [shop.id], group: "Web" })
  )
  const channelId = yield* mint("ch", ChannelId)
  yield* sql`
    insert into channels (id, workspace_id, name, type, is_default, enabled, created_at, updated_at)
    values (${channelId}, ${id}, 'Ops', 'webhook', true, true, now(), now())`
  yield* sql`
    insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
    values (${`dlv_${id}`}, ${id}, 'evt_1', ${channelId}, '{}', 'due', now() + interval '1 day', now())`
  yield* sql`insert into users (id, email, created_at, updated_at) values (${`usr_${id}`}, ${`${id}@example.com`}, now(), now())`
  yield* sql`
    insert into memberships (workspace_id, user_id, role, created_at) values (${id}, ${`usr_${id}`}, 'owner', now())`
  yield* sql`
    insert into sessions (id, user_id, token_hash, workspace_id, via, created_at, expires_at, last_seen_at)
    values (${`ses_${id}`}, ${`usr_${id}`}, ${Buffer.from(id)}, ${id}, 'email', now(), now() + interval '1 day', now())`
  yield* sql`insert into live_watchers (watcher, workspace_id, until) values ('here', ${id}, now() + interval '1 day')`
  yield* Effect.flatMap(Alarms, (alarms) => alarms.arm("monitor", id, beat.id, DateTime.unsafeMake("2999-01-01T00:00:00Z")))
  yield* Effect.flatMap(
    Bus,
    (bus) =>
      bus.report([1, 2, 3].map((slot) => resultOf({ id: shop.id, workspaceId: id, revision: 1 }, slot, { outcome: "down" })))
  )
  yield* until(remains(id), (tables) => tables.includes("incidents"))
  return { id, shop, page }
})

/** The server processes that wait for a lock in a matching statement. */
const waitingIn = Effect.fn("waitingIn")(function*(statement: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${statement}%`} and pid <> pg_backend_pid()`
  return rows.map(({ pid }) => pid)
})

/** Runs an effect while another transaction has run `first` but not committed. */
const whileHeld = <A, E, E2, R, R2>(first: Effect.Effect<unknown, E2, R2>, then: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const held = yield* Deferred.make<void>()
    const done = yield* Deferred.make<void>()
    const other = yield* Effect.fork(
      sql.withTransaction(Effect.all([first, Deferred.succeed(held, undefined), Deferred.await(done)]))
    )
    yield* Deferred.await(held)
    const answer = yield* then
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(other)
    return answer
  })

/** Waits until a probe of the region is assigned matching monitors. */
const assigned = Effect.fn("assigned")(function*(fits: (ids: ReadonlySet<string>) => boolean) {
  const region = yield* DefaultRegion
  const bus = yield* Bus
  const ids = new Set<string>()
  yield* bus.share(region).pipe(
    Stream.tap((signal) =>
      Effect.sync(() => {
        if (signal._tag !== "Changed") return
        if (signal.change.assignment === null) ids.delete(signal.change.monitorId)
        else ids.add(signal.change.monitorId)
      })
    ),
    Stream.takeUntil(() => fits(ids)),
    Stream.runDrain,
    Effect.timeout("10 seconds")
  )
})

const remove = (id: WorkspaceId) => Effect.flatMap(WorkspaceRemoval, (removal) => removal.remove(id))

const exists = (id: WorkspaceId) =>
  Effect.map(Effect.flatMap(Workspaces, (workspaces) => workspaces.get(id)), (one) => one._tag === "Some")

layer(TestRunner, { excludeTestServices: true })("the deletion of a workspace", (it) => {
  it.effect("leaves no row of it in any table, and withdraws its monitors from the probes", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id, shop } = yield* furnished
      const neighbour = yield* furnished
      expect(yield* remove(id)).toBe(true)
      expect(yield* exists(id)).toBe(false)
      yield* until(remains(id), (tables) => tables.length === 0)
      // The person stays, without the workspace.
      expect(yield* sql`select workspace_id from sessions where id = ${`ses_${id}`}`).toEqual([{ workspace_id: null }])
      expect(yield* exists(neighbour.id)).toBe(true)
      expect(yield* remains(neighbour.id)).toContain("monitors")
      yield* assigned((ids) => ids.has(neighbour.shop.id) && !ids.has(shop.id))
      expect(yield* remove(id)).toBe(false)
    }))

  it.effect("pauses everything of one that can be restored, and a restore resumes it without old alerts or false ones", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const deleted = yield* DeletedWorkspaces
      const { id, page, shop } = yield* furnished
      const old = yield* Effect.flatMap(ManageMonitors, (manage) => manage.create(id, { ...monitor("Old"), paused: true }))
      yield* sql`update heartbeats set expected_from = now() - interval '3 days' where workspace_id = ${id}`
      const { token } = yield* Effect.flatten(deleted.put(id, { _tag: "Key", keyId: ApiKeyId.make("key_1") }))
      const stateOf = Effect.map(
        sql<{ readonly state: string; readonly incident: string | null }>`
          select state, incident_id as incident from monitor_states where monitor_id = ${shop.id}`,
        ([row]) => row
      )
      yield* until(stateOf, (row) => row?.state === "paused" && row.incident === null)
      yield* assigned((ids) => !ids.has(shop.id))
      const waiting = yield* sql`
        select id from deliveries where workspace_id = ${id} and status = 'due'
        union all select id from events where workspace_id = ${id} and not fanned_out
        union all select id from alarms where workspace_id = ${id} and kind in ('monitor', 'incident')
        union all select id from mails where workspace_id = ${id} and status = 'due'`
      expect(waiting).toEqual([])
      // An actor may still be at work on an alarm that it took before the deletion.
      const armed = sql`select id from alarms where workspace_id = ${id} and kind = any(${[...AlarmKind.literals]}::text[])`
      yield* until(armed, (found) => found.length === 0)
      // Alarms that are set aside are not late: no alert about timers, and the dead man's switch goes on.
      yield* sql`update alarms set due_at = now() - interval '3 days' where workspace_id = ${id}`
      const { alarms } = yield* Effect.flatMap(Backlog, ({ ages }) => ages)
      expect(alarms).toBeLessThan(86_400)
      expect((yield* Effect.flatMap(Pages, (pages) => pages.findAt(page.slug)))._tag).toBe("None")
      expect(yield* Effect.map(deleted.put(id, { _tag: "Key", keyId: ApiKeyId.make("key_1") }), (one) => one._tag)).toBe("None")

      yield* Effect.flatten(deleted.restore(id, { token: token ?? "" }))
      yield* assigned((ids) => ids.has(shop.id) && !ids.has(old.id))
      yield* until(stateOf, (row) => row?.state === "pending")
      const monitors = yield* sql`select id, paused from monitors where workspace_id = ${id} and name <> 'Backup' order by id`
      expect(monitors).toEqual([{ id: shop.id, paused: false }, { id: old.id, paused: true }])
      // The heartbeat waits from now on, under the token that it had.
      const beats = yield* sql`
        select length(token_hash) as length, expected_from > now() - interval '1 minute' as fresh from heartbeats
        where workspace_id = ${id}`
      expect(beats).toEqual([{ length: 32, fresh: true }])
      expect((yield* Effect.flatMap(Pages, (pages) => pages.findAt(page.slug)))._tag).toBe("Some")
      expect(yield* sql`select id from deliveries where workspace_id = ${id} and status = 'due'`).toEqual([])
    }))

  it.effect("is for good once it can no longer be restored, in pieces", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const deleted = yield* DeletedWorkspaces
      const removal = yield* WorkspaceRemoval
      const { id } = yield* furnished
      yield* deleted.put(id, { _tag: "Key", keyId: ApiKeyId.make("key_1") })
      expect(yield* removal.removeDeleted(id)).toBe(false)
      yield* sql`update workspaces set deleted_at = now() - interval '8 days' where id = ${id}`
      expect(yield* removal.deleted(10)).toContain(id)
      expect(yield* removal.removeDeleted(id)).toBe(true)
      yield* until(remains(id), (tables) => tables.length === 0)
    }))

  it.effect("is rolled back as a whole when it fails halfway, and completes the next time", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id, page } = yield* furnished
      const before = yield* remains(id)
      // Its last statement waits for this lock: everything before it has run by then.
      const removal = yield* whileHeld(
        sql`select 1 from pages where id = ${page.id} for update`,
        Effect.gen(function*() {
          const removal = yield* Effect.fork(Effect.exit(remove(id)))
          const [victim] = yield* until(waitingIn("delete from workspaces"), (pids) => pids.length === 1)
          yield* sql`select pg_terminate_backend(${victim ?? 0})`
          return removal
        })
      )
      expect(Exit.isFailure(yield* Fiber.join(removal))).toBe(true)
      expect(yield* remains(id)).toEqual(before)
      expect(yield* remove(id)).toBe(true)
      yield* until(remains(id), (tables) => tables.length === 0)
    }))

  it.effect("succeeds while its monitors are being edited, deleted and checked", () =>
    Effect.gen(function*() {
      const { id } = yield* newWorkspace
      const manage = yield* ManageMonitors
      const bus = yield* Bus
      const made = yield* Effect.forEach(["a", "b", "c", "d"], (name) => manage.create(id, monitor(name)))
      const busy = Effect.forEach(made, (one, index) =>
        Effect.all([
          Effect.exit(manage.update(id, one.id, { name: "Edited" })),
          bus.report(
            [1, 2, 3].map((slot) =>
              resultOf({ id: one.id, workspaceId: id, revision: 1 }, slot, { outcome: index === 0 ? "up" : "down" })
            )
          ),
          index % 2 === 0 ? Effect.exit(manage.remove(id, one.id)) : Effect.void
        ], { concurrency: "unbounded" }), { concurrency: "unbounded" })
      const [, removed] = yield* Effect.all([busy, remove(id)], { concurrency: "unbounded" })
      expect(removed).toBe(true)
      yield* until(remains(id), (tables) => tables.filter((table) => !table.startsWith("checks")).length === 0)
    }))
})

/** A workspace on the plan Free that already has this many monitors. */
const onFree = Effect.fn("onFree")(function*(monitors: number) {
  const sql = yield* SqlClient.SqlClient
  const { id } = yield* newWorkspace
  const manage = yield* ManageMonitors
  const first = yield* manage.create(id, { ...monitor("First"), intervalSec: 10 })
  yield* sql`
    insert into monitors select (jsonb_populate_record(m, jsonb_build_object('id', m.id || n))).*
    from monitors m, generate_series(2, ${monitors}::int) n where m.id = ${first.id}`
  yield* sql`update workspaces set plan = 'free' where id = ${id}`
  return { id, first }
})

/** The results of three that start at the same time. */
const atOnce = <A, E extends { readonly _tag: string }, R>(one: Effect.Effect<A, E, R>) => {
  const outcome = Effect.match(one, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "made" })
  return Effect.map(Effect.all([outcome, outcome, outcome], { concurrency: "unbounded" }), (all) => all.sort())
}

layer(TestRunner, { excludeTestServices: true })("the plan of a workspace", (it) => {
  it.effect("lets exactly one of many concurrent requests take the last slot", () =>
    Effect.gen(function*() {
      const { id } = yield* onFree(49)
      const manage = yield* ManageMonitors
      const pages = yield* ManagePages
      expect(yield* atOnce(manage.create(id, monitor("Last")))).toEqual(["made", "plan_limit", "plan_limit"])
      expect(yield* atOnce(pages.create(id, { name: "Status" }))).toEqual(["made", "plan_limit", "plan_limit"])
    }))

  it.effect("does not count the monitor of a drill that runs, and no document lists it", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { first, id } = yield* onFree(50)
      const manage = yield* ManageMonitors
      const drill = (workspaceId: WorkspaceId, monitorId: MonitorId) =>
        sql`
        insert into drills (id, workspace_id, monitor_id, status, stages, deliveries, paged, created_at, deadline_at)
        values (${`drill ${monitorId}`}, ${workspaceId}, ${monitorId}, 'running', '[]', '[]', '[]', now(), now())`
      yield* drill(id, first.id)
      yield* manage.create(id, monitor("Last"))
      expect(yield* Effect.flip(manage.create(id, monitor("One more")))).toMatchObject({ _tag: "plan_limit" })
      const { id: other } = yield* newWorkspace
      const [kept, drilled] = [yield* manage.create(other, monitor("Kept")), yield* manage.create(other, monitor("[Drill]"))]
      yield* drill(other, drilled.id)
      const { outlines } = yield* PlannedMonitors
      expect((yield* outlines(other, 100)).map((one) => one.id)).toEqual([kept.id])
    }).pipe(Effect.provide(PlannedMonitors.Default)))

  it.effect(
    "rejects faster checks, more regions and domains with the plan that allows them, in an edit too",
    () =>
      Effect.gen(function*() {
        const { first, id } = yield* onFree(1)
        const manage = yield* ManageMonitors
        const pages = yield* ManagePages
        const fast = yield* Effect.flip(manage.create(id, { ...monitor("Fast"), intervalSec: 30 }))
        expect(fast).toMatchObject({ _tag: "plan_limit", details: { upgrade: { plan: "starter", name: "Starter" } } })
        const slow = yield* manage.create(id, monitor("Slow"))
        const edit = yield* Effect.flip(manage.update(id, slow.id, { intervalSec: 20 }))
        expect(edit).toMatchObject({ _tag: "plan_limit", details: { upgrade: { plan: "business", name: "Business" } } })
        const domain = yield* Effect.flip(pages.create(id, { name: "Status", customDomain: "status.example.com" }))
        expect(domain).toMatchObject({ _tag: "plan_limit", message: "The Free plan allows no custom domains" })
        // The plan shrank: what exists stays and can be edited.
        expect(yield* manage.update(id, first.id, { name: "Renamed" })).toMatchObject({ name: "Renamed", intervalSec: 10 })
        expect(yield* manage.update(id, first.id, { intervalSec: 30 })).toMatchObject({ intervalSec: 30 })
      })
  )
})

layer(Ground, { excludeTestServices: true })("a workspace that nobody claims", (it) => {
  const unclaimed = Effect.map(
    Effect.flatMap(Workspaces, (workspaces) => workspaces.create({ name: "Test", agentName: "test", plan: "self_hosted" })),
    ({ workspace }) => workspace
  )
  const expire = (id: WorkspaceId) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`update workspaces set expires_at = now() - interval '1 second' where id = ${id}`
    )
  const claim = (id: WorkspaceId) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`update workspaces set claimed_at = now(), expires_at = null where id = ${id}`
    )

  it.scoped(
    "is deleted after 7 days; one that is claimed, paid for or not yet expired stays",
    () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const [over, young, claimed, paid] = yield* Effect.all([unclaimed, unclaimed, unclaimed, unclaimed])
        assert.strictEqual(DateTime.distance(young.createdAt, young.expiresAt), 7 * 86_400_000)
        yield* Effect.forEach([over.id, claimed.id, paid.id], expire)
        yield* claim(claimed.id)
        yield* sql`update workspaces set stripe_subscription_id = 'sub_1' where id = ${paid.id}`
        yield* Layer.build(WorkspaceUpkeep)
        yield* until(exists(over.id), (there) => !there)
        expect(yield* Effect.forEach([young.id, claimed.id, paid.id], exists)).toEqual([true, true, true])
        const upkept = yield* Effect.flatMap(Workspaces, (workspaces) => Effect.flatten(workspaces.get(claimed.id)))
        expect(upkept).toMatchObject({ claimed: true, expiresAt: null })
      })
  )

  it.effect("stays when it is claimed at the moment of its deletion", () =>
    Effect.gen(function*() {
      const removal = yield* WorkspaceRemoval
      const { id } = yield* unclaimed
      yield* expire(id)
      const removing = yield* whileHeld(
        claim(id),
        Effect.gen(function*() {
          const removing = yield* Effect.fork(removal.removeUnclaimed(id))
          yield* until(waitingIn("from workspaces"), (pids) => pids.length === 1)
          return removing
        })
      )
      expect(yield* Fiber.join(removing)).toBe(false)
      expect(yield* exists(id)).toBe(true)
    }))
})
