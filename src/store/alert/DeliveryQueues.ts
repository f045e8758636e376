/**
 * The queues of deliveries: one row per channel, and one turn per workspace and lane. A claim takes turns, holds the queues of the
 * channels that it serves, and reads only deliveries that it takes, however many wait.
 */
import { SqlClient } from "@effect/sql"
import { DateTime, Duration, Effect, Schema } from "effect"
import type { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { type QueueLane, queueLaneNames, queueLanes } from "../../domain/alert/QueueLanes.ts"
import { longestWait } from "../../domain/alert/RetrySchedule.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { onlyInIndexOrder } from "../postgres/IndexOrder.ts"
import { exists, findSingle } from "../postgres/Queries.ts"
import { Signals } from "../postgres/Signals.ts"
import { inTransaction } from "../postgres/Transaction.ts"
import { type ClaimedQueue, claimSteps } from "./DeliveryClaim.ts"

/** Notified when deliveries become due. */
export const deliveriesSignal = "belltower_deliveries"

/** How long the queue of a channel is held. After that, another worker takes it over. */
export const lease = Duration.seconds(30)

/** Only a wrong clock schedules a delivery later. */
export const farthestWait = Duration.sum(longestWait, Duration.hours(1))

export interface ClaimRequest {
  readonly lane: QueueLane
  readonly now: DateTime.Utc
  /** About how many deliveries to take; each turn takes at least one. */
  readonly room: number
  /** The most that one workspace gets. */
  readonly perWorkspace: number
  /** Workspaces that hold their share of the slots already. */
  readonly except: ReadonlyArray<WorkspaceId>
}

/** A queue that a worker holds. */
interface HoldingQueue {
  readonly channelId: ChannelId
  heldUntil: DateTime.Utc
}

const DueAt = Schema.NullOr(Schema.DateTimeUtcFromDate)

export class DeliveryQueues extends Effect.Service<DeliveryQueues>()("belltower/DeliveryQueues", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const clock = yield* DatabaseClock
    const steps = claimSteps(sql)

    /**
     * Takes due deliveries of one lane. Workspaces take turns: of n workspaces whose turn it is, each gets an n-th of the room, and goes
     * behind the others. The queues of the channels are held for 30 s or until they are given back. Waits for nobody: rows that another
     * worker has locked are skipped.
     */
    const claim = Effect.fn("DeliveryQueues.claim")(function*({ except, lane, now, perWorkspace, room }: ClaimRequest) {
      yield* onlyInIndexOrder(sql)
      const scope = { lane: queueLanes[lane].stored, now }
      const turns = yield* steps.lockTurns(scope, room, except)
      if (turns.length === 0) return []
      const share = Math.max(1, Math.min(perWorkspace, Math.floor(room / turns.length)))
      const workspaceIds = turns.map(({ workspaceId }) => workspaceId)
      const found = yield* steps.lockQueues(scope, workspaceIds, share)
      const heldUntil = DateTime.addDuration(now, lease)
      const claimed = yield* steps.takeDeliveries(found.filter(({ locked }) => locked), share, now, heldUntil)
      yield* steps.hold(claimed, queueLanes[lane].stored)
      yield* steps.endTurns(workspaceIds, found, scope)
      return claimed
    }, inTransaction(sql))

    /** One statement, since most claims find that another runner was quicker. */
    const isReady = ({ except, lane, now }: ClaimRequest) =>
      exists(sql`
        select from delivery_turns
        where lane = ${queueLanes[lane].stored} and ready_at <= ${DateTime.toDateUtc(now)}
          and workspace_id <> all(${except}::text[])
        order by ready_at limit 1`)

    const ready = findSingle(
      Schema.Struct({ first: DueAt, retry: DueAt, slow_first: DueAt, slow_retry: DueAt, farthest: DueAt }),
      () =>
        sql`
        select ${
          sql.csv(
            queueLaneNames.map((lane) =>
              sql`nullif((select min(ready_at) from delivery_turns where lane = ${queueLanes[lane].stored}), 'infinity') as ${
                sql(lane)
              }`
            )
          )
        }, (select max(ready_at) from delivery_turns where lane = ${queueLanes.retry.stored} and ready_at < 'infinity') as farthest`
    )

    return {
      claim: (request: ClaimRequest): Effect.Effect<ReadonlyArray<ClaimedQueue>> =>
        Effect.flatMap(isReady(request), (found) => (found ? claim(request) : Effect.succeed([]))),
      /** Holds queues for another lease, and notes it in them; not those that another worker has taken over. */
      renew: Effect.fn("DeliveryQueues.renew")(function*(queues: ReadonlyArray<HoldingQueue>) {
        const until = DateTime.addDuration(yield* clock.now, lease)
        const rows = yield* sql<{ readonly channelId: ChannelId }>`
          update delivery_queues q set held_until = ${DateTime.toDateUtc(until)}
          from unnest(${queues.map(({ channelId }) => channelId)}::text[],
                      ${queues.map(({ heldUntil }) => DateTime.toDateUtc(heldUntil))}::timestamptz[]) as h (channel_id, until)
          where q.channel_id = h.channel_id and q.held_until = h.until
          returning q.channel_id as "channelId"`
        const kept = new Set(rows.map(({ channelId }) => channelId))
        for (const queue of queues) if (kept.has(queue.channelId)) queue.heldUntil = until
      }, Effect.orDie),
      /** When the next turn of each lane is ready, and when the last turn of a retry is; null when none is. */
      readyAt: ready(),
      /** Makes deliveries due now that are too far ahead, after the database's clock was wrong. */
      recall: Effect.fn("DeliveryQueues.recall")(function*(at: DateTime.Utc) {
        const now = DateTime.toDateUtc(at)
        const tooFar = DateTime.toDateUtc(DateTime.addDuration(at, farthestWait))
        const heldTooLong = DateTime.toDateUtc(DateTime.addDuration(at, Duration.times(lease, 2)))
        // Two statements, each by its partial index.
        yield* sql`
          update deliveries set due_at = ${now} where status = 'due' and attempts = 0 and due_at > ${heldTooLong}`
        yield* sql`
          update deliveries set due_at = ${now} where status = 'due' and attempts > 0 and due_at > ${tooFar}`
        yield* sql`
          with queue as (
            select channel_id from delivery_queues
            where (first_at > ${heldTooLong} and first_at < 'infinity') or (retry_at > ${tooFar} and retry_at < 'infinity')
              or held_until > ${heldTooLong}
            order by channel_id for update
          ), recalled as (
            update delivery_queues q
            set first_at = case when first_at < 'infinity' then least(first_at, ${now}) else first_at end,
                retry_at = case when retry_at > ${tooFar} and retry_at < 'infinity' then ${now} else retry_at end,
                held_until = case when held_until > ${heldTooLong} then ${now} else held_until end
            from queue where q.channel_id = queue.channel_id
            returning q.workspace_id, q.lane, q.ready_at
          )
          insert into delivery_turns as t (workspace_id, lane, ready_at)
          select workspace_id, lane, min(ready_at) from recalled group by workspace_id, lane order by workspace_id, lane
          on conflict (workspace_id, lane) do update set ready_at = least(t.ready_at, excluded.ready_at)`
      }, inTransaction(sql)),
      /** Wakes the workers of all runners. */
      notify: signals.send(deliveriesSignal)
    }
  })
}) {}
