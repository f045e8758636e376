/** Updates and deletes status pages, and arranges their groups and components. */
import { DateTime, Effect, Either, Option } from "effect"
import { Conflict } from "../../../schema/Errors.ts"
import { GroupId, type PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { GroupsInput, PageUpdate } from "../../../schema/page/Page.ts"
import { pageFor, type Viewer } from "../../domain/access/WritingUrls.ts"
import { followedBy } from "../../domain/component/ComponentSettings.ts"
import { planGroups, planPositions } from "../../domain/page/GroupPlan.ts"
import { changedSince, drafted } from "../../domain/page/PageDraft.ts"
import { pageRefusals, publicPassword } from "../../domain/page/PageRefusals.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { AutomaticIncidents } from "../../services/incident/AutomaticIncidents.ts"
import { KeptBackTroubles } from "../../store/alert/KeptBackTroubles.ts"
import { ComponentEdits } from "../../store/component/ComponentEdits.ts"
import { Components } from "../../store/component/Components.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { mint } from "../../store/Mint.ts"
import { PageDrafts } from "../../store/page/PageDrafts.ts"
import { PageEdits } from "../../store/page/PageEdits.ts"
import { PagePasswords } from "../../store/page/PagePasswords.ts"
import { Pages } from "../../store/page/Pages.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { type AdmitDeletion, admitted } from "../AdmitDeletion.ts"
import { orNoSuch, requirePage } from "../NoSuch.ts"
import { domainTaken, ManagePages, slugTaken } from "./ManagePages.ts"

/** Locks the page, which may have been deleted since it was found. */
export const lockedPage = (edits: PageEdits, workspaceId: WorkspaceId, id: PageId) =>
  orNoSuch("status page", id, edits.lock(workspaceId, id))

export const changedMeanwhile = (at: DateTime.Utc) =>
  new Conflict({
    message: `The page or its draft was changed at ${DateTime.formatIso(at)}, after what you saw`,
    hint: "Look at what it is now; then send this again with its updatedAt, or the at of its draft, as since"
  })

const makeUpdate = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const pages = yield* Pages
  const edits = yield* PageEdits
  const quotas = yield* Quotas
  const passwords = yield* PagePasswords
  const drafts = yield* PageDrafts
  const { record } = yield* ManagePages

  return Effect.fn("ChangePage.update")(function*(viewer: Viewer, idOrSlug: string, input: PageUpdate) {
    const { workspaceId } = viewer
    const refusals = pageRefusals(input)
    if (refusals.length > 0) return yield* validationFailure(refusals)
    const { id } = yield* requirePage(pages, workspaceId, idOrSlug)
    // Before the locks, because it takes a while.
    const hash = input.password === undefined || input.password === null
      ? input.password
      : yield* passwords.hash(input.password)
    // The workspace's lock comes before the page's.
    if (input.customDomain !== undefined) yield* quotas.take(workspaceId, { customDomains: 0 })
    const before = yield* lockedPage(edits, workspaceId, id)
    const draft = Option.getOrNull(yield* drafts.find(workspaceId, id))
    const changedAt = changedSince(before, draft, input)
    if (changedAt !== null) return yield* changedMeanwhile(changedAt)
    if ((input.draft ?? null) !== null) yield* drafts.remove(workspaceId, id)
    const after = drafted(before, input.draft === "publish" ? draft : null, input)
    if (after.customDomain !== null && after.customDomain !== before.customDomain) {
      yield* quotas.take(workspaceId, { customDomains: before.customDomain === null ? 1 : 0 })
      if (yield* pages.hasDomain(workspaceId, after.customDomain)) return yield* domainTaken(after.customDomain)
    }
    const hasPassword = input.password === undefined ? before.passwordSetAt !== null : input.password !== null
    if (hasPassword && after.visibility === "public") return yield* validationFailure([publicPassword])
    if (!(yield* edits.update(workspaceId, id, after))) return yield* slugTaken(after.slug)
    if (hash !== undefined) yield* passwords.set(workspaceId, id, hash)
    yield* pages.changed(before.slug)
    if (after.slug !== before.slug) yield* pages.changed(after.slug)
    return pageFor(viewer, yield* record(workspaceId, id))
  }, transaction)
})

