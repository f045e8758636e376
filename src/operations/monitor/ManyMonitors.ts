/** Changes or deletes many monitors in one transaction: all of them or none. */
import { Data, Effect, Option, Ref } from "effect"
import { ValidationFailed } from "../../../schema/Errors.ts"
import type { MonitorId, WorkspaceId } from "../../../schema/Ids.ts"
import {
  type ManyMonitorsDeleted,
  type ManyMonitorsDeletion,
  type ManyMonitorsUpdate,
  type ManyMonitorsUpdated,
  type MonitorSelection,
  mostTogether
} from "../../../schema/monitor/ManyMonitors.ts"
import { countRefusal } from "../../domain/CountedDeletion.ts"
import { changedFields, changeRefusal, listRefusal, selectionRefusal, updateOf } from "../../domain/monitor/ManyMonitors.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { unknownMonitor } from "../../domain/UnknownReference.ts"
import { IncidentAlerts } from "../../services/incident/IncidentAlerts.ts"
import { MonitorPages } from "../../store/monitor/MonitorPages.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { makeChangeMonitor, makeRemoveMonitor } from "./ManageMonitors.ts"
import { makeVetMonitor } from "./VetMonitor.ts"

/** Ends the transaction of a dry run, so that nothing of it stays. */
class DryRun extends Data.TaggedError("DryRun") {}

const refuse = (refusal: Refusal | null) => (refusal === null ? Effect.void : validationFailure([refusal]))

/** The failure of one monitor, which says whose it is. Its fields are those that are set, or those of a list that is added to. */
const naming = (name: string, id: string, { set = {} }: ManyMonitorsUpdate) => (failure: ValidationFailed) =>
  new ValidationFailed({
    message: `${name} (${id}): ${failure.message}`,
    hint: "Nothing was changed",
    ...(failure.details === undefined ? {} : {
      details: failure.details.map(({ message, path }) => ({
        path: Object.hasOwn(set, path.split(".", 1).join()) ? `set.${path}` : path,
        message
      }))
    })
  })

export class ManyMonitors extends Effect.Service<ManyMonitors>()("belltower/ManyMonitors", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const monitors = yield* Monitors
    const pages = yield* MonitorPages
    const change = yield* makeChangeMonitor
    const removeOne = yield* makeRemoveMonitor
    const vet = yield* makeVetMonitor

    /** In the order of ids; one statement, at most `mostTogether`. */
    const selected = Effect.fnUntraced(function*(workspaceId: WorkspaceId, selection: MonitorSelection) {
      yield* refuse(selectionRefusal(selection))
      const found = yield* pages.select(workspaceId, selection, mostTogether + 1)
      if (found.length > mostTogether) {
        return yield* validationFailure([
          {
            path: null,
            message: `More than ${mostTogether} monitors match`,
            hint: "Narrow the search, or pass ids in several calls"
          }
        ])
      }
      const known = new Set<string>(found.map(({ id }) => id))
      const unknown = (selection.ids ?? []).flatMap((id, index) => known.has(id) ? [] : [unknownMonitor(`ids.${index}`, id)])
      if (unknown.length > 0) return yield* validationFailure(unknown)
      return found
    })

    /**
     * In the order in which all transactions lock monitors, and all before the first change, which may lock the workspace: one change
     * of a single monitor waits for it with a lock of its own.
     */
    const lockAll = (workspaceId: WorkspaceId, found: Effect.Effect.Success<ReturnType<typeof selected>>) =>
      Effect.forEach(found, ({ id }) => monitors.lock(workspaceId, id), { discard: true })

    const unlessDry = Effect.fnUntraced(function*<A, E, R>(dryRun: boolean, work: Effect.Effect<A, E, R>) {
      const kept = yield* Ref.make(Option.none<A>())
      const answered = Effect.flatMap(work, (answer) => Ref.set(kept, Option.some(answer)))
      yield* Effect.catchIf(
        transaction(Effect.zipRight(answered, dryRun ? new DryRun() : Effect.void)),
        (failure): failure is DryRun => failure instanceof DryRun,
        () => Effect.void
      )
      return Option.getOrThrow(yield* Ref.get(kept))
    })

    const updateEach = Effect.fnUntraced(function*(workspaceId: WorkspaceId, input: ManyMonitorsUpdate) {
      const found = yield* selected(workspaceId, input)
      yield* lockAll(workspaceId, found)
      const changed: Array<ManyMonitorsUpdated["changed"][number]> = []
      for (const { id, name } of found) {
        const { after, before, update } = yield* change(workspaceId, id, (now) => updateOf(input, now)).pipe(
          Effect.tap(({ update }) => refuse(listRefusal(update))),
          Effect.catchTag("validation_failed", naming(name, id, input))
        )
        const fields = changedFields(update, before, after)
        if (fields.length > 0) changed.push({ id, name, fields })
      }
      return { matched: found.length, changed }
    })

    const removeEach = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, { count, dryRun = false, ...selection }: ManyMonitorsDeletion) {
        const found = yield* selected(workspaceId, selection)
        // A dry run waits for nobody and holds nobody up: MCP asks it before each large deletion.
        if (dryRun) return found
        yield* refuse(
          countRefusal(found.length, count, counted(found.length, "monitor with its history", "monitors with their history"))
        )
        yield* lockAll(workspaceId, found)
        for (const { id } of found) yield* removeOne(workspaceId, id)
        return found
      }
    )

    return {
      /** Fails with `validation_failed` or `plan_limit` like the change of one monitor; then none is changed. */
      update: Effect.fn("ManyMonitors.update")(function*(workspaceId: WorkspaceId, input: ManyMonitorsUpdate) {
        const { add = {}, dryRun = false, set = {} } = input
        yield* refuse(changeRefusal(input))
        yield* vet(workspaceId, { ...add, ...set })
        if (set.channelIds !== undefined || set.regions !== undefined) yield* vet(workspaceId, add)
        return { dryRun, ...(yield* unlessDry(dryRun, updateEach(workspaceId, input))) } satisfies ManyMonitorsUpdated
      }),
      remove: Effect.fn("ManyMonitors.remove")(function*(workspaceId: WorkspaceId, input: ManyMonitorsDeletion) {
        const { dryRun = false } = input
        const found: ReadonlyArray<{ readonly id: MonitorId; readonly name: string }> = yield* transaction(
          removeEach(workspaceId, input)
        )
        return { dryRun, deleted: found.map(({ id, name }) => ({ id, name })) } satisfies ManyMonitorsDeleted
      })
    }
  }),
  dependencies: [IncidentAlerts.Default]
}) {}
