/** Atlassian Statuspage: its management API with a key, or the public JSON of any page that serves it. */
import { DateTime, Effect, Redacted } from "effect"
import { makeNotes, monitorInput } from "../../domain/import/Carry.ts"
import {
  emptyInventory,
  type FoundIncident,
  type FoundMonitor,
  type FoundPage,
  type Inventory
} from "../../domain/import/Inventory.ts"
import { type Loose, recordOf, recordsOf, textAt } from "../../domain/import/Loose.ts"
import { pageOf, statuspagePage } from "../../domain/import/statuspage/StatuspageComponents.ts"
import { statuspageIncident } from "../../domain/import/statuspage/StatuspageIncident.ts"
import { firstOf, takeInSteps } from "../../domain/import/TakeInSteps.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import type { Importer, ImportRequest } from "../import/Importer.ts"
import { makeSourceClient, type SourceClient } from "../import/SourceClient.ts"

const service = "The status page"

/** Entries of a page of the management API, which is also its most. */
const perPage = 100

interface Held {
  readonly page: FoundPage
  readonly incidents: ReadonlyArray<FoundIncident>
  readonly subscribers: number
  /** The parts that exceed a limit. */
  readonly warnings: ReadonlyArray<string>
}

const incidentsOf = (page: FoundPage, incidents: ReadonlyArray<Loose>, warnings: Array<string>) =>
  Effect.flatMap(DateTime.now, (now) =>
    overTurns(
      takeInSteps("incidents", incidents, warnings, (incident, index) => statuspageIncident(incident, page.ref, index, now))
    ))

/** Every entry of a list of the management API. `size` is the name of its parameter, which differs by list. */
const listAll = Effect.fnUntraced(function*(client: SourceClient, url: string, size: "per_page" | "limit") {
  const found: Array<Loose> = []
  const seen = new Set<string>()
  for (let page = 1;; page++) {
    const answer = recordsOf(yield* client({ url: new URL(`${url}?${size}=${perPage}&page=${page}`) }))
    const fresh = answer.filter((entry) => !seen.has(textAt(entry, "id") ?? ""))
    for (const entry of fresh) seen.add(textAt(entry, "id") ?? "")
    found.push(...fresh)
    // A server that ignores the page sends the same again.
    if (answer.length < perPage || fresh.length === 0) return found
  }
})

const readManaged = Effect.fnUntraced(function*(client: SourceClient, base: string, { pageId, wants }: ImportRequest) {
  const pages = pageId === null
    ? recordsOf(yield* client({ url: new URL(`${base}/pages`) }))
    : [recordOf(yield* client({ url: new URL(`${base}/pages/${encodeURIComponent(pageId)}`) }))]
  const held: Array<Held> = []
  const beyond: Array<string> = []
  for (const [index, page] of firstOf("pages", pages, beyond).entries()) {
    const at = `${base}/pages/${encodeURIComponent(textAt(page, "id") ?? "")}`
    const list = (path: string, size: "per_page" | "limit") => listAll(client, `${at}/${path}`, size)
    const components = yield* list("components", "per_page")
    const groups = yield* list("component-groups", "per_page")
    const incidents = wants.incidents ? yield* list("incidents", "limit") : []
    const warnings = beyond.splice(0)
    const found = yield* overTurns(statuspagePage({ page, components, groups }, index, warnings))
    held.push({
      page: found,
      incidents: yield* incidentsOf(found, incidents, warnings),
      warnings,
      subscribers: yield* client({ url: new URL(`${at}/subscribers?limit=1&page=0`) }).pipe(
        Effect.map((answer) => recordsOf(answer).length),
        // A list that cannot be read may hold some.
        Effect.catchIf(({ status }) => status !== null && status !== 401, ({ status }) => Effect.succeed(status === 404 ? 0 : 1))
      )
    })
  }
  return held
})