const makeRemove = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const pages = yield* Pages
  const components = yield* Components
  const edits = yield* PageEdits
  const incidents = yield* AutomaticIncidents
  const events = yield* EventLog
  const troubles = yield* KeptBackTroubles
  const clock = yield* DatabaseClock

  return Effect.fn("ChangePage.remove")(function*(workspaceId: WorkspaceId, idOrSlug: string, admit: AdmitDeletion = admitted) {
    const { id, slug } = yield* requirePage(pages, workspaceId, idOrSlug)
    yield* lockedPage(edits, workspaceId, id)
    const stored = yield* components.stored(workspaceId, [id])
    const removed = new Set(stored.map((component) => component.id))
    const subscribers = yield* edits.subscribers(workspaceId, id)
    yield* admit(removed.size + subscribers, `${counted(removed.size, "component")} and ${counted(subscribers, "subscriber")}`)
    const ended = yield* incidents.removeFromPage(workspaceId, id, removed, "the page was deleted")
    yield* edits.remove(workspaceId, id)
    // Maintenance of the page kept their alerts back.
    yield* troubles.reviewNow(workspaceId, stored.flatMap(followedBy), yield* clock.now)
    yield* pages.changed(slug)
    if (ended.length > 0) yield* events.append(workspaceId, ended)
    return id
  }, transaction)
})

const makeSetGroups = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const pages = yield* Pages
  const components = yield* Components
  const componentEdits = yield* ComponentEdits
  const edits = yield* PageEdits
  const quotas = yield* Quotas
  const { record } = yield* ManagePages

  return Effect.fn("ChangePage.setGroups")(function*(viewer: Viewer, idOrSlug: string, input: GroupsInput) {
    const { workspaceId } = viewer
    const { id, slug } = yield* requirePage(pages, workspaceId, idOrSlug)
    yield* quotas.takeCapped(workspaceId, { groups: 0 }, id)
    yield* lockedPage(edits, workspaceId, id)
    const existing = yield* Effect.orDie(components.groupsOf(workspaceId, [id]))
    const planned = yield* Either.mapLeft(planGroups(existing, input.groups), validationFailure)
    yield* quotas.takeCapped(workspaceId, { groups: planned.length - existing.length }, id)
    const listed = yield* Effect.forEach(planned, (group) =>
      group.id === null
        ? Effect.map(mint("grp", GroupId), (minted) => ({ ...group, id: minted }))
        : Effect.succeed({ ...group, id: group.id }))
    yield* componentEdits.replaceGroups(workspaceId, id, listed)
    if (input.components !== undefined) {
      const before = yield* Effect.orDie(components.ofPages(workspaceId, [id]))
      const positions = yield* Either.mapLeft(planPositions(before, input.components, listed), validationFailure)
      yield* componentEdits.reposition(workspaceId, id, positions)
    }
    yield* pages.changed(slug)
    return pageFor(viewer, yield* record(workspaceId, id))
  }, transaction)
})

export class ChangePage extends Effect.Service<ChangePage>()("belltower/ChangePage", {
  effect: Effect.all({
    /**
     * Fails with `not_found`, `conflict` if the slug or domain is taken or the page changed meanwhile, `validation_failed`, and
     * `plan_limit`.
     */
    update: makeUpdate,
    /** Deletes the page with its components and subscribers, and resolves its automatic incident. Fails with `not_found`. */
    remove: makeRemove,
    /** Fails with `not_found`, and with `validation_failed` for an unknown group or component and above the cap. */
    setGroups: makeSetGroups
  }),
  dependencies: [
    ManagePages.Default,
    PageDrafts.Default,
    PageEdits.Default,
    ComponentEdits.Default,
    AutomaticIncidents.Default,
    PagePasswords.Default
  ]
}) {}
