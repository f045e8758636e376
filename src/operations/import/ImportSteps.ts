/** Makes the resources of an import, one at a time, each with its link to the source in one transaction. */
import { Effect, Schema, Struct } from "effect"
import type { Failure } from "../../../schema/Errors.ts"
import { ChannelId, ComponentId, MonitorId, PageId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { ImportSource } from "../../../schema/import/Import.ts"
import { DocumentKind } from "../../../schema/plan/WorkspaceDocument.ts"
import { channelsCarried, channelsNote } from "../../domain/import/AlertedChannels.ts"
import { type ImportStep, Making } from "../../domain/import/ImportPlan.ts"
import type {
  FoundChannel,
  FoundComponent,
  FoundIncident,
  FoundMonitor,
  FoundPage,
  FoundTemplate
} from "../../domain/import/Inventory.ts"
import { groupsInput } from "../../domain/plan/ThingFields.ts"
import type { ImportedItem } from "../../store/import/ImportJobs.ts"
import { ImportLinks } from "../../store/import/ImportLinks.ts"
import { PlanLinks } from "../../store/plan/PlanLinks.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { ManageChannels } from "../alert/ManageChannels.ts"
import { ManageComponents } from "../component/ManageComponents.ts"
import { ManageTemplates } from "../incident/ManageTemplates.ts"
import { ManageMonitors } from "../monitor/ManageMonitors.ts"
import { ChangePage } from "../page/ChangePage.ts"
import { ManagePages } from "../page/ManagePages.ts"
import { makeImportHistory } from "./ImportHistory.ts"
import { makeImportOnCall } from "./ImportOnCall.ts"

/** An import under way: what exists of its source, and where its components go. */
interface ImportRun {
  readonly workspaceId: WorkspaceId
  readonly source: ImportSource
  readonly intoPage: PageId | null
  /** Without its monitors, a component would be operational forever; the caller may want that. */
  readonly wantsMonitors: boolean
  /** The ids of what exists, by ref. Steps add theirs. */
  readonly made: Map<string, string>
}

const missing = (what: string) => Effect.fail({ message: `${what} was not imported` })

interface Made {
  readonly id: string
  /** A note on a monitor's channels that differ from the source. */
  readonly note: string | null
}

const plain = (id: string): Made => ({ id, note: null })

type StepFailure = Pick<Failure, "message">

const idsOf = (run: ImportRun, refs: ReadonlyArray<string>): ReadonlyArray<string> =>
  refs.flatMap((ref) => run.made.get(ref) ?? [])

const makePage = Effect.gen(function*() {
  const pages = yield* ManagePages
  const changes = yield* ChangePage

  /** Another page may have the slug or the domain; then the page gets a free slug, and the domain later. */
  return Effect.fnUntraced(function*({ workspaceId }: ImportRun, { groups = [], input, name }: FoundPage) {
    if (input === null) return yield* missing(name)
    const { id } = yield* Effect.catchTag(
      pages.create(workspaceId, input),
      "conflict",
      () => pages.create(workspaceId, Struct.omit(input, "slug", "customDomain"))
    )
    const viewer = { workspaceId, scopes: ["write" as const], operations: null }
    if (groups.length > 0) yield* changes.setGroups(viewer, id, groupsInput(groups))
    return id
  })
})

const makeMonitor = Effect.map(
  ManageMonitors,
  (monitors) =>
  (
    run: ImportRun,
    { channelRefs, dependsOnRefs = [], input, name }: FoundMonitor
  ): Effect.Effect<Made, StepFailure> => {
    if (input === null) return missing(name)
    const parents = dependsOnRefs.length === 0 ? {} : { dependsOn: idsOf(run, dependsOnRefs).map((id) => MonitorId.make(id)) }
    const exists = (ref: string) => run.made.has(ref)
    const carried = channelsCarried(channelRefs, exists)
    const attached = carried === null ? {} : { channelIds: idsOf(run, carried).map((id) => ChannelId.make(id)) }
    return Effect.map(
      monitors.create(run.workspaceId, { ...input, ...attached, ...parents }),
      ({ channelIds, id }) => ({ id, note: channelsNote(channelRefs, exists, channelIds.length > 0) })
    )
  }
)

const makeTemplate = Effect.map(ManageTemplates, (templates) => (run: ImportRun, { entry }: FoundTemplate) => {
  const { components = [], key: _, ...settings } = entry
  const refs = components.map(({ component, page }) => `component:${page}/${component}`)
  const componentIds = idsOf(run, refs).map((id) => ComponentId.make(id))
  return Effect.map(templates.create(run.workspaceId, { ...settings, componentIds }), ({ id }) => id)
})

const makeMakers = Effect.gen(function*() {
  const channels = yield* ManageChannels
  const monitor = yield* makeMonitor
  const page = yield* makePage
  const components = yield* ManageComponents
  const history = yield* makeImportHistory
  const onCall = yield* makeImportOnCall
  const template = yield* makeTemplate

  const channel = ({ workspaceId }: ImportRun, { input, name }: FoundChannel) =>
    input === null ? missing(name) : Effect.map(channels.create(workspaceId, input), ({ id }) => id)

  const component = Effect.fnUntraced(function*(run: ImportRun, found: FoundComponent, pageRef: string) {
    const pageId = run.intoPage ?? run.made.get(pageRef)
    if (found.input === null) return yield* missing(found.name)
    if (pageId === undefined) return yield* missing("Its page")
    const mirror = found.manifest === null ? undefined : run.made.get(found.manifest.monitorRef)
    const monitorIds = idsOf(run, found.monitorRefs).map((id) => MonitorId.make(id))
    if (run.wantsMonitors && found.monitorRefs.length > 0 && monitorIds.length === 0) return yield* missing("Its monitor")
    const { id } = yield* components.create(run.workspaceId, pageId, {
      ...found.input,
      ...(monitorIds.length === 0 ? {} : { monitorIds }),
      ...(mirror === undefined || found.manifest === null
        ? {}
        : { manifest: { monitorId: MonitorId.make(mirror), key: found.manifest.key } })
    })
    const isManual = monitorIds.length === 0 && mirror === undefined
    if (isManual && found.status !== null && found.status !== "operational") {
      yield* components.override(run.workspaceId, id, { status: found.status, reason: "Status at the time of the import" })
    }
    return id
  })

  const incident = (run: ImportRun, found: FoundIncident) => {
    const pageIds = run.intoPage === null ? idsOf(run, found.pageRefs).map((id) => PageId.make(id)) : [run.intoPage]
    const idOf = (ref: string) => {
      const id = run.made.get(ref)
      return id === undefined ? null : ComponentId.make(id)
    }
    return pageIds.length === 0
      ? missing("Its page")
      : history(run.workspaceId, found, pageIds, idOf)
  }

  return (run: ImportRun, making: Making): Effect.Effect<Made, StepFailure> =>
    Making.$match(making, {
      Channel: ({ found }): Effect.Effect<Made, StepFailure> => Effect.map(channel(run, found), plain),
      Monitor: ({ found }) => monitor(run, found),
      Page: ({ found }) => Effect.map(page(run, found), plain),
      Component: ({ found, pageRef }) => Effect.map(component(run, found, pageRef), plain),
      Incident: ({ found }) => Effect.map(incident(run, found), plain),
      Schedule: ({ found }) => Effect.map(onCall.schedule(run.workspaceId, found), plain),
      Policy: ({ found }) => Effect.map(onCall.policy(run.workspaceId, found, (ref) => run.made.get(ref)), plain),
      Template: ({ found }) => Effect.map(template(run, found), plain)
    })
})

const isDocumentKind = Schema.is(DocumentKind)

/** Why a step makes nothing; null if it makes something. */
const skippedBecause = ({ action, excluded, notes }: ImportStep): string | null =>
  excluded
    ? "Excluded"
    : action === "exists"
    ? "An earlier import made it"
    : action === "unsupported"
    ? notes.join(". ")
    : null

export const makeImportSteps = Effect.gen(function*() {
  const transaction = yield* makeTransaction
  const links = yield* ImportLinks
  const planLinks = yield* PlanLinks
  const make = yield* makeMakers

  /** A document's keys keep naming the resources made of it, so that a plan of the same document finds them. */
  const keepKey = ({ source, workspaceId }: ImportRun, { kind, ref }: ImportStep, resourceId: string) =>
    source === "belltower" && isDocumentKind(kind)
      ? planLinks.record(workspaceId, [{ kind, key: ref.slice(kind.length + 1), resourceId, made: true }])
      : Effect.void

  /** The outcome of the step; it never fails because of the item itself. */
  return Effect.fn("ImportSteps.take")(function*(run: ImportRun, step: ImportStep) {
    const { kind, name, ref } = step
    const reason = skippedBecause(step)
    if (reason !== null) return { ref, kind, name, outcome: "skipped", resourceId: null, reason } satisfies ImportedItem
    return yield* make(run, step.making).pipe(
      Effect.tap(({ id }) => links.add(run.workspaceId, run.source, { ref, kind, resourceId: id })),
      Effect.tap(({ id }) => keepKey(run, step, id)),
      transaction,
      Effect.map(({ id, note }): ImportedItem => {
        run.made.set(ref, id)
        return { ref, kind, name, outcome: "created", resourceId: id, reason: note }
      }),
      Effect.catchAll(({ message }) =>
        Effect.succeed<ImportedItem>({ ref, kind, name, outcome: "failed", resourceId: null, reason: message })
      )
    )
  })
})