const readPublic = Effect.fnUntraced(function*(client: SourceClient, url: string, { wants }: ImportRequest) {
  const ask = (path: string) => Effect.map(client({ url: new URL(`/api/v2/${path}.json`, url) }), recordOf)
  const absent = (path: string) => Effect.catchIf(ask(path), ({ status }) => status === 404, () => Effect.succeed<Loose>({}))
  const summary = yield* ask("summary")
  const warnings: Array<string> = []
  const components = recordsOf(summary["components"])
  const page = yield* overTurns(statuspagePage({ page: pageOf(summary), components, groups: [] }, 0, warnings))
  const incidents = wants.incidents ? recordsOf((yield* absent("incidents"))["incidents"]) : []
  const windows = wants.incidents ? recordsOf((yield* absent("scheduled-maintenances"))["scheduled_maintenances"]) : []
  const held: Held = {
    page,
    incidents: yield* incidentsOf(page, [...incidents, ...windows], warnings),
    subscribers: 0,
    warnings
  }
  return [held]
})

/** A manifest monitor that keeps reading the components of a public page. */
const mirrorOf = (page: FoundPage, url: string): FoundMonitor => {
  const notes = makeNotes()
  const at = new URL("/api/v2/components.json", url)
  const name = `${at.host} components`.slice(0, 120)
  const input = monitorInput(notes, { kind: "manifest", name, url: at.href })
  return { ref: `monitor:mirror:${page.ref.slice("page:".length)}`, name, notes: notes.all, input, channelRefs: null }
}

/** The components take their status from the mirror, by their id at the source. */
const mirrored = (page: FoundPage, mirror: FoundMonitor): FoundPage => ({
  ...page,
  components: page.components.map((component) => ({
    ...component,
    manifest: { monitorRef: mirror.ref, key: component.ref.slice("component:".length) }
  }))
})

/** Nobody ends an incident of the source here when it ends there: its components are left to the mirror. */
const leftToMirror = (incident: FoundIncident): FoundIncident =>
  incident.kind === "incident" && incident.resolvedAt === null
    ? { ...incident, components: incident.components.map(({ ref }) => ({ ref, status: "operational" })) }
    : incident

const warningsOf = (held: ReadonlyArray<Held>, { apiKey, wants }: ImportRequest): ReadonlyArray<string> => [
  ...held.flatMap(({ warnings }) => warnings),
  ...(held.some(({ subscribers }) => subscribers > 0)
    ? ["Subscribers are not carried: they agreed to hear from the old page. Invite them to subscribe again"]
    : []),
  ...(apiKey !== null && wants.incidents ? ["Incident templates and postmortems are not carried"] : [])
]

const inventoryOf = (held: ReadonlyArray<Held>, request: ImportRequest): Inventory => {
  const { url, wants } = request
  const found = held.map(({ page }) => page)
  const [first] = found
  const mirror = wants.mirror && url !== null && first !== undefined ? mirrorOf(first, url) : null
  return {
    ...emptyInventory,
    monitors: mirror === null ? [] : [mirror],
    pages: found.map((page) => (mirror === null || page !== first ? page : mirrored(page, mirror))),
    incidents: held.flatMap(({ incidents }) => mirror === null ? incidents : incidents.map(leftToMirror)),
    warnings: warningsOf(held, request)
  }
}

export const statuspage: Importer = {
  source: "statuspage",
  service,
  reads: ["apiKey", "pageId", "url", "mirror"],
  refusal: ({ apiKey, pageId, url, wants }) =>
    apiKey === null && url === null
      ? { path: "url", message: "Give url, any public status page, or apiKey, a key of Atlassian Statuspage" }
      : wants.mirror && url === null
      ? { path: "mirror", message: "mirror needs url: the mirror reads the public page" }
      : apiKey === null && pageId !== null
      ? { path: "pageId", message: "pageId needs apiKey: url is one page" }
      : null,
  read: Effect.fn("Importers.statuspage")(function*(request, addresses) {
    const { apiKey, patience, url } = request
    if (apiKey === null) {
      const client = yield* makeSourceClient(service, { pause: 0, patience })
      return inventoryOf(yield* readPublic(client, url ?? "", request), request)
    }
    const headers = { authorization: `OAuth ${Redacted.value(apiKey)}` }
    // The management API allows one request a second.
    const client = yield* makeSourceClient("Statuspage", { pause: "1 second", patience, headers })
    return inventoryOf(yield* readManaged(client, addresses.statuspage, request), request)
  })
}
