/** Creates, updates and deletes components, and fixes the status that they show. */
import { Effect, Either, Struct } from "effect"
import type { ComponentInput, ComponentUpdate, OverrideInput } from "../../../schema/component/Component.ts"
import { ComponentId, type GroupId, type MonitorId, type WorkspaceId } from "../../../schema/Ids.ts"
import { followedBy, settleComponent, settleComponentEdit } from "../../domain/component/ComponentSettings.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { AutomaticIncidents } from "../../services/incident/AutomaticIncidents.ts"
import { KeptBackTroubles } from "../../store/alert/KeptBackTroubles.ts"
import { ComponentEdits } from "../../store/component/ComponentEdits.ts"
import type { StoredComponent } from "../../store/component/ComponentRows.ts"
import { Components } from "../../store/component/Components.ts"
import { ComponentWakeups } from "../../store/component/ComponentWakeups.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { mint } from "../../store/Mint.ts"
import { Pages } from "../../store/page/Pages.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { orNoSuch, requirePage } from "../NoSuch.ts"
import { ComponentRecords } from "./ComponentRecords.ts"
import { claimKey, groupFor, requireManifest, requireMonitors } from "./ComponentReferences.ts"

const makeCreate = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const pages = yield* Pages
  const components = yield* Components
  const quotas = yield* Quotas
  const records = yield* ComponentRecords

  return Effect.fn("ManageComponents.create")(
    function*(workspaceId: WorkspaceId, pageIdOrSlug: string, input: ComponentInput) {
      const { id: pageId } = yield* requirePage(pages, workspaceId, pageIdOrSlug)
      const settings = yield* Either.mapLeft(settleComponent(input), validationFailure)
      yield* quotas.takeCapped(workspaceId, { components: 1 }, pageId)
      const { slug } = yield* orNoSuch("status page", pageIdOrSlug, components.lockPage(workspaceId, pageId))
      yield* requireMonitors(components, workspaceId, settings.monitorIds, [])
      yield* requireManifest(components, workspaceId, settings.manifest)
      const key = yield* claimKey(components, workspaceId, pageId, input)
      const group = input.group?.trim() ?? ""
      const onPage = {
        workspaceId,
        pageId,
        key,
        group: group === "" ? null : yield* groupFor(components, quotas, workspaceId, pageId, group),
        order: input.order ?? null
      }
      const stored = yield* components.insert(yield* mint("cmp", ComponentId), input.name, settings, onPage)
      yield* pages.changed(slug)
      return yield* records.of(stored)
    },
    transaction
  )
})

/** Maintenance of the component no longer keeps back the alerts of monitors that it does not follow any more. */
const makeReviewAlerts = Effect.gen(function*() {
  const troubles = yield* KeptBackTroubles
  const clock = yield* DatabaseClock
  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, ids: ReadonlyArray<MonitorId>) {
    yield* troubles.reviewNow(workspaceId, ids, yield* clock.now)
  })
})

const makeRequire = Effect.map(
  ComponentEdits,
  (edits) => (workspaceId: WorkspaceId, id: ComponentId) => orNoSuch("component", id, edits.find(workspaceId, id))
)

const makeUpdate = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const pages = yield* Pages
  const components = yield* Components
  const edits = yield* ComponentEdits
  const wakeups = yield* ComponentWakeups
  const quotas = yield* Quotas
  const records = yield* ComponentRecords
  const required = yield* makeRequire
  const review = yield* makeReviewAlerts

  /** The group after the edit: null and an empty text take the component out of its group. */
  const groupOf = Effect.fnUntraced(function*(before: StoredComponent, input: ComponentUpdate) {
    const { group, pageId, workspaceId } = before
    if (input.group === undefined) return group
    const wanted = input.group?.trim() ?? ""
    const none: GroupId | null = null
    return wanted === "" ? none : yield* groupFor(components, quotas, workspaceId, pageId, wanted)
  })

  return Effect.fn("ManageComponents.update")(function*(workspaceId: WorkspaceId, id: ComponentId, input: ComponentUpdate) {
    const { pageId } = yield* required(workspaceId, id)
    // Before all other locks: a new group counts towards the page's cap.
    yield* quotas.takeCapped(workspaceId, { groups: 0 }, pageId)
    yield* components.lockPage(workspaceId, pageId)
    const { slug, ...before } = yield* required(workspaceId, id)
    const settings = yield* Either.mapLeft(settleComponentEdit(before, input), validationFailure)
    yield* requireMonitors(components, workspaceId, input.monitorIds ?? [], before.monitorIds)
    const isOther = input.manifest?.monitorId !== before.manifest?.monitorId
    yield* requireManifest(components, workspaceId, isOther ? input.manifest ?? null : null)
    const key = input.key === undefined || input.key === before.key
      ? before.key
      : yield* claimKey(components, workspaceId, pageId, { key: input.key, name: before.name })
    yield* edits.update(before, {
      name: input.name ?? before.name,
      key,
      group: yield* groupOf(before, input),
      order: input.order ?? before.order,
      settings
    })
    yield* wakeups.wake(workspaceId, [id])
    const kept = followedBy(settings)
    yield* review(workspaceId, followedBy(before).filter((monitorId) => !kept.includes(monitorId)))
    yield* pages.changed(slug)
    return yield* records.of(Struct.omit(yield* required(workspaceId, id), "slug"))
  }, transaction)
})

const makeRemove = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const pages = yield* Pages
  const edits = yield* ComponentEdits
  const incidents = yield* AutomaticIncidents
  const events = yield* EventLog
  const required = yield* makeRequire
  const review = yield* makeReviewAlerts

  return Effect.fn("ManageComponents.remove")(function*(workspaceId: WorkspaceId, id: ComponentId) {
    const { slug, ...component } = yield* required(workspaceId, id)
    const { pageId } = component
    const ended = yield* incidents.removeFromPage(workspaceId, pageId, new Set([id]), "the component was deleted")
    yield* edits.remove(workspaceId, id)
    yield* review(workspaceId, followedBy(component))
    yield* pages.changed(slug)
    if (ended.length > 0) yield* events.append(workspaceId, ended)
  }, transaction)
})

const makeOverride = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const edits = yield* ComponentEdits
  const wakeups = yield* ComponentWakeups
  const pages = yield* Pages
  const records = yield* ComponentRecords

  return Effect.fn("ManageComponents.override")(function*(workspaceId: WorkspaceId, id: ComponentId, input: OverrideInput) {
    yield* wakeups.wake(workspaceId, [id])
    const { component, slug } = yield* orNoSuch("component", id, edits.override(workspaceId, id, input))
    yield* pages.changed(slug)
    return yield* records.of(component)
  }, transaction)
})

export class ManageComponents extends Effect.Service<ManageComponents>()("belltower/ManageComponents", {
  effect: Effect.all({
    /** Fails with `not_found` for the page, `conflict` for a taken key, and `validation_failed` for an invalid source. */
    create: makeCreate,
    /** A new source replaces the old. Fails with `not_found`, with `conflict` for a taken key, and with `validation_failed`. */
    update: makeUpdate,
    /** Also takes it out of its page's automatic incident. Fails with `not_found`. */
    remove: makeRemove,
    /** Fixes the status, or lets its sources decide again. Its actor announces the change. Fails with `not_found`. */
    override: makeOverride
  }),
  dependencies: [
    ComponentRecords.Default,
    ComponentEdits.Default,
    ComponentWakeups.Default,
    AutomaticIncidents.Default
  ]
}) {}
