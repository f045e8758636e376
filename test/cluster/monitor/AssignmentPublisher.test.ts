/** The order in which edits, deletions and the replay of all assignments reach the probes, and how much travels at a time. */
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import * as Runner from "../../../cluster/Runner.ts"
import type { AssignmentChange } from "../../../schema/check/Bus.ts"
import { RegionId } from "../../../schema/check/Region.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { Bus, type BusUnavailable, busUnavailable, type Publication } from "../../../src/bus/Bus.ts"
import { LocalBus } from "../../../src/bus/LocalBus.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { Regions } from "../../../src/store/check/Regions.ts"
import { Signals } from "../../../src/store/postgres/Signals.ts"
import { cellOf } from "../../../src/store/SealedColumns.ts"
import { Vault } from "../../../src/store/Vault.ts"
import { WorkspaceRemoval } from "../../../src/store/workspace/WorkspaceRemoval.ts"
import { groundOn, newWorkspace } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

/** Every batch of assignments in the order in which the bus got it. */
class Batches extends Context.Tag("test/Batches")<Batches, Array<ReadonlyArray<AssignmentChange>>>() {}

/** A bus that records what it is given, and accepts nothing else while `gate` says so. */
const recordingBus = (gate: Effect.Effect<void, BusUnavailable>, isHeld: (changes: ReadonlyArray<Publication>) => boolean) => {
  const batches: Array<ReadonlyArray<AssignmentChange>> = []
  const bus = Layer.effect(
    Bus,
    Effect.map(Bus, (real) => ({
      ...real,
      assign: (changes: ReadonlyArray<Publication>) => {
        batches.push(changes)
        return Effect.zipRight(isHeld(changes) ? gate : Effect.void, real.assign(changes))
      }
    }))
  ).pipe(Layer.provide(LocalBus.layer))
  return Layer.merge(
    groundOn(bus).pipe((ground) => ManageMonitors.Default.pipe(Layer.provideMerge(ground))),
    Layer.succeed(Batches, batches)
  )
}

const create = (workspaceId: WorkspaceId, input: object = {}) =>
  Effect.flatMap(ManageMonitors, (manage) => manage.create(workspaceId, { name: "Shop", url: "https://shop.test/", ...input }))

/** Copies a monitor, and empties the outbox. */
const multiply = Effect.fn("multiply")(function*(id: string, copies: number) {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`workspace_id, name, description, kind, target, sealed, interval_sec, timeout_ms, failure_threshold,
    recovery_threshold, channel_ids, reminder_minutes, ai, tags, paused, regions, revision, created_at, updated_at`)
  yield* sql`insert into monitors (id, ${columns}) select left(id, 20) || lpad(n::text, 10, '0'), ${columns}
    from monitors, generate_series(1, ${copies}) n where id = ${id}`
  yield* sql`insert into monitor_states (monitor_id, workspace_id, version, state, state_since, machine)
    select m.id, m.workspace_id, 1, s.state, s.state_since, s.machine from monitors m, monitor_states s
    where m.id like ${`${id.slice(0, 20)}%`} and m.id <> ${id} and s.monitor_id = ${id}`
  yield* sql`delete from assignment_outbox`
})

/** Seals the secrets of the copies, too: those of another row do not open. */
const sealEach = Effect.fn("sealEach")(function*(id: string) {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const rows = yield* sql<{ readonly id: string; readonly sealed: string }>`
    select copy.id, m.sealed from monitors m join monitors copy on copy.sealed = m.sealed and copy.id <> m.id where m.id = ${id}`
  for (const row of rows) {
    const text = yield* vault.unseal(cellOf("monitors.sealed", id), row.sealed)
    const sealed = yield* vault.seal(cellOf("monitors.sealed", row.id), text)
    yield* sql`update monitors set sealed = ${sealed} where id = ${row.id}`
  }
})

const waiting = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.map(sql<{ readonly left: number }>`select count(*)::int as left from assignment_outbox`, ([row]) => row?.left ?? 0)
)

const idsOf = (changes: ReadonlyArray<AssignmentChange> | undefined) => changes?.map(({ monitorId }) => monitorId) ?? []

