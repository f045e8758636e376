/** A heartbeat's turn when its alarm is due: it processes the waiting pings, judges the silence, and arms the next deadline. */
import { SqlClient } from "@effect/sql"
import { DateTime, Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import type { CheckSummary } from "../../schema/check/Check.ts"
import { instant } from "../../schema/Fields.ts"
import { CheckId } from "../../schema/Ids.ts"
import type { HeartbeatTarget } from "../../schema/monitor/kinds/heartbeat.ts"
import type { Observation } from "../../schema/monitor/Machine.ts"
import { checkSummary } from "../../src/domain/check/CheckView.ts"
import { makeId } from "../../src/domain/Id.ts"
import { isCalm, takeTurn } from "../../src/domain/monitor/Heartbeat.ts"
import type { Step } from "../../src/domain/monitor/MonitorMachine.ts"
import { Alarms } from "../../src/store/Alarms.ts"
import { Checks } from "../../src/store/check/Checks.ts"
import { Heartbeats } from "../../src/store/monitor/Heartbeats.ts"
import { Listening } from "../../src/store/monitor/Listening.ts"
import type { MonitorWithMachine } from "../../src/store/monitor/Monitors.ts"
import { DatabaseClock } from "../../src/store/postgres/DatabaseClock.ts"
import { LostRace } from "../LostRace.ts"

/** Writes the result of a turn in its transaction; false when another writer came first. */
type Conclude = (step: Step, lastCheck: CheckSummary | null) => Effect.Effect<boolean>

export const makeHeartbeatTurn = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const alarms = yield* Alarms
  const checks = yield* Checks
  const heartbeats = yield* Heartbeats
  const listening = yield* Listening
  const clock = yield* DatabaseClock

  /** Writes the check row of a missed ping. */
  const record = ({ workspaceId }: MonitorWithMachine, check: Observation) =>
    checks.insert([{ counted: true, result: { ...check, workspaceId, timings: null, evidence: null } }])

  const take = Effect.fn("Heartbeat.turn")(
    function*(actor: MonitorWithMachine, target: HeartbeatTarget, conclude: Conclude) {
      const { id, workspaceId } = actor
      const heard = yield* heartbeats.hear(workspaceId, id, actor.machine.revision)
      if (Option.isNone(heard)) return yield* alarms.arm("monitor", workspaceId, id, null)
      const { lastCheck, more, news, pulse } = heard.value
      const now = yield* clock.now
      const { deadline, missed, step } = takeTurn(actor.machine, {
        target,
        rules: actor,
        pulse,
        news,
        listeningSince: DateTime.toEpochMillis(yield* listening.since(now)),
        now: DateTime.toEpochMillis(now),
        missed: (at) => ({
          checkId: CheckId.make(makeId("chk", at, randomBytes(10))),
          monitorId: id,
          revision: actor.machine.revision
        })
      })
      if (missed !== null) yield* record(actor, missed)
      yield* heartbeats.settle(workspaceId, id, isCalm(step.machine.state) && !more)
      yield* alarms.arm("monitor", workspaceId, id, more ? now : deadline === null ? null : instant(deadline))
      // Last: it may hold the lock of the workspace's events.
      if (!(yield* conclude(step, missed === null ? lastCheck : checkSummary(missed)))) return yield* new LostRace()
    },
    sql.withTransaction
  )

  /** One turn in one transaction; false when another writer came first and nothing was written. */
  return (actor: MonitorWithMachine, target: HeartbeatTarget, conclude: Conclude): Effect.Effect<boolean> =>
    take(actor, target, conclude).pipe(
      Effect.as(true),
      Effect.catchTag("LostRace", () => Effect.succeed(false)),
      Effect.orDie
    )
})
