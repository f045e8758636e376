/** Compares the components of a document's pages with those of the workspace. */
import { Effect, Either } from "effect"
import type { ComponentInput, ComponentUpdate } from "../../../schema/component/Component.ts"
import { ComponentId, MonitorId } from "../../../schema/Ids.ts"
import type { ComponentEntry, PageEntry, WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { type ComponentSettings, settleComponent } from "../../domain/component/ComponentSettings.ts"
import { sameValue } from "../../domain/plan/FieldChanges.ts"
import { componentFields } from "../../domain/plan/ThingFields.ts"
import type { Refusal } from "../../domain/Refusal.ts"
import type { StoredComponent } from "../../store/component/ComponentRows.ts"
import { ManageComponents } from "../component/ManageComponents.ts"
import { currentComponent } from "./CurrentFields.ts"
import type { Findings } from "./Findings.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"
import { componentKey, type Made, type Step, stepOf } from "./Step.ts"

/** The settings that an entry means, with keys in place of the ids of monitors. */
const settledOf = ({ group: _, key: __, manifest, monitors, name: ___, ...entry }: ComponentEntry) =>
  settleComponent({
    ...entry,
    ...(monitors === undefined ? {} : { monitorIds: monitors.map((key) => MonitorId.make(key)) }),
    ...(manifest === undefined ? {} : { manifest: { monitorId: MonitorId.make(manifest.monitor), key: manifest.key } })
  })

const updateOf = (entry: ComponentEntry, settings: ComponentSettings, made: Made): ComponentUpdate => {
  const idOf = (key: string) => MonitorId.make(made.idOf("monitor", key))
  const { aggregate, confirmations, hidden, manifest, manual, monitorIds, push, pushTtlSec, showResponseTimes, showUptime } =
    settings
  return {
    name: entry.name,
    description: settings.description ?? "",
    group: entry.group ?? "",
    monitorIds: monitorIds.map(idOf),
    aggregate,
    push,
    pushTtlSec,
    confirmations,
    ...(manifest === null ? {} : { manifest: { monitorId: idOf(manifest.monitorId), key: manifest.key } }),
    ...(manual ? { manual } : {}),
    showUptime,
    showResponseTimes,
    hidden
  }
}

const groupRefusals = ({ components = [], groups }: PageEntry): ReadonlyArray<Refusal> => {
  const names = new Set(groups?.map(({ name }) => name.trim().toLowerCase()))
  return groups === undefined ?
    [] :
    components.flatMap(({ group = "" }, index) =>
      group.trim() === "" || names.has(group.trim().toLowerCase())
        ? []
        : [{ path: `components.${index}.group`, message: `No group ${group} among the groups of the page` }]
    )
}

/** Whether the listed components already are in this order, with new ones at the end. */
const inOrder = (wanted: ReadonlyArray<string>, stored: ReadonlyArray<StoredComponent>): boolean => {
  const listed = new Set(wanted)
  const before = stored.filter(({ key }) => listed.has(key)).map(({ key }) => key)
  return sameValue(wanted.slice(0, before.length), before)
}

export const makePlanComponents = Effect.gen(function*() {
  const components = yield* ManageComponents

  const ofPage = (state: WorkspaceState, page: PageEntry, at: string, findings: Findings): ReadonlyArray<Step> => {
    const { workspaceId } = state
    const entries = page.components ?? []
    const pageId = state.keys.page.idOf.get(page.key)
    const stored = state.components.filter((component) => component.pageId === pageId)
    const byKey = new Map(stored.map((component) => [component.key, component]))
    const isOrdered = inOrder(entries.map(({ key }) => key), stored)
    findings.refuse(at, groupRefusals(page))
    return entries.flatMap((entry, index): ReadonlyArray<Step> => {
      const here = `${at}.components.${index}`
      findings.requireKeys(`${here}.monitors`, "monitor", entry.monitors ?? [])
      if (entry.manifest !== undefined) findings.requireKey(`${here}.manifest.monitor`, "monitor", entry.manifest.monitor)
      const settled = settledOf(entry)
      if (Either.isLeft(settled)) {
        findings.refuse(here, settled.left)
        return []
      }
      const settings = settled.right
      const current = byKey.get(entry.key) ?? null
      const order = isOrdered ? {} : { order: index }
      const { manifest, monitorIds } = settings
      return [stepOf({
        kind: "component",
        key: componentKey(page.key, entry.key),
        id: current?.id ?? null,
        name: entry.name,
        from: current === null ? null : { ...currentComponent(state, current), ...(isOrdered ? {} : { order: current.order }) },
        to: {
          ...componentFields(entry.name, settings, {
            group: entry.group?.trim() ?? null,
            monitors: monitorIds,
            manifest: manifest === null ? null : { monitor: manifest.monitorId, key: manifest.key }
          }),
          ...order
        },
        create: (made) => {
          const input: ComponentInput = { ...updateOf(entry, settings, made), name: entry.name, key: entry.key, ...order }
          return components.create(workspaceId, made.idOf("page", page.key), input)
        },
        update: (made, id) =>
          components.update(workspaceId, ComponentId.make(id), { ...updateOf(entry, settings, made), ...order })
      })]
    })
  }

  return (state: WorkspaceState, { pages = [] }: WorkspaceDocument, findings: Findings): ReadonlyArray<Step> =>
    pages.flatMap((page, index) => ofPage(state, page, `pages.${index}`, findings))
})
