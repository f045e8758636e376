/** Plans what a document changes in a workspace, and applies a plan in one transaction. */
import { DateTime, Effect, Schema } from "effect"
import { Conflict } from "../../../schema/Errors.ts"
import type { PlanId, WorkspaceId } from "../../../schema/Ids.ts"
import type { PlanInput } from "../../../schema/plan/Plan.ts"
import { WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import type { Plan } from "../../../schema/workspace/Workspace.ts"
import type { Viewer } from "../../domain/access/WritingUrls.ts"
import { onCallRefusal, planRefusal } from "../../domain/billing/PlanLimits.ts"
import { mergeDocument } from "../../domain/plan/MergeDocument.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { decodeDocument, documentValue, readDocument } from "../../external/document/ReadDocument.ts"
import { Schedules } from "../../store/oncall/Schedules.ts"
import { PagePasswords } from "../../store/page/PagePasswords.ts"
import { PlanLinks } from "../../store/plan/PlanLinks.ts"
import { PlannedMonitors } from "../../store/plan/PlannedMonitors.ts"
import { Plans, type StoredPlan } from "../../store/plan/Plans.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import type { AdmitDeletion } from "../AdmitDeletion.ts"
import { noSuch, orNoSuch } from "../NoSuch.ts"
import { ExportWorkspace } from "./ExportWorkspace.ts"
import { answerOf, type MadePlan, makePlanner, planText } from "./MakePlan.ts"
import { failureOf, type Step } from "./Step.ts"

const Kept = Schema.parseJson(Schema.Struct({ document: Schema.Unknown, prune: Schema.Boolean }))
const encodeKept = Schema.encode(Kept)
const decodeKept = Schema.decode(Kept)

const encodeDocument = Schema.encode(WorkspaceDocument)

/** Advice for an item that names only what is to change. */
const advised = (refusal: Refusal): Refusal =>
  refusal.message === "Required"
    ? { ...refusal, hint: "An item of a document is a whole declaration; pass merge: true to keep what it omits" }
    : refusal

const changedSince = new Conflict({
  message: "The workspace has changed since this plan was made, so it would do something else now",
  hint: "Plan again and look at the differences"
})

const makeApply = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const plan = yield* makePlanner
  const plans = yield* Plans
  const links = yield* PlanLinks
  const monitors = yield* PlannedMonitors
  const quotas = yield* Quotas
  const schedules = yield* Schedules

  /** The plan as it is now; fails with `conflict` if it would do something else. */
  const same = Effect.fnUntraced(function*(workspaceId: WorkspaceId, { digest, document }: StoredPlan) {
    const kept = yield* Effect.orDie(decodeKept(document))
    const decoded = yield* Effect.orDie(decodeDocument(kept.document))
    const now = yield* Effect.mapError(plan(workspaceId, decoded, kept.prune), () => changedSince)
    return plans.digestOf(planText(now)).equals(digest) ? now : yield* changedSince
  })

  const perform = Effect.fnUntraced(function*(workspaceId: WorkspaceId, { made, steps }: MadePlan) {
    const ids = new Map<Step, string>()
    for (const step of steps) {
      const id = yield* Effect.mapError(step.perform(made), (failure) => failureOf(step, failure))
      ids.set(step, id)
      if (step.action === "create") made.add(step.kind, step.key, id)
    }
    yield* links.forget(workspaceId, steps.flatMap(({ action, id }) => (action === "delete" && id !== null ? [id] : [])))
    yield* links.record(
      workspaceId,
      steps.flatMap((step) => {
        const { action, key, kind } = step
        const resourceId = ids.get(step)
        return action === "delete" || resourceId === undefined ? [] : [{ kind, key, resourceId, made: action === "create" }]
      })
    )
    return ids
  })

  return Effect.fn("ManagePlans.apply")(function*(workspaceId: WorkspaceId, id: PlanId, admit: AdmitDeletion) {
    const stored = yield* orNoSuch("plan", id, plans.lock(workspaceId, id))
    // The answer to an earlier call may have been lost.
    if (stored.plan.appliedAt !== null) return stored.plan
    if (DateTime.lessThan(stored.plan.expiresAt, yield* DateTime.now)) return yield* noSuch("plan", id)
    const { delete: lost } = stored.plan
    yield* admit(lost, counted(lost, "thing"))
    yield* monitors.lock(workspaceId, stored.monitorIds)
    yield* quotas.hold(workspaceId)
    yield* schedules.lockAll(workspaceId)
    const now = yield* same(workspaceId, stored)
    const ids = yield* perform(workspaceId, now)
    return yield* plans.applied(workspaceId, stored.plan, answerOf(now, ids))
  }, transaction)
})

