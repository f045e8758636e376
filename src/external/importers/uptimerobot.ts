/** UptimeRobot: its API v3, and v2 for keys that v3 refuses. */
import { Effect } from "effect"
import { parsedUrl } from "../../../schema/UrlText.ts"
import { emptyInventory, type FoundMonitor, type Inventory } from "../../domain/import/Inventory.ts"
import { type Loose, numberAt, recordOf, recordsOf, textAt, unescaped } from "../../domain/import/Loose.ts"
import { takeInSteps } from "../../domain/import/TakeInSteps.ts"
import { robotChannel } from "../../domain/import/uptimerobot/RobotChannel.ts"
import { robotMonitor } from "../../domain/import/uptimerobot/RobotMonitor.ts"
import { robotPage } from "../../domain/import/uptimerobot/RobotPage.ts"
import type { Steps } from "../../domain/tools/Steps.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { type Importer, type ImportRequest, keyOf, requireKey } from "../import/Importer.ts"
import { makeSourceClient, orEmpty, type SourceClient, SourceProblem } from "../import/SourceClient.ts"

const service = "UptimeRobot"

/** Entries of one page of API v2, which is also its most. */
const v2Page = 50

/** The contents of the account, in the form of either version of the API. */
interface Account {
  readonly monitors: ReadonlyArray<Loose>
  readonly contacts: ReadonlyArray<Loose>
  readonly pages: ReadonlyArray<Loose>
  readonly windows: ReadonlyArray<Loose>
  readonly groups: ReadonlyMap<string, string>
  /** Lists that the key does not show. */
  readonly warnings: ReadonlyArray<string>
}

const itemsOf = (page: Loose, name: string): ReadonlyArray<Loose> => recordsOf(page["data"] ?? page[name] ?? page["items"])

const cursorOf = (page: Loose): string | null => {
  const link = textAt(page, "nextLink", "next")
  const inLink = link === null ? null : parsedUrl(link, "https://page.invalid")?.searchParams.get("cursor")
  return inLink ?? textAt(page, "nextCursorId", "nextCursor")
}

/** Every entry of a list of v3. A cursor that comes again ends it: it would lead round in a circle. */
const listV3 = Effect.fnUntraced(function*(client: SourceClient, base: string, path: string, name: string) {
  const found: Array<Loose> = []
  const seen = new Set<string>()
  let cursor: string | null = null
  do {
    const url = new URL(`${base}/${path}`)
    if (cursor !== null) url.searchParams.set("cursor", cursor)
    const answer = yield* client({ url })
    const page: Loose = Array.isArray(answer) ? { data: answer } : recordOf(answer)
    found.push(...itemsOf(page, name))
    cursor = cursorOf(page)
    if (cursor === null || seen.has(cursor)) return found
    seen.add(cursor)
  } while (true)
})

const readV3 = Effect.fnUntraced(function*(client: SourceClient, base: string, { wants }: ImportRequest) {
  const list = (path: string, name: string) => listV3(client, base, path, name)
  // Pages and the monitors' channels refer to monitors, so these are always read.
  const monitors = yield* list("monitors", "monitors")
  const warnings: Array<string> = []
  // Some plans do not have the other lists.
  const listed = (isWanted: boolean, what: string, path: string, name: string) =>
    isWanted ? orEmpty(what, list(path, name), warnings) : Effect.succeed([])
  const groups = yield* listed(wants.monitors, "groups of monitors", "monitor-groups", "groups")
  const contacts = yield* listed(wants.channels, "alert contacts", "user/alert-contacts", "alertContacts")
  const integrations = yield* listed(wants.channels, "integrations", "integrations", "integrations")
  const known = new Set(contacts.map((contact) => textAt(contact, "id")))
  const account: Account = {
    monitors,
    contacts: [...contacts, ...integrations.filter((one) => textAt(one, "id") === null || !known.has(textAt(one, "id")))],
    pages: yield* listed(wants.pages, "status pages", "psps", "psps"),
    windows: yield* listed(wants.monitors, "maintenance windows", "maintenance-windows", "maintenanceWindows"),
    groups: new Map(groups.map((group) => [textAt(group, "id") ?? "", unescaped(textAt(group, "name", "friendlyName") ?? "")])),
    warnings
  }
  return account
})