it.scopedLive(
  "an edit that waits behind 5,000 deletions and 1,000 assignments to repeat is published before any of them",
  () =>
    Effect.gen(function*() {
      const theirs = (yield* newWorkspace).id
      const crowd = (yield* newWorkspace).id
      const mine = (yield* newWorkspace).id
      yield* multiply((yield* create(theirs)).id, 5000)
      yield* multiply((yield* create(crowd)).id, 1000)
      yield* Effect.flatMap(WorkspaceRemoval, (removal) => removal.remove(theirs))
      const { id } = yield* create(mine)
      expect(yield* waiting).toBe(5002)
      const batches = yield* Batches
      yield* Layer.build(Runner.layer)
      yield* until(waiting, (left) => left === 0)
      expect(idsOf(batches[0])).toContain(id)
      expect(batches[0]?.length).toBeLessThanOrEqual(2)
      const deletions = batches.slice(1).filter((changes) => changes.every(({ assignment }) => assignment === null))
      expect(deletions.flatMap(idsOf)).toHaveLength(5001)
      yield* until(Effect.sync(() => batches.flatMap(idsOf).length), (sent) => sent >= 1 + 5001 + 1002)
    }).pipe(Effect.provide(recordingBus(Effect.void, () => false))),
  120_000
)

it.scopedLive("an edit is published while deletions and repeated assignments are stuck on the bus", () =>
  Effect.gen(function*() {
    const mine = (yield* newWorkspace).id
    const theirs = (yield* newWorkspace).id
    const { id } = yield* create(mine)
    yield* multiply((yield* create(theirs)).id, 600)
    yield* Effect.flatMap(WorkspaceRemoval, (removal) => removal.remove(theirs))
    const batches = yield* Batches
    yield* Layer.build(Runner.layer)
    const isStuck = Effect.sync(() => batches.some((changes) => changes[0]?.assignment === null))
    yield* until(isStuck, (stuck) => stuck)
    yield* Effect.flatMap(ManageMonitors, (manage) => manage.update(mine, id, { intervalSec: 30 }))
    const published = Effect.sync(() =>
      batches.some((changes) => changes.some(({ assignment }) => assignment?.intervalSec === 30))
    )
    yield* until(published, (done) => done)
  }).pipe(
    Effect.provide(
      recordingBus(Effect.never, (changes) => changes.every(({ assignment }) => assignment === null || assignment.revision === 1))
    )
  ), 60_000)

let isRefusing = true

it.scopedLive(
  "what goes to other regions is published while one takes no messages, to which it goes as soon as it does",
  () =>
    Effect.gen(function*() {
      const [eu, us] = [RegionId.make("eu"), RegionId.make("us")]
      const known = yield* Regions
      yield* Effect.forEach([eu, us], (id) => known.heard(id, DateTime.unsafeMake(0)), { discard: true })
      const { id: workspaceId } = yield* newWorkspace
      const manage = yield* ManageMonitors
      const [edited, deleted] = [yield* create(workspaceId, { regions: [us] }), yield* create(workspaceId, { regions: [us] })]
      const refused = yield* create(workspaceId, { regions: [eu] })
      const removed = yield* create(workspaceId, { regions: [eu] })
      yield* manage.remove(workspaceId, removed.id)
      yield* manage.remove(workspaceId, deleted.id)
      yield* Layer.build(Runner.layer)
      yield* until(waiting, (left) => left === 2)
      yield* manage.update(workspaceId, edited.id, { intervalSec: 30 })
      yield* until(waiting, (left) => left === 2)
      expect(idsOf(yield* Effect.map(Batches, (batches) => batches.flat()))).toEqual(
        expect.arrayContaining([refused, removed, edited, deleted].map(({ id }) => id))
      )
      isRefusing = false
      yield* until(waiting, (left) => left === 0)
    }).pipe(Effect.provide(
      recordingBus(
        Effect.suspend(() => isRefusing ? busUnavailable("refused") : Effect.void),
        (changes) =>
          changes.some(({ assignment, left }) => [...assignment?.regions ?? [], ...left ?? []].some((region) => region === "eu"))
      )
    )),
  60_000
)

it.scopedLive(
  "large assignments are published a few at a time, at the start and when they are edited",
  () =>
    Effect.gen(function*() {
      const mine = (yield* newWorkspace).id
      const large = yield* create(mine, { body: "\u20ac".repeat(100_000) })
      yield* multiply(large.id, 59)
      yield* sealEach(large.id)
      const sql = yield* SqlClient.SqlClient
      const batches = yield* Batches
      yield* Layer.build(Runner.layer)
      yield* until(Effect.sync(() => batches.flatMap(idsOf).length), (sent) => sent === 60)
      yield* sql`insert into assignment_outbox (monitor_id, workspace_id) select id, workspace_id from monitors`
      yield* Effect.flatMap(Signals, (signals) => signals.send("belltower_assignments", ""))
      yield* until(waiting, (left) => left === 0)
      const bytes = batches.map((changes) => Buffer.byteLength(JSON.stringify(changes)))
      expect(bytes.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(2 * 60 * 300_000)
      expect(Math.max(...bytes)).toBeLessThan(5 * 1024 * 1024)
    }).pipe(Effect.provide(recordingBus(Effect.void, () => false)))
)
