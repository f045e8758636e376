/**
 * What a channel carries for others with the same target passes to them when it leaves the target, because it is deleted, disabled or
 * gets other settings: its open deliveries, its alerts that wait, and what it remembers of monitors that flap.
 */
import { SqlClient, SqlSchema } from "@effect/sql"
import { DateTime, Effect, Schema } from "effect"
import { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { quietUntil } from "../../domain/alert/QuietHours.ts"
import { withTargetOf } from "../../domain/alert/SharedTargets.ts"
import { eventsSignal } from "../event/EventLog.ts"
import { DatabaseClock } from "../postgres/DatabaseClock.ts"
import { Signals } from "../postgres/Signals.ts"
import { holdFanOut } from "./FanOutClaim.ts"
import { ListeningChannel, listeningColumns } from "./ListeningChannel.ts"
import { handOverDeliveries } from "./SharedDeliveries.ts"
import { handOverGroup, handOverQuiet, handOverStreaks } from "./SharedWaitingAlerts.ts"
import { waitingAlertsSignal } from "./WaitingAlertsSignal.ts"

type Heir = typeof ListeningChannel.Type

export const makeChannelHandOver = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* DatabaseClock
  const signals = yield* Signals

  const ofSameType = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: ChannelId }),
    Result: ListeningChannel,
    execute: ({ id, workspaceId }) =>
      sql`
      select ${listeningColumns(sql)} from channels
      where workspace_id = ${workspaceId} and (enabled or id = ${id})
        and type = (select type from channels where workspace_id = ${workspaceId} and id = ${id})
      order by id`
  })

  /**
   * The enabled channels with the target that a channel has now. Keeps back the fan-out of the workspace until the caller's
   * transaction ends: one that has read the channel before would write for it afterwards.
   */
  const heirsOf = Effect.fn("ChannelHandOver.heirsOf")(function*(workspaceId: WorkspaceId, id: ChannelId) {
    yield* holdFanOut(sql, workspaceId)
    yield* signals.send(eventsSignal, workspaceId)
    const found = yield* ofSameType({ workspaceId, id })
    const channel = found.find((one) => one.id === id)
    return channel === undefined ? [] : withTargetOf(channel, found)
  })

  /** Passes on what `heirs` share, each to the first of them. Groups before queues, as the sender of a group locks them. */
  const handOver = Effect.fn("ChannelHandOver.handOver")(
    function*(workspaceId: WorkspaceId, id: ChannelId, heirs: ReadonlyArray<Heir>) {
      if (heirs.length === 0) return
      const now = yield* clock.now
      const ids = heirs.map((heir) => heir.id)
      const ends = heirs.map(({ quietHours }) => (quietHours === null ? null : quietUntil(quietHours, now)) ?? now)
      yield* handOverGroup(sql, workspaceId, id, ids)
      yield* handOverQuiet(sql, workspaceId, id, ids, ends.map(DateTime.toDateUtc))
      yield* handOverStreaks(sql, workspaceId, id, ids)
      yield* handOverDeliveries(sql, workspaceId, id, ids)
      yield* signals.send(waitingAlertsSignal)
    }
  )

  return { heirsOf, handOver }
})
