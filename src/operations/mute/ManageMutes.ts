/** Makes, reads and ends mutes. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { MuteId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { Mute, MuteInput, MuteRecord } from "../../../schema/mute/Mute.ts"
import { muteWarnings, settleMute } from "../../domain/mute/SettleMute.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { listPage } from "../../domain/tools/ListPage.ts"
import { unknownMonitor } from "../../domain/UnknownReference.ts"
import { MutedMonitors } from "../../store/alert/MutedMonitors.ts"
import { type MuteFilter, Mutes } from "../../store/alert/Mutes.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { mint } from "../../store/Mint.ts"
import { Policies } from "../../store/oncall/Policies.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { makeCallerName } from "../incident/CallerName.ts"
import { orNoSuch } from "../NoSuch.ts"

/** Monitors that a record names. */
const mostNamed = 100

export class ManageMutes extends Effect.Service<ManageMutes>()("belltower/ManageMutes", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const mutes = yield* Mutes
    const muted = yield* MutedMonitors
    const policies = yield* Policies
    const quotas = yield* Quotas
    const events = yield* EventLog
    const clock = yield* DatabaseClock
    const nameOf = yield* makeCallerName

    const recordOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, mute: Mute): Effect.fn.Return<MuteRecord> {
      if (mute.endedAt !== null) return mute
      const found = yield* muted.ofMute(workspaceId, mute.id, mostNamed)
      const warnings = muteWarnings(mute, found.count)
      return { ...mute, mutes: found, ...(warnings.length === 0 ? {} : { warnings }) }
    })

    const requireMonitors = Effect.fnUntraced(function*(workspaceId: WorkspaceId, monitorIds: Mute["monitorIds"]) {
      const known = yield* policies.known(workspaceId, { targets: [], monitorIds, pages: [] })
      const refusals = monitorIds.flatMap((id, index) =>
        known.found.includes(`monitor ${id}`) ? [] : [unknownMonitor(`monitorIds.${index}`, id)]
      )
      if (refusals.length > 0) return yield* validationFailure(refusals)
    })

    /** Begins immediately. Fails with `validation_failed`. */
    const create = Effect.fn("ManageMutes.create")(function*(caller: Caller, input: MuteInput) {
      const { workspaceId } = caller
      const now = yield* clock.now
      const settled = yield* Effect.mapError(settleMute(input, now), validationFailure)
      const by = yield* nameOf(caller)
      const id = yield* mint("mute", MuteId)
      yield* quotas.takeCapped(workspaceId, { mutes: 1 })
      yield* requireMonitors(workspaceId, settled.monitorIds)
      const mute: Mute = { ...settled, id, by, endedAt: null, createdAt: now, updatedAt: now }
      yield* mutes.insert(workspaceId, mute)
      const record = yield* recordOf(workspaceId, mute)
      yield* events.append(workspaceId, [{ type: "mute.started", data: { mute } }])
      return record
    }, transaction)

    /** Newest first. */
    const list = Effect.fn("ManageMutes.list")(function*(workspaceId: WorkspaceId, filter: MuteFilter) {
      return listPage(yield* mutes.list(workspaceId, { ...filter, limit: filter.limit + 1 }), filter.limit)
    })

    /** Fails with `not_found`. */
    const get = Effect.fn("ManageMutes.get")(function*(workspaceId: WorkspaceId, id: MuteId) {
      return yield* recordOf(workspaceId, yield* orNoSuch("mute", id, mutes.find(workspaceId, id)))
    })

    /** Ends it now; one that has ended stays as it is. Fails with `not_found`. */
    const end = Effect.fn("ManageMutes.end")(function*(workspaceId: WorkspaceId, id: MuteId) {
      const ended = yield* mutes.end(workspaceId, id, yield* clock.now)
      if (Option.isNone(ended)) return yield* orNoSuch("mute", id, mutes.find(workspaceId, id))
      yield* events.append(workspaceId, [{ type: "mute.ended", data: { mute: ended.value } }])
      return ended.value
    }, transaction)

    return { create, list, get, end }
  })
}) {}
