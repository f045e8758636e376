/** Creates, updates and deletes on-call schedules and their overrides. */
import { DateTime, Effect } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { OverrideId, ScheduleId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import type { Override, OverrideInput, ScheduleInput, ScheduleUpdate } from "../../../schema/oncall/Schedule.ts"
import { mostOverrides, tooManyOverrides, windowRefusals } from "../../domain/oncall/Overrides.ts"
import { currentStartDay } from "../../domain/oncall/Rotation.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { Schedules, type ScheduleSettings } from "../../store/oncall/Schedules.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { noSuch, orNoSuch, removed } from "../NoSuch.ts"
import { makeTransaction } from "../Transaction.ts"
import { ReadOnCall } from "./ReadOnCall.ts"

const noOverride = (id: OverrideId) =>
  new NotFound({
    message: `No on-call override ${id} in this schedule`,
    hint: "List overrides with GET /api/v1/oncall/schedules/{id}"
  })

export interface OverrideEdit {
  readonly removed: ReadonlyArray<OverrideId>
  /** In order of creation: of two that overlap, the later one wins. */
  readonly added: ReadonlyArray<OverrideInput>
}

/** Later than all overrides so far, whatever the clocks of other processes say. */
const creationAfter = (before: ReadonlyArray<Override>, now: DateTime.Utc): DateTime.Utc =>
  before.reduce((at, { createdAt }) => DateTime.max(at, DateTime.add(createdAt, { millis: 1 })), now)

export class ManageSchedules extends Effect.Service<ManageSchedules>()("belltower/ManageSchedules", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const schedules = yield* Schedules
    const people = yield* OnCallPeople
    const quotas = yield* Quotas
    const reading = yield* ReadOnCall

    const requireMembers = Effect.fnUntraced(
      function*(
        workspaceId: WorkspaceId,
        ids: ReadonlyArray<UserId>,
        pathOf: (index: number) => string,
        kept: ReadonlyArray<UserId> = []
      ) {
        const known = new Set([...kept, ...(yield* people.some(workspaceId, ids)).map(({ id }) => id)])
        const strangers = ids.flatMap((id, index) =>
          known.has(id) ? [] : [{
            path: pathOf(index),
            message: `No member ${id} in this workspace`,
            hint: "List members with GET /api/v1/oncall/members"
          }]
        )
        if (strangers.length > 0) return yield* validationFailure(strangers)
      }
    )

    const participantPath = (index: number) => `participants.${index}`

    /** Fails with `plan_limit` without the on-call feature, and with `validation_failed` for an unknown member or above the cap. */
    const create = Effect.fn("ManageSchedules.create")(function*(workspaceId: WorkspaceId, input: ScheduleInput) {
      const now = yield* DateTime.now
      const settings: ScheduleSettings = { ...input, startDay: input.startDay ?? currentStartDay(input, now) }
      const id = yield* Effect.gen(function*() {
        yield* quotas.takeOnCall(workspaceId, { schedules: 1 })
        yield* requireMembers(workspaceId, input.participants, participantPath)
        return yield* schedules.insert(workspaceId, settings, now)
      }).pipe(transaction)
      return yield* Effect.orDie(reading.get(workspaceId, id))
    })

    /** Updates the given fields. Fails with `not_found`, and with `validation_failed` for a new participant who is no member. */
    const update = Effect.fn("ManageSchedules.update")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, input: ScheduleUpdate) {
        const { rotateFeed, ...given } = input
        yield* Effect.gen(function*() {
          const before = yield* orNoSuch("on-call schedule", id, schedules.lock(workspaceId, id))
          // Someone who has left stays a participant until the list is changed.
          yield* requireMembers(workspaceId, given.participants ?? [], participantPath, before.participants)
          const feedVersion = before.feedVersion + (rotateFeed === true ? 1 : 0)
          yield* schedules.update(workspaceId, id, { ...before, ...given, feedVersion }, yield* DateTime.now)
        }).pipe(transaction)
        return yield* reading.get(workspaceId, id)
      }
    )

    const remove = Effect.fn("ManageSchedules.remove")((workspaceId: WorkspaceId, id: ScheduleId) =>
      removed("on-call schedule", id, schedules.remove(workspaceId, id))
    )

    /** `pathOf` names a field of an addition. */
    const edit = Effect.fnUntraced(function*(
      workspaceId: WorkspaceId,
      id: ScheduleId,
      { added, removed }: OverrideEdit,
      pathOf: (index: number, field: string) => string
    ) {
      const now = yield* DateTime.now
      yield* orNoSuch("on-call schedule", id, schedules.lock(workspaceId, id))
      const refusals = added.flatMap((one, index) =>
        windowRefusals(one, now).map((refusal) => ({ ...refusal, path: pathOf(index, refusal.path ?? "") }))
      )
      if (refusals.length > 0) return yield* validationFailure(refusals)
      yield* requireMembers(workspaceId, added.map(({ userId }) => userId), (index) => pathOf(index, "userId"))
      if (removed.length > 0) yield* schedules.removeOverrides(workspaceId, id, removed)
      const before = yield* schedules.overrides(workspaceId, [id], now)
      if (before.length + added.length > mostOverrides) return yield* validationFailure([{ path: null, ...tooManyOverrides }])
      const drafts = added.map((one) => ({ ...one, note: one.note ?? null }))
      return yield* schedules.addOverrides(workspaceId, id, drafts, creationAfter(before, now))
    }, transaction)

    /** Fails with `not_found`, and with `validation_failed` for someone who is no member or a time that has passed. */
    const addOverride = Effect.fn("ManageSchedules.addOverride")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, input: OverrideInput) {
        const [added] = yield* edit(workspaceId, id, { removed: [], added: [input] }, (_, field) => field)
        return added ?? (yield* noSuch("on-call schedule", id))
      }
    )

    /** Removes and adds overrides together. Fails as `addOverride` does. */
    const editOverrides = Effect.fn("ManageSchedules.editOverrides")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, changes: OverrideEdit) {
        if (changes.added.length + changes.removed.length === 0) return
        yield* edit(workspaceId, id, changes, (index, field) => `overrides.${index}.${field}`)
      }
    )

    const removeOverride = Effect.fn("ManageSchedules.removeOverride")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, overrideId: OverrideId) {
        const gone = yield* schedules.removeOverrides(workspaceId, id, [overrideId])
        if (gone === 0) return yield* noOverride(overrideId)
      }
    )

    return { create, update, remove, addOverride, editOverrides, removeOverride }
  }),
  dependencies: [ReadOnCall.Default]
}) {}
