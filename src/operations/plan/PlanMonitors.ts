/** Compares the monitors of a document with those of the workspace. */
import { Effect, Either, Struct } from "effect"
import { ChannelId, MonitorId } from "../../../schema/Ids.ts"
import type { MonitorInput, MonitorUpdate } from "../../../schema/monitor/Monitor.ts"
import type { MonitorEntry, WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { unsetSettings } from "../../domain/monitor/MonitorRecord.ts"
import { keptSecrets, keptUrl } from "../../domain/monitor/settings/MaskedSettings.ts"
import { type MonitorSettings, settleEdit, settleNew } from "../../domain/monitor/settings/MonitorSettings.ts"
import { dependencyOrder } from "../../domain/plan/DependencyOrder.ts"
import { keysOf, monitorFields } from "../../domain/plan/ThingFields.ts"
import type { Refusal } from "../../domain/Refusal.ts"
import { nextTurn } from "../../loops/OverTurns.ts"
import { DefaultRegion } from "../check/DefaultRegion.ts"
import { ManageMonitors } from "../monitor/ManageMonitors.ts"
import { makeVetMonitor } from "../monitor/VetMonitor.ts"
import { keyIn } from "./CurrentFields.ts"
import type { Findings } from "./Findings.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"
import { type Made, type Step, stepOf } from "./Step.ts"

/** An edit that gives a monitor exactly these settings, beside its channels and what it depends on: they are keys until it is made. */
const updateOf = ({ channelIds: _, dependsOn: __, secrets, target, ...others }: MonitorSettings): MonitorUpdate => ({
  ...others,
  // Settings that a target lacks have their usual value, which an edit must name.
  ...unsetSettings[target.kind],
  ...target,
  ...secrets
})

/** The entry with what is stored in place of its masks. Secrets that it does not name are gone. */
const unmasked = (input: MonitorInput, { secrets, target }: MonitorSettings): Either.Either<MonitorInput, Refusal> =>
  Either.gen(function*() {
    const { body = null, clientKey = null, clientSecret = null, headers = {} } = input
    const kept = yield* keptSecrets({ headers, body, clientKey, clientSecret }, secrets)
    const stored = "url" in target ? target.url : undefined
    const url = typeof input.url === "string" ? { url: yield* keptUrl(input.url, stored) } : {}
    const storedTokenUrl = "tokenUrl" in target ? target.tokenUrl ?? undefined : undefined
    const tokenUrl = typeof input.tokenUrl === "string"
      ? { tokenUrl: yield* keptUrl(input.tokenUrl, storedTokenUrl, "tokenUrl") }
      : {}
    return { ...input, ...kept, ...url, ...tokenUrl }
  })

/** The settings that an entry means: what it omits has its default, except the regions of a monitor that exists. */
const wantedOf = (entry: MonitorEntry, current: MonitorSettings | null, defaultRegion: MonitorSettings["regions"][number]) =>
  Either.gen(function*() {
    const input: MonitorInput = Struct.omit(entry, "key", "channels", "dependsOn")
    if (current === null) return yield* settleNew(input, { channelIds: [], regions: [defaultRegion] })
    const wanted = yield* settleNew(yield* unmasked(input, current), { channelIds: [], regions: current.regions })
    // Also refuses changes that an edit cannot make, such as the kind.
    yield* settleEdit(updateOf(wanted), current)
    return wanted
  })

const channelIds = (keys: ReadonlyArray<string> | null, made: Made) =>
  keys === null ? {} : { channelIds: keys.map((key) => ChannelId.make(made.idOf("channel", key))) }

const dependencyIds = (keys: ReadonlyArray<string>, made: Made) => ({
  dependsOn: keys.map((key) => MonitorId.make(made.idOf("monitor", key)))
})

const circle = {
  path: "dependsOn",
  message: "It depends on itself, directly or through others, or on such a monitor; a cycle is not possible"
}

/** Entries compared in one turn of the event loop: about 5 ms. */
const perTurn = 50

export const makePlanMonitors = Effect.gen(function*() {
  const manage = yield* ManageMonitors
  const vet = yield* makeVetMonitor
  const defaultRegion = yield* DefaultRegion

  return Effect.fn("PlanMonitors")(function*(state: WorkspaceState, document: WorkspaceDocument, findings: Findings) {
    const { workspaceId } = state
    const entries = document.monitors ?? []
    const idOf = (entry: MonitorEntry) => state.keys.monitor.idOf.get(entry.key) ?? null
    const settings = yield* state.monitorSettings(entries.flatMap((entry) => idOf(entry) ?? []))
    const steps: Array<Step> = []
    const paths = new Map(entries.map((entry, index) => [entry, `monitors.${index}`]))
    // Each after those that it needs, so that no change passes through a cycle.
    const { circular, ordered } = dependencyOrder(entries)
    for (const entry of circular) findings.refuse(paths.get(entry) ?? "monitors", [circle])
    for (const [index, entry] of ordered.entries()) {
      if (index > 0 && index % perTurn === 0) yield* nextTurn
      const at = paths.get(entry) ?? "monitors"
      const id = idOf(entry)
      const current = id === null ? null : settings.get(id) ?? null
      const dependsOn = [...new Set(entry.dependsOn)]
      findings.requireKeys(`${at}.channels`, "channel", entry.channels ?? [])
      findings.requireKeys(`${at}.dependsOn`, "monitor", dependsOn)
      const settled = wantedOf(entry, current, defaultRegion)
      if (Either.isLeft(settled)) {
        findings.refuse(at, [settled.left])
        continue
      }
      const wanted = settled.right
      const had = current === null ? null : keysOf(current.channelIds, keyIn(state, "channel"))
      const channels = entry.channels === undefined ? had : [...new Set(entry.channels)]
      const update = updateOf(wanted)
      const linksOf = (made: Made) => ({ ...channelIds(channels, made), ...dependencyIds(dependsOn, made) })
      const step = stepOf({
        kind: "monitor",
        key: entry.key,
        id,
        name: entry.name,
        from: current === null
          ? null
          : monitorFields(current, had, keysOf(current.dependsOn, keyIn(state, "monitor"))),
        to: monitorFields(wanted, channels, dependsOn),
        create: (made) => manage.create(workspaceId, { ...update, name: entry.name, ...linksOf(made) }),
        update: (made, known) => manage.update(workspaceId, known, { ...update, ...linksOf(made) })
      })
      steps.push(step)
      if (step.action === "unchanged") continue
      const given = entry.regions === undefined ? Struct.omit(update, "regions") : update
      yield* vet(workspaceId, given).pipe(Effect.catchAll((failure) => Effect.sync(() => findings.refuseFailure(at, failure))))
    }
    return steps
  })
})
