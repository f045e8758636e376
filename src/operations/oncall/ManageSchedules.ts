/** Creates, updates and deletes on-call schedules and their overrides. */
import { DateTime, Effect, Schema, Struct } from "effect"
import type { OverrideId, ScheduleId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { StoredRotation } from "../../../schema/oncall/Rotation.ts"
import type { Override, OverrideInput, ScheduleInput, ScheduleUpdate } from "../../../schema/oncall/Schedule.ts"
import { mostOverrides, tooManyOverrides, windowRefusals } from "../../domain/oncall/Overrides.ts"
import { namedInRotation, settledLayer, settledRotation } from "../../domain/oncall/Rotation.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { type ScheduleRow, Schedules, type ScheduleSettings } from "../../store/oncall/Schedules.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { noSuch, orNoSuch, removed } from "../NoSuch.ts"
import { ReadOnCall } from "./ReadOnCall.ts"

export interface OverrideEdit {
  readonly removed: ReadonlyArray<OverrideId>
  /** In order of creation: of two that overlap, the later one wins. */
  readonly added: ReadonlyArray<OverrideInput>
}

interface NamedPerson {
  readonly id: UserId
  readonly path: string
}

/** Everyone whom an input names, with the paths. */
const namedIn = ({ layers = [], participants }: Pick<ScheduleUpdate, "layers" | "participants">): ReadonlyArray<NamedPerson> => [
  ...(participants ?? []).map((id, index) => ({ id, path: `participants.${index}` })),
  ...layers.flatMap((layer, at) => layer.participants.map((id, index) => ({ id, path: `layers.${at}.participants.${index}` })))
]

/** Fails with `validation_failed` for bounds that nothing is between. */
const requireSense = ({ layers = [], ...own }: Pick<ScheduleUpdate, "activeFrom" | "activeUntil" | "layers">) => {
  const refusals = [own, ...layers].flatMap(({ activeFrom = null, activeUntil = null }, at) =>
    activeFrom === null || activeUntil === null || DateTime.lessThan(activeFrom, activeUntil)
      ? []
      : [{ path: at === 0 ? "activeUntil" : `layers.${at - 1}.activeUntil`, message: "activeUntil must be after activeFrom" }]
  )
  return refusals.length === 0 ? Effect.void : validationFailure(refusals)
}

const rotationOf = (row: ScheduleRow): StoredRotation =>
  Struct.pick(
    row,
    "timezone",
    "handoffDay",
    "handoffTime",
    "participants",
    "startDay",
    "turnUnit",
    "turnLength",
    "atOnce",
    "hours",
    "activeFrom",
    "activeUntil",
    "layers"
  )

const isSameRotation = Schema.equivalence(StoredRotation)

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
      function*(workspaceId: WorkspaceId, named: ReadonlyArray<NamedPerson>, kept: ReadonlyArray<UserId> = []) {
        const known = new Set([...kept, ...(yield* people.some(workspaceId, named.map(({ id }) => id))).map(({ id }) => id)])
        const strangers = named.flatMap(({ id, path }) =>
          known.has(id) ? [] : [{
            path,
            message: `No member ${id} in this workspace`,
            hint: "List members with GET /api/v1/oncall/members"
          }]
        )
        if (strangers.length > 0) return yield* validationFailure(strangers)
      }
    )

    /** Fails with `plan_limit` without the on-call feature, and with `validation_failed` for an unknown member or above the cap. */
    const create = Effect.fn("ManageSchedules.create")(function*(workspaceId: WorkspaceId, input: ScheduleInput) {
      const now = yield* DateTime.now
      yield* requireSense(input)
      const settings: ScheduleSettings = { name: input.name, ...settledRotation(input, now) }
      const id = yield* Effect.gen(function*() {
        yield* quotas.takeOnCall(workspaceId, { schedules: 1 })
        yield* requireMembers(workspaceId, namedIn(input))
        return yield* schedules.insert(workspaceId, settings, now)
      }).pipe(transaction)
      return yield* Effect.orDie(reading.get(workspaceId, id))
    })

    /** Updates the given fields. Fails with `not_found`, and with `validation_failed` for a new participant who is no member. */
    const update = Effect.fn("ManageSchedules.update")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, input: ScheduleUpdate) {
        const { layers, name, rotateFeed, ...given } = input
        yield* requireSense(input)
        yield* Effect.gen(function*() {
          const now = yield* DateTime.now
          const row = yield* orNoSuch("on-call schedule", id, schedules.lock(workspaceId, id))
          const before = rotationOf(row)
          // The other bound may be the stored one.
          if ("activeFrom" in given || "activeUntil" in given) {
            yield* requireSense({ ...Struct.pick(before, "activeFrom", "activeUntil"), ...given })
          }
          // Someone who has left stays a participant until the list is changed.
          yield* requireMembers(workspaceId, namedIn(input), namedInRotation(before))
          const whole = { ...before, ...given }
          const after: StoredRotation = {
            ...whole,
            layers: layers?.map((layer) => settledLayer(layer, whole, now)) ?? before.layers
          }
          if (!isSameRotation(before, after)) yield* schedules.keepRotation(workspaceId, id, before, now)
          const feedVersion = row.feedVersion + (rotateFeed === true ? 1 : 0)
          yield* schedules.update(workspaceId, id, { name: name ?? row.name, ...after, feedVersion }, now)
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
      const row = yield* orNoSuch("on-call schedule", id, schedules.lock(workspaceId, id))
      const refusals = added.flatMap((one, index) =>
        windowRefusals(one, now).map((refusal) => ({ ...refusal, path: pathOf(index, refusal.path ?? "") }))
      )
      if (refusals.length > 0) return yield* validationFailure(refusals)
      const stoodIn = added.flatMap(({ insteadOf }, index) =>
        insteadOf === undefined ? [] : [{ id: insteadOf, path: pathOf(index, "insteadOf") }]
      )
      yield* requireMembers(workspaceId, added.map((one, index) => ({ id: one.userId, path: pathOf(index, "userId") })))
      // Participants who have left still have their turns.
      yield* requireMembers(workspaceId, stoodIn, namedInRotation(row))
      if (removed.length > 0) yield* schedules.removeOverrides(workspaceId, id, removed)
      const before = yield* schedules.overrides(workspaceId, [id], now)
      if (before.length + added.length > mostOverrides) return yield* validationFailure([{ path: null, ...tooManyOverrides }])
      const drafts = added.map((one) => ({ ...one, insteadOf: one.insteadOf ?? null, note: one.note ?? null }))
      return yield* schedules.addOverrides(workspaceId, id, drafts, creationAfter(before, now))
    }, transaction)

    /** Fails with `not_found`, and with `validation_failed` for someone who is no member or a time that has passed. */
    const addOverride = Effect.fn("ManageSchedules.addOverride")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, input: OverrideInput) {
        const [added] = yield* edit(workspaceId, id, { removed: [], added: [input] }, (_, field) => field)
        return added ?? (yield* noSuch("on-call schedule", id))
      }
    )

    /** Removes and adds overrides together; those that were added. Fails as `addOverride` does. */
    const editOverrides = Effect.fn("ManageSchedules.editOverrides")(
      function*(workspaceId: WorkspaceId, id: ScheduleId, changes: OverrideEdit) {
        if (changes.added.length + changes.removed.length === 0) return []
        return yield* edit(workspaceId, id, changes, (index, field) => `overrides.${index}.${field}`)
      }
    )

    return { create, update, remove, addOverride, editOverrides }
  }),
  dependencies: [ReadOnCall.Default]
}) {}
