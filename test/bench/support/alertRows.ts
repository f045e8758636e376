/** Rows of channels and deliveries for benches, written in bulk. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { WorkspaceId } from "../../../schema/Ids.ts"
import { makeId } from "../../../src/domain/tools/Id.ts"
import { deliveriesSignal } from "../../../src/store/alert/DeliveryQueues.ts"

export interface BenchChannel {
  readonly id: string
  readonly workspaceId: string
}

const newIds = (prefix: string, count: number) =>
  Effect.map(DateTime.now, ({ epochMillis }) => Array.from({ length: count }, () => makeId(prefix, epochMillis, randomBytes(10))))

/** `count` webhook channels in `workspaces` new workspaces; `urlOf` gets the number of the channel. */
export const seedChannels = Effect.fn("seedChannels")(
  function*(count: number, workspaces: number, urlOf: (index: number) => string) {
    const sql = yield* SqlClient.SqlClient
    const workspaceIds = (yield* newIds("ws", workspaces)).map((id) => WorkspaceId.make(id))
    const channels = (yield* newIds("ch", count)).map((id, index): BenchChannel => ({
      id,
      workspaceId: workspaceIds[index % workspaces] ?? ""
    }))
    yield* sql`
      insert into workspaces (id, name, plan, created_at, updated_at)
      select id, 'Bench', 'self_hosted', now(), now() from unnest(${workspaceIds}::text[]) as w (id)`
    yield* sql`
      insert into channels (id, workspace_id, name, type, url, is_default, enabled, created_at, updated_at)
      select id, workspace_id, 'Bench', 'webhook', url, true, true, now(), now()
      from unnest(${channels.map(({ id }) => id)}::text[], ${channels.map(({ workspaceId }) => workspaceId)}::text[],
                  ${channels.map((_, index) => urlOf(index))}::text[]) as c (id, workspace_id, url)`
    return channels
  }
)

/** About as long as the body of a `monitor.down` event. */
const body = JSON.stringify({ type: "monitor.down", data: "x".repeat(1500) })

/** `each` deliveries for every channel, due `inSec` seconds from now; the ids of their events. */
export const seedDeliveries = Effect.fn("seedDeliveries")(
  function*(channels: ReadonlyArray<BenchChannel>, each: number, inSec = 0) {
    const sql = yield* SqlClient.SqlClient
    const batch = Math.max(1, Math.floor(20_000 / each))
    for (let from = 0; from < channels.length; from += batch) {
      const targets = channels.slice(from, from + batch)
      const ids = yield* newIds("dlv", targets.length * each)
      const events = yield* newIds("evt", targets.length * each)
      yield* sql`
        insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
        select id, workspace_id, event_id, channel_id, ${body}, 'due', now() + make_interval(secs => ${inSec}), now()
        from unnest(${ids}::text[], ${events}::text[], ${
        ids.map((_, i) => targets[i % targets.length]?.workspaceId ?? "")
      }::text[],
                    ${
        ids.map((_, i) => targets[i % targets.length]?.id ?? "")
      }::text[]) as d (id, event_id, workspace_id, channel_id)`
    }
  }
)

/** Adds one delivery, as a fan-out does; returns the id of its event. */
export const freshDelivery = Effect.fn("freshDelivery")(function*(channel: BenchChannel) {
  const sql = yield* SqlClient.SqlClient
  const [id = ""] = yield* newIds("dlv", 1)
  const [eventId = ""] = yield* newIds("evt", 1)
  yield* sql`
    insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
    values (${id}, ${channel.workspaceId}, ${eventId}, ${channel.id}, ${body}, 'due', now(), now())`
  yield* sql`select pg_notify(${deliveriesSignal}, '')`
  return eventId
})
