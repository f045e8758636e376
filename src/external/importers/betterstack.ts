/** Better Stack: its Uptime API v2, a JSON:API. */
import { Effect, Redacted } from "effect"
import { betterHeartbeat, betterMonitor } from "../../domain/import/betterstack/BetterMonitor.ts"
import { betterPage } from "../../domain/import/betterstack/BetterPage.ts"
import { emptyInventory, type FoundPage } from "../../domain/import/Inventory.ts"
import { type Loose, recordOf, recordsOf, textAt } from "../../domain/import/Loose.ts"
import { firstOf, takeInSteps } from "../../domain/import/TakeInSteps.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import type { Importer } from "../import/Importer.ts"
import { makeSourceClient, type SourceClient } from "../import/SourceClient.ts"

const service = "Better Stack"

const namesById = (groups: ReadonlyArray<Loose>): ReadonlyMap<string, string> =>
  new Map(groups.flatMap((group) => {
    const [id, name] = [textAt(group, "id"), textAt(recordOf(group["attributes"]), "name")]
    return id === null || name === null ? [] : [[id, name]]
  }))

/** Every entry of a list. Only the path and query of `next` are followed, so that the key stays with the service. */
const makeList = (client: SourceClient, base: string, key: string) =>
  Effect.fnUntraced(function*(path: string) {
    const found: Array<Loose> = []
    const seen = new Set<string>()
    let url = new URL(`${base}/api/v2/${path}?per_page=250`)
    while (!seen.has(url.href)) {
      seen.add(url.href)
      const page = recordOf(yield* client({ url, headers: { authorization: `Bearer ${key}` } }))
      found.push(...recordsOf(page["data"]))
      const next = textAt(recordOf(page["pagination"]), "next")
      if (next === null || !URL.canParse(next, url.href)) return found
      const { pathname, search } = new URL(next, url)
      url = new URL(pathname + search, url)
    }
    return found
  })

export const betterstack: Importer = {
  source: "betterstack",
  service,
  refusal: ({ apiKey }) =>
    apiKey === null ? { path: "apiKey", message: "Give apiKey, an Uptime API token of Better Stack" } : null,
  read: Effect.fn("Importers.betterstack")(function*({ apiKey, patience, wants }, addresses) {
    const client = yield* makeSourceClient(service, { pause: 0, patience })
    const list = makeList(client, addresses.betterstack, apiKey === null ? "" : Redacted.value(apiKey))
    const empty = Effect.succeed<Array<Loose>>([])
    const absent = (path: string) => Effect.catchIf(list(path), ({ status }) => status === 403 || status === 404, () => empty)
    const monitors = yield* (wants.monitors ? list("monitors") : empty)
    const groups = namesById(yield* (wants.monitors ? absent("monitor-groups") : empty))
    const heartbeats = yield* (wants.monitors ? absent("heartbeats") : empty)
    const heartbeatGroups = namesById(yield* (wants.monitors ? absent("heartbeat-groups") : empty))
    const pages: Array<FoundPage> = []
    const warnings: Array<string> = []
    for (const page of firstOf("pages", yield* (wants.pages ? absent("status-pages") : empty), warnings)) {
      const id = encodeURIComponent(textAt(page, "id") ?? "")
      const found = betterPage({
        page,
        sections: yield* absent(`status-pages/${id}/sections`),
        resources: yield* absent(`status-pages/${id}/resources`)
      }, warnings)
      if (found !== null) pages.push(found)
    }
    const entries = [...monitors, ...heartbeats]
    const found = takeInSteps(
      "monitors",
      entries,
      warnings,
      (entry, index) => (index < monitors.length ? betterMonitor(entry, groups) : betterHeartbeat(entry, heartbeatGroups)) ?? []
    )
    return {
      ...emptyInventory,
      monitors: yield* overTurns(found),
      pages,
      warnings: [
        ...warnings,
        ...(wants.channels ? ["Better Stack alerts people by its on-call calendars and policies; they are not carried"] : []),
        ...(wants.incidents && pages.length > 0
          ? ["Status reports, the past incidents and maintenance windows of Better Stack's pages, are not carried"]
          : [])
      ]
    }
  })
}
