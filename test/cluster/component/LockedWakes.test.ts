/** A workspace that somebody has locked holds up the alarms of its own components, and none of others. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { ManageComponents } from "../../../src/operations/component/ManageComponents.ts"
import { ManageMonitors } from "../../../src/operations/monitor/ManageMonitors.ts"
import { ManagePages } from "../../../src/operations/page/ManagePages.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { lockWorkspace } from "../../support/database/LockedWorkspace.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { until } from "../../support/time/Until.ts"

/** If each waited for as long as any statement may, the runner would wait for most of a minute for them. */
const population = 30

/** Makes the alarms of a workspace's components due. */
const wakeAll = (workspaceId: WorkspaceId) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.zipRight(
      sql`
      insert into alarms (kind, id, workspace_id, due_at)
      select 'component', id, workspace_id, now() from components where workspace_id = ${workspaceId}
      on conflict (kind, id) do update set due_at = excluded.due_at`,
      sql`select pg_notify('belltower_alarms', '')`
    ))

const moveTo = (workspaceId: WorkspaceId, state: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.zipRight(
      sql`
      update monitor_states set state = ${state}
      where monitor_id in (select id from monitors where workspace_id = ${workspaceId})`,
      wakeAll(workspaceId)
    ))

const changes = (workspaceId: WorkspaceId) =>
  Effect.flatMap(
    EventLog,
    (log) =>
      Effect.map(log.after(workspaceId, "", ["component.status_changed"], 100), (events) => events.map(({ data }) => data["to"]))
  )

/** Components that follow a monitor, and have announced their first status. */
const setUp = (count: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { id: workspaceId } = yield* newWorkspace
    const page = yield* Effect.flatMap(ManagePages, (pages) => pages.create(workspaceId, { name: "Acme" }))
    const { id } = yield* Effect.flatMap(ManageMonitors, (manage) =>
      manage.create(workspaceId, { name: "Shop", url: "https://shop.test/" }))
    for (let n = 0; n < count; n++) {
      yield* Effect.flatMap(ManageComponents, (manage) =>
        manage.create(workspaceId, page.id, { name: `API ${n}`, monitorIds: [id] }))
    }
    yield* moveTo(workspaceId, "up")
    yield* until(
      sql`select 1 from component_states where workspace_id = ${workspaceId} and status = 'operational'`,
      ({ length }) =>
        length === count
    )
    return workspaceId
  })

layer(TestRunner, { excludeTestServices: true })((it) => {
  it.effect(
    "while the components of a locked workspace wait, others announce their changes; each announces its own once, later",
    () =>
      Effect.gen(function*() {
        const [locked, other] = [yield* setUp(population), yield* setUp(1)]
        const before = [yield* changes(locked), yield* changes(other)]
        const unlock = yield* lockWorkspace(locked)
        yield* moveTo(locked, "down")
        const sql = yield* SqlClient.SqlClient
        yield* until(sql`select 1 from pg_locks where not granted`, ({ length }) => length > 0)
        yield* moveTo(other, "down")
        yield* until(changes(other), ({ length }) => length > before[1]!.length, "25 seconds")
        expect(yield* changes(locked)).toEqual(before[0])
        yield* unlock
        const all = yield* until(changes(locked), ({ length }) => length >= before[0]!.length + population)
        expect(all.slice(before[0]!.length)).toEqual(Array.from({ length: population }, () => "major_outage"))
        yield* until(
          sql`select 1 from alarms where kind = 'component' and workspace_id = ${locked}`,
          ({ length }) => length === 0
        )
        expect(yield* changes(locked)).toEqual(all)
      }),
    120_000
  )
})
