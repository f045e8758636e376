/** The rows of deliveries that need no queue: tests of channels, and old deliveries. */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { ChannelType } from "../../../schema/alert/Channel.ts"
import { Event, type WorkspaceEvent } from "../../../schema/event/Event.ts"
import { ChannelId, DeliveryId, type EventId, type WorkspaceId } from "../../../schema/Ids.ts"
import { makeId } from "../../domain/tools/Id.ts"
import { EventLog } from "../event/EventLog.ts"
import { findOne, findSingle } from "../postgres/Queries.ts"
import { OtherSettings } from "./Channels.ts"
import type { HeldDelivery } from "./DeliveryClaim.ts"
import { lease } from "./DeliveryQueues.ts"

const retention = Duration.days(30)

/** The rows deleted in one statement. More would hold locks for too long. */
const pruneBatch = 1000

const ChannelFields = {
  type: ChannelType,
  enabled: Schema.Boolean,
  url: Schema.NullOr(Schema.String),
  settings: OtherSettings,
  sealed: Schema.NullOr(Schema.String)
}

export class Deliveries extends Effect.Service<Deliveries>()("belltower/Deliveries", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const events = yield* EventLog

    const channelForTest = findOne(
      Schema.Struct({ id: ChannelId, name: Schema.String, ...ChannelFields }),
      (workspaceId: WorkspaceId, channelId: ChannelId) =>
        sql`
        select id, name, type, enabled, url, settings, sealed from channels
        where workspace_id = ${workspaceId} and id = ${channelId} for key share`
    )

    const recorded = findSingle(
      Schema.Struct({ ...Event.fields, at: Schema.DateTimeUtcFromDate }),
      (workspaceId: WorkspaceId, eventId: EventId) =>
        sql`
        update events set fanned_out = true where workspace_id = ${workspaceId} and id = ${eventId}
        returning id, type, at, data`
    )

    const insert = Effect.fn("Deliveries.insert")(function*(delivery: HeldDelivery, now: DateTime.Utc) {
      yield* sql`
        insert into deliveries (id, workspace_id, event_id, channel_id, body, status, due_at, created_at)
        values (${delivery.id}, ${delivery.workspaceId}, ${delivery.eventId}, ${delivery.channelId}, ${delivery.body}, 'due',
                ${DateTime.toDateUtc(delivery.heldUntil)}, ${DateTime.toDateUtc(now)})`
    })

    /**
     * Records `test.ping` and its one delivery, which is held for the caller's attempt. `render` creates the body. None when
     * the channel does not exist.
     */
    const recordTest = Effect.fn("Deliveries.recordTest")(function*(
      workspaceId: WorkspaceId,
      channelId: ChannelId,
      now: DateTime.Utc,
      render: (type: ChannelType, event: WorkspaceEvent) => string
    ) {
      const found = yield* channelForTest(workspaceId, channelId)
      if (Option.isNone(found)) return Option.none<HeldDelivery>()
      const { id, name, ...channel } = found.value
      const message = `This is a test of the alert channel ${name}. Nothing is wrong.`
      const [eventId] = yield* events.append(workspaceId, [{ type: "test.ping", data: { message, channel: { id, name } } }])
      if (eventId === undefined) return Option.none<HeldDelivery>()
      const event = yield* recorded(workspaceId, eventId)
      const delivery: HeldDelivery = {
        ...channel,
        id: DeliveryId.make(makeId("dlv", DateTime.toEpochMillis(now), randomBytes(10))),
        workspaceId,
        channelId,
        eventId,
        body: render(channel.type, { workspaceId, ...event }),
        closesAlert: false,
        attempts: 0,
        heldUntil: DateTime.addDuration(now, lease)
      }
      yield* insert(delivery, now)
      return Option.some(delivery)
    }, (work) => Effect.orDie(sql.withTransaction(work)))

    /** Deletes a batch of deliveries that finished more than 30 days before `now`. Returns whether there may be more. */
    const prune = Effect.fn("Deliveries.prune")(function*(now: DateTime.Utc) {
      const before = DateTime.toDateUtc(DateTime.subtractDuration(now, retention))
      const gone = yield* sql`
        delete from deliveries where id in (
          select id from deliveries where status <> 'due' and finished_at < ${before} limit ${pruneBatch}
        ) returning id`
      return gone.length === pruneBatch
    }, Effect.orDie)

    return { recordTest, prune }
  })
}) {}
