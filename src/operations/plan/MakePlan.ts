/** Compares a workspace with the document that describes how it should be: the steps that make them equal, in order. */
import { Effect, Struct } from "effect"
import { ChannelId, ComponentId, PolicyId, ScheduleId, TemplateId } from "../../../schema/Ids.ts"
import type { DocumentKind, WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { shownChanges } from "../../domain/plan/FieldChanges.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import type { PlanAnswer } from "../../store/plan/Plans.ts"
import { ManageChannels } from "../alert/ManageChannels.ts"
import { ManageComponents } from "../component/ManageComponents.ts"
import { ManageTemplates } from "../incident/ManageTemplates.ts"
import { ManageMonitors } from "../monitor/ManageMonitors.ts"
import { ManagePolicies } from "../oncall/ManagePolicies.ts"
import { ManageSchedules } from "../oncall/ManageSchedules.ts"
import { ChangePage } from "../page/ChangePage.ts"
import { keysIn, makeFindings } from "./Findings.ts"
import { makeLoadWorkspace, type WorkspaceState } from "./LoadWorkspace.ts"
import { makePlanChannels } from "./PlanChannels.ts"
import { makePlanComponents } from "./PlanComponents.ts"
import { makePlanMonitors } from "./PlanMonitors.ts"
import { makePlanPolicies, makePlanSchedules } from "./PlanOnCall.ts"
import { makePlanPages } from "./PlanPages.ts"
import { makePlanTemplates } from "./PlanTemplates.ts"
import { componentKey, type Made, makeMade, type Step } from "./Step.ts"

/** A resource that an earlier plan made and the document no longer lists. */
interface Leftover {
  readonly kind: DocumentKind
  readonly key: string
  readonly id: string
  readonly name: string
}

/** Resources that refer to others go first. */
const deletionOrder: ReadonlyArray<DocumentKind> = ["template", "policy", "component", "page", "monitor", "schedule", "channel"]

/** A component goes with its page, and stays with a page whose components are not listed. */
const isLeftComponent = (document: WorkspaceDocument, key: string): boolean => {
  const page = document.pages?.find((entry) => key.startsWith(componentKey(entry.key, "")))
  return page?.components !== undefined && !page.components.some((entry) => componentKey(page.key, entry.key) === key)
}

const namesOf = (
  { channels, components, monitors, pages, policies, schedules, templates }: WorkspaceState
): ReadonlyMap<string, string> =>
  new Map<string, string>([
    ...[...channels.values()].map(({ channel: { id, name } }) => [id, name] as const),
    ...[
      ...monitors.values(),
      ...pages.values(),
      ...policies.values(),
      ...schedules.values(),
      ...templates.values(),
      ...components
    ].map(({ id, name }) => [id, name] as const)
  ])

const leftovers = (state: WorkspaceState, document: WorkspaceDocument): ReadonlyArray<Leftover> => {
  const names = namesOf(state)
  const listed = keysIn(document)
  return state.links
    .flatMap(({ key, kind, made, resourceId }): ReadonlyArray<Leftover> => {
      const name = names.get(resourceId)
      if (!made || name === undefined) return []
      const isLeft = kind === "component" ? isLeftComponent(document, key) : listed[kind]?.has(key) === false
      return isLeft ? [{ kind, key, id: resourceId, name }] : []
    })
    .sort((one, other) => deletionOrder.indexOf(one.kind) - deletionOrder.indexOf(other.kind) || (one.key < other.key ? -1 : 1))
}

const makeDeletion = Effect.gen(function*() {
  const monitors = yield* ManageMonitors
  const channels = yield* ManageChannels
  const pages = yield* ChangePage
  const components = yield* ManageComponents
  const schedules = yield* ManageSchedules
  const policies = yield* ManagePolicies
  const templates = yield* ManageTemplates

  return ({ workspaceId }: WorkspaceState, { id, key, kind, name }: Leftover): Step => {
    const remove = {
      monitor: () => monitors.remove(workspaceId, id),
      channel: () => channels.remove(workspaceId, ChannelId.make(id)),
      page: () => pages.remove(workspaceId, id),
      component: () => components.remove(workspaceId, ComponentId.make(id)),
      schedule: () => schedules.remove(workspaceId, ScheduleId.make(id)),
      policy: () => policies.remove(workspaceId, PolicyId.make(id)),
      template: () => templates.remove(workspaceId, TemplateId.make(id))
    }[kind]
    return { action: "delete", kind, key, id, name, changes: [], hidden: new Set(), perform: () => Effect.as(remove(), id) }
  }
})

export interface MadePlan {
  readonly steps: ReadonlyArray<Step>
  readonly notes: ReadonlyArray<string>
  readonly made: Made
}

const leftNote = (left: ReadonlyArray<Leftover>): ReadonlyArray<string> =>
  left.length === 0 ? [] : [
    `${
      counted(left.length, "thing that an earlier plan made is", "things that an earlier plan made are")
    } not in the document: ` +
    `${left.slice(0, 10).map(({ key, kind }) => `${kind} ${key}`).join(", ")}${left.length > 10 ? " and more" : ""}. ` +
    "Send prune to delete them"
  ]

export const makePlanner = Effect.gen(function*() {
  const load = yield* makeLoadWorkspace
  const channels = yield* makePlanChannels
  const schedules = yield* makePlanSchedules
  const monitors = yield* makePlanMonitors
  const pages = yield* makePlanPages
  const components = yield* makePlanComponents
  const policies = yield* makePlanPolicies
  const templates = yield* makePlanTemplates
  const deletion = yield* makeDeletion

  /** Fails with `validation_failed`, naming the fields of the document. */
  return Effect.fn("MakePlan")(
    function*(workspaceId: WorkspaceState["workspaceId"], document: WorkspaceDocument, prune: boolean) {
      const state = yield* load(workspaceId)
      const left = leftovers(state, document)
      const findings = makeFindings(document, state, new Set(prune ? left.map(({ id }) => id) : []))
      const wanted = [
        ...(yield* channels(state, document, findings)),
        ...schedules(state, document, findings),
        ...(yield* monitors(state, document, findings)),
        ...(yield* pages(state, document, findings)),
        ...components(state, document, findings),
        ...policies(state, document, findings),
        ...templates(state, document, findings)
      ]
      const failure = findings.failure()
      if (failure !== null) return yield* failure
      return {
        steps: [...(prune ? left.map((one) => deletion(state, one)) : []), ...wanted],
        notes: [...(prune ? [] : leftNote(left)), ...findings.notes()],
        made: makeMade(state)
      } satisfies MadePlan
    }
  )
})

/** A plan's steps as text, with the real values: equal for two plans that do the same. */
export const planText = ({ steps }: MadePlan): string =>
  JSON.stringify(steps.map(({ action, changes, id, key, kind }) => [action, kind, key, id, changes]))

/** `ids` are those of things that were created meanwhile, by kind and key. */
export const answerOf = ({ notes, steps }: MadePlan, ids: ReadonlyMap<Step, string> = new Map()): PlanAnswer => {
  const count = (action: Step["action"]) => steps.filter((step) => step.action === action).length
  return {
    create: count("create"),
    update: count("update"),
    delete: count("delete"),
    unchanged: count("unchanged"),
    changes: steps.flatMap((step) => {
      const { action, changes, hidden } = step
      if (action === "unchanged") return []
      const id = step.id ?? ids.get(step) ?? null
      return [{ ...Struct.pick(step, "kind", "key", "name"), action, id, fields: shownChanges(changes, hidden) }]
    }),
    notes
  }
}
