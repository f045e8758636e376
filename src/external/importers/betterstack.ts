/** Better Stack: its Uptime API v2, a JSON:API. */
import { Effect } from "effect"
import { parsedUrl } from "../../../schema/UrlText.ts"
import { betterHeartbeat, betterMonitor } from "../../domain/import/betterstack/BetterMonitor.ts"
import { betterPage } from "../../domain/import/betterstack/BetterPage.ts"
import { emptyInventory, type FoundPage } from "../../domain/import/Inventory.ts"
import { type Loose, recordOf, recordsOf, textAt } from "../../domain/import/Loose.ts"
import { firstOf, takeInSteps } from "../../domain/import/TakeInSteps.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { type Importer, keyOf, requireKey } from "../import/Importer.ts"
import { makeSourceClient, orEmpty, type SourceClient } from "../import/SourceClient.ts"

const service = "Better Stack"

const namesById = (groups: ReadonlyArray<Loose>): ReadonlyMap<string, string> =>
  new Map(groups.flatMap((group) => {
    const [id, name] = [textAt(group, "id"), textAt(recordOf(group["attributes"]), "name")]
    return id === null || name === null ? [] : [[id, name]]
  }))

/** Every entry of a list. Only the path and query of `next` are followed, so that the key stays with the service. */
const makeList = (client: SourceClient, base: string) =>
  Effect.fnUntraced(function*(path: string) {
    const found: Array<Loose> = []
    const seen = new Set<string>()
    let url = new URL(`${base}/api/v2/${path}?per_page=250`)
    while (!seen.has(url.href)) {
      seen.add(url.href)
      const page = recordOf(yield* client({ url }))
      found.push(...recordsOf(page["data"]))
      const next = textAt(recordOf(page["pagination"]), "next")
      const following = next === null ? null : parsedUrl(next, url)
      if (following === null) return found
      url = new URL(following.pathname + following.search, url)
    }
    return found
  })

export const betterstack: Importer = {
  source: "betterstack",
  service,
  reads: ["apiKey", "pageId"],
  refusal: requireKey("an Uptime API token of Better Stack"),
  read: Effect.fn("Importers.betterstack")(function*(request, addresses) {
    const { patience, wants } = request
    const client = yield* makeSourceClient(service, {
      pause: 0,
      patience,
      headers: { authorization: `Bearer ${keyOf(request)}` }
    })
    const list = makeList(client, addresses.betterstack)
    const warnings: Array<string> = []
    const listed = (what: string, path: string) => orEmpty(what, list(path), warnings)
    const monitors = wants.monitors ? yield* list("monitors") : []
    const groups = namesById(wants.monitors ? yield* listed("groups of monitors", "monitor-groups") : [])
    const heartbeats = wants.monitors ? yield* listed("heartbeats", "heartbeats") : []
    const heartbeatGroups = namesById(wants.monitors ? yield* listed("groups of heartbeats", "heartbeat-groups") : [])
    const pages: Array<FoundPage> = []
    const statusPages = wants.pages ? yield* listed("status pages", "status-pages") : []
    for (const [index, page] of firstOf("pages", statusPages, warnings).entries()) {
      const id = encodeURIComponent(textAt(page, "id") ?? "")
      const found = betterPage(page, index, {
        sections: yield* listed(`sections of page ${id}`, `status-pages/${id}/sections`),
        resources: yield* listed(`resources of page ${id}`, `status-pages/${id}/resources`)
      }, warnings)
      pages.push(found)
    }
    const entries = [...monitors, ...heartbeats]
    const found = takeInSteps(
      "monitors",
      entries,
      warnings,
      (entry, index) =>
        index < monitors.length
          ? betterMonitor(entry, groups, index)
          : betterHeartbeat(entry, heartbeatGroups, index - monitors.length)
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