/** Totals are in `pagination`, and for contacts beside it. An error comes with status 200. */
const listV2 = Effect.fnUntraced(function*(client: SourceClient, base: string, key: string, method: string, name: string) {
  const found: Array<Loose> = []
  while (true) {
    const body = new URLSearchParams({
      api_key: key,
      format: "json",
      offset: String(found.length),
      limit: String(v2Page),
      alert_contacts: "1",
      mwindows: "1",
      ssl: "1",
      custom_http_headers: "1"
    })
    const page = recordOf(
      yield* client({
        url: new URL(`${base}/${method}`),
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: body.toString()
      })
    )
    if (textAt(page, "stat") === "fail") {
      return yield* new SourceProblem({ message: `${service} refuses the key`, temporary: false, status: 403 })
    }
    const items = recordsOf(page[name])
    found.push(...items)
    const total = numberAt(recordOf(page["pagination"]), "total") ?? numberAt(page, "total") ?? found.length
    if (items.length === 0 || found.length >= total) return found
  }
})

const readV2 = Effect.fnUntraced(function*(client: SourceClient, base: string, key: string, { wants }: ImportRequest) {
  const list = (method: string, name: string) => listV2(client, base, key, method, name)
  const warnings: Array<string> = []
  // A key of one monitor reads nothing else.
  const listed = (isWanted: boolean, what: string, method: string, name: string) =>
    isWanted ? orEmpty(what, list(method, name), warnings) : Effect.succeed([])
  const account: Account = {
    monitors: yield* list("getMonitors", "monitors"),
    contacts: yield* listed(wants.channels, "alert contacts", "getAlertContacts", "alert_contacts"),
    pages: yield* listed(wants.pages, "status pages", "getPSPs", "psps"),
    windows: yield* listed(wants.monitors, "maintenance windows", "getMWindows", "mwindows"),
    groups: new Map(),
    warnings
  }
  return account
})

const warningsOf = ({ pages, warnings, windows }: Account, { wants }: ImportRequest): ReadonlyArray<string> => [
  ...warnings,
  ...windows.map((window) => {
    const name = textAt(window, "friendlyName", "friendly_name", "name") ?? textAt(window, "id") ?? "without a name"
    return `The maintenance window ${unescaped(name)} is not carried; schedule it again`
  }),
  ...(wants.incidents && pages.length > 0 ? ["Announcements and past incidents of UptimeRobot's pages are not carried"] : [])
]

function* inventoryOf(account: Account, request: ImportRequest): Steps<Inventory> {
  const warnings: Array<string> = []
  const monitors: ReadonlyArray<FoundMonitor> = yield* takeInSteps(
    "monitors",
    account.monitors,
    warnings,
    (monitor, index) => robotMonitor(monitor, account.groups, index)
  )
  return {
    ...emptyInventory,
    monitors,
    channels: yield* takeInSteps("channels", account.contacts, warnings, robotChannel),
    pages: yield* takeInSteps("pages", account.pages, warnings, (page, index) => robotPage(page, index, monitors, warnings)),
    warnings: [...warnings, ...warningsOf(account, request)]
  }
}

/** The main key of an account is for v2 only, and some legacy monitors break v3. */
const fallsBack = ({ status }: SourceProblem): boolean => status === 401 || status === 403 || status === 404 || status === 500

export const uptimerobot: Importer = {
  source: "uptimerobot",
  service,
  reads: ["apiKey", "pageId"],
  refusal: requireKey("a read-only API key of UptimeRobot (Integrations & API)"),
  read: Effect.fn("Importers.uptimerobot")(function*(request, addresses) {
    const key = keyOf(request)
    const headers = { authorization: `Bearer ${key}` }
    const client = yield* makeSourceClient(service, { pause: 0, patience: request.patience, headers })
    const account = yield* readV3(client, addresses.uptimerobot, request).pipe(
      Effect.catchIf(fallsBack, (problem) =>
        readV2(client, addresses.uptimerobotV2, key, request).pipe(
          // A key of v3 is none of v2: its refusal hides what is wrong.
          Effect.mapError((second) => problem.temporary && second.status === 403 ? problem : second)
        ))
    )
    return yield* overTurns(inventoryOf(account, request))
  })
}
