/** Writes the configuration of a workspace as one document. Secrets stay behind: the document has their mask. */
import { Effect, Schema } from "effect"
import { WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import type { Viewer } from "../../domain/access/WritingUrls.ts"
import { maskedTarget } from "../../domain/monitor/kinds.ts"
import { shownSecrets, type View, viewOf } from "../../domain/monitor/settings/MaskedSettings.ts"
import { dependencyOrder } from "../../domain/plan/DependencyOrder.ts"
import { documentYaml } from "../../domain/plan/DocumentYaml.ts"
import type { Fields } from "../../domain/plan/FieldChanges.ts"
import { partOf } from "../../domain/plan/PartOfDocument.ts"
import { keysOf, monitorFields } from "../../domain/plan/ThingFields.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { PlanLinks } from "../../store/plan/PlanLinks.ts"
import { PlannedMonitors } from "../../store/plan/PlannedMonitors.ts"
import {
  currentChannel,
  currentComponent,
  currentOverrides,
  currentPage,
  currentPolicy,
  currentSchedule,
  currentTemplate,
  keyIn
} from "./CurrentFields.ts"
import { makeLoadWorkspace, type WorkspaceState } from "./LoadWorkspace.ts"

/** Monitors whose settings are in memory at a time. */
const chunk = 500

const keyed = (state: WorkspaceState, kind: keyof WorkspaceState["keys"], id: string, fields: Fields) => ({
  key: keyIn(state, kind)(id),
  ...fields
})

const monitorEntries = Effect.fnUntraced(function*(state: WorkspaceState, view: View) {
  const ids = [...state.monitors.keys()]
  const entries: Array<unknown> = []
  for (let at = 0; at < ids.length; at += chunk) {
    const settings = yield* state.monitorSettings(ids.slice(at, at + chunk))
    for (const id of ids.slice(at, at + chunk)) {
      const found = settings.get(id)
      if (found === undefined) continue
      const shown = {
        ...found,
        target: view === "writer" ? found.target : maskedTarget(found.target),
        secrets: shownSecrets(view, found.secrets)
      }
      const channels = keysOf(found.channelIds, keyIn(state, "channel"))
      const dependsOn = keysOf(found.dependsOn, keyIn(state, "monitor"))
      entries.push(keyed(state, "monitor", id, monitorFields(shown, channels, dependsOn)))
    }
  }
  return entries
})

const pageEntries = (state: WorkspaceState) =>
  [...state.pages.values()].map((page) => ({
    ...keyed(state, "page", page.id, currentPage(state, page)),
    components: state.components
      .filter(({ pageId }) => pageId === page.id)
      .map((component) => ({ key: component.key, ...currentComponent(state, component) }))
  }))

/** Someone who has left has no address; a schedule or a policy of nobody is left out. */
const onCallEntries = (state: WorkspaceState) => ({
  schedules: [...state.schedules.values()]
    .map((schedule) => ({
      ...keyed(state, "schedule", schedule.id, currentSchedule(state, schedule)),
      overrides: currentOverrides(state, schedule.id)
    }))
    .filter((entry) => "participants" in entry),
  policies: [...state.policies.values()]
    .map((policy) => keyed(state, "policy", policy.id, currentPolicy(state, policy)))
    .filter((entry) => "levels" in entry)
})

const decode = Schema.decodeUnknown(WorkspaceDocument)
const encode = Schema.encode(WorkspaceDocument)

export class ExportWorkspace extends Effect.Service<ExportWorkspace>()("belltower/ExportWorkspace", {
  effect: Effect.gen(function*() {
    const load = yield* makeLoadWorkspace
    const exported = Effect.fn("ExportWorkspace")(function*(viewer: Viewer, search?: string) {
      const state = yield* load(viewer.workspaceId)
      const whole = yield* Effect.orDie(decode({
        version: 1,
        channels: [...state.channels.values()].map((one) => keyed(state, "channel", one.channel.id, currentChannel(one))),
        monitors: yield* monitorEntries(state, viewOf(viewer)),
        pages: pageEntries(state),
        ...onCallEntries(state),
        templates: [...state.templates.values()].map((one) => keyed(state, "template", one.id, currentTemplate(state, one)))
      }))
      // As an import makes them, so that its export is the same document.
      const { circular, ordered } = dependencyOrder(whole.monitors ?? [])
      const document = { ...whole, monitors: [...ordered, ...circular] }
      return search === undefined ? document : partOf(document, search)
    })
    return {
      /**
       * The whole, or the entries with the search in their key or name. Monitors are shown as their records are. Fails with
       * `validation_failed` for a workspace that is too large for one document.
       */
      export: exported,
      /** The same as a text. */
      yaml: Effect.fn("ExportWorkspace.yaml")(function*(viewer: Viewer, search?: string) {
        const document = yield* Effect.orDie(encode(yield* exported(viewer, search)))
        return yield* overTurns(documentYaml({ ...document }))
      })
    }
  }),
  dependencies: [PlanLinks.Default, PlannedMonitors.Default]
}) {}
