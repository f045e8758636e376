/** The beginning of a drill: its row, and the monitor that it fails and recovers. */
import { DateTime, Effect } from "effect"
import type { Drill } from "../../../schema/drill/Drill.ts"
import { Conflict } from "../../../schema/Errors.ts"
import { type ChannelId, DrillId, MonitorId, type UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import { longestDrill } from "../../domain/drill/DrillSteps.ts"
import type { MonitorSettings } from "../../domain/monitor/settings/MonitorSettings.ts"
import { Drills } from "../../store/drill/Drills.ts"
import { mint } from "../../store/Mint.ts"
import { Heartbeats } from "../../store/monitor/Heartbeats.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { DefaultRegion } from "../check/DefaultRegion.ts"

/** A heartbeat needs no target: the drill itself reports its failure and its recovery. */
const settingsOf = (channelIds: ReadonlyArray<ChannelId>): Omit<MonitorSettings, "regions"> => ({
  name: "[Drill] Test incident",
  description: "A drill. Nothing is wrong, and this monitor is deleted when the drill ends.",
  target: { kind: "heartbeat", periodSec: 86_400, graceSec: 3600 },
  secrets: { headers: {}, body: null, clientKey: null, clientSecret: null },
  channelIds,
  reminderMinutes: [],
  dependsOn: [],
  urgency: null,
  ai: false,
  tags: ["drill"],
  paused: false,
  intervalSec: 60,
  timeoutMs: 10_000,
  failureThreshold: 1,
  recoveryThreshold: 1,
  confirmAfterSec: null,
  failureRate: null
})

const oneAtATime = new Conflict({
  message: "A drill of this workspace is running",
  hint: "Wait for its end; it takes a few minutes at most"
})

/** Creates the drill with its monitor. Fails with `conflict` while another one runs. */
export const makeBeginDrill = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const drills = yield* Drills
  const monitors = yield* Monitors
  const heartbeats = yield* Heartbeats
  const clock = yield* DatabaseClock
  const region = yield* DefaultRegion

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, channelIds: ReadonlyArray<ChannelId>, person: UserId | undefined) {
    const now = yield* clock.now
    const deadlineAt = DateTime.addDuration(now, longestDrill)
    const drill: Drill = {
      id: yield* mint("drl", DrillId),
      status: "running",
      monitorId: yield* mint("mon", MonitorId),
      incidentId: null,
      stages: [],
      deliveries: [],
      paged: [],
      captured: [],
      unreached: [],
      ...(person === undefined ? {} : { person, ways: [] }),
      error: null,
      createdAt: now,
      finishedAt: null
    }
    // It counts towards no limit: a plan without room for another monitor can still rehearse.
    if (!(yield* drills.insert(workspaceId, drill, deadlineAt))) return yield* oneAtATime
    yield* monitors.insert(workspaceId, drill.monitorId, { ...settingsOf(channelIds), regions: [region] })
    yield* heartbeats.insert(workspaceId, drill.monitorId, now)
    return { drill, deadlineAt }
  }, transaction)
})