/** The reasons for which the workspace's plan refuses to apply the planned changes, so that nobody finds out by applying them. */
const limitNotes = (
  { had, plan }: { readonly plan: Plan; readonly had: { readonly monitors: number; readonly pages: number } },
  { steps }: MadePlan
): ReadonlyArray<string> => {
  const count = (kind: Step["kind"], action: Step["action"]) =>
    steps.filter((step) => step.kind === kind && step.action === action).length
  const wish = (limit: "monitors" | "pages", kind: "monitor" | "page") => ({
    limit,
    had: had[limit],
    wanted: had[limit] + count(kind, "create") - count(kind, "delete")
  })
  const addsOnCall = count("schedule", "create") + count("policy", "create") > 0
  return [
    planRefusal(plan, [wish("monitors", "monitor"), wish("pages", "page")]),
    addsOnCall ? onCallRefusal(plan) : null
  ].flatMap((refusal) => refusal === null ? [] : [`${refusal.message}: this cannot be applied`])
}

const monitorsOf = ({ steps }: MadePlan): ReadonlyArray<string> =>
  steps.flatMap(({ action, id, kind }) => (kind === "monitor" && action !== "unchanged" && id !== null ? [id] : []))

export class ManagePlans extends Effect.Service<ManagePlans>()("belltower/ManagePlans", {
  effect: Effect.gen(function*() {
    const plan = yield* makePlanner
    const plans = yield* Plans
    const exports = yield* ExportWorkspace
    const quotas = yield* Quotas

    const merged = Effect.fnUntraced(function*(viewer: Viewer, document: PlanInput["document"]) {
      const given = yield* documentValue(document)
      const now = yield* Effect.orDie(encodeDocument(yield* exports.export(viewer)))
      return yield* decodeDocument(mergeDocument({ ...now }, given))
    })

    return {
      /**
       * Fails with `validation_failed`, naming the fields of the document, and with `unavailable` if too many wait to be read.
       * Changes nothing but the list of plans.
       */
      plan: Effect.fn("ManagePlans.plan")(function*(viewer: Viewer, { document, merge = false, prune = false }: PlanInput) {
        const { workspaceId } = viewer
        const read = yield* Effect.catchTag(
          merge ? merged(viewer, document) : readDocument(document),
          "InvalidDocument",
          ({ refusals }) => validationFailure(merge ? refusals : refusals.map(advised))
        )
        const found = yield* plan(workspaceId, read, prune)
        const made = { ...found, notes: [...limitNotes(yield* quotas.standing(workspaceId, null), found), ...found.notes] }
        const kept = yield* Effect.orDie(encodeKept({ document: read, prune }))
        return yield* plans.insert(workspaceId, kept, plans.digestOf(planText(made)), monitorsOf(made), answerOf(made))
      }),
      /** Makes all changes or none. Fails with `not_found`, with `conflict` if something changed since, and like the single changes. */
      apply: yield* makeApply
    }
  }),
  dependencies: [ExportWorkspace.Default, PagePasswords.Default, Plans.Default, PlanLinks.Default, PlannedMonitors.Default]
}) {}
