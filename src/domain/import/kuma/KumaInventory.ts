/** Converts the data of an Uptime Kuma. */
import { Array as Arr, type DateTime, Either } from "effect"
import { gather } from "../../tools/Gather.ts"
import { mapInSteps, type Steps } from "../../tools/Steps.ts"
import { cut, cutIfGiven, foundComponent, makeNotes, pageInput } from "../Carry.ts"
import { emptyInventory, type FoundComponent, type FoundMonitor, type FoundPage, type Inventory } from "../Inventory.ts"
import { idOf, isOff, type Loose, textAt } from "../Loose.ts"
import { firstComponents, takeInSteps } from "../TakeInSteps.ts"
import type { KumaAccount } from "./KumaAccount.ts"
import { kumaChannel } from "./KumaChannel.ts"
import { type KumaAnnouncement, kumaMaintenance } from "./KumaMaintenance.ts"
import { kumaMonitor } from "./KumaMonitor.ts"

const deepest = 10

/** The groups around a monitor, the innermost first. */
const groupIds = (monitor: Loose, byId: ReadonlyMap<string, Loose>): ReadonlyArray<string> => {
  const ids: Array<string> = []
  let parent = textAt(monitor, "parent")
  for (let level = 0; parent !== null && level < deepest; level++) {
    const group = byId.get(parent)
    ids.push(parent)
    parent = group === undefined ? null : textAt(group, "parent")
  }
  return ids
}

const groupNames = (monitor: Loose, byId: ReadonlyMap<string, Loose>): ReadonlyArray<string> =>
  groupIds(monitor, byId).flatMap((id) => textAt(byId.get(id) ?? {}, "name") ?? [])

interface Shown {
  readonly group: string
  readonly monitor: FoundMonitor
}

const shownOn = (account: KumaAccount, page: Loose, monitors: ReadonlyMap<string, FoundMonitor>): ReadonlyArray<Shown> =>
  account.groupsOf(page).flatMap(({ monitors: ids, name: group }) =>
    ids.flatMap((id) => {
      const monitor = monitors.get(`monitor:${id}`)
      return monitor === undefined ? [] : [{ group, monitor }]
    })
  )

const componentOf = (pageId: string) => ({ group, monitor: { name, ref } }: Shown): FoundComponent =>
  foundComponent(makeNotes(), `component:${pageId}:${ref.slice("monitor:".length)}`, { name, group }, { monitorRefs: [ref] })

const foundPage = (
  account: KumaAccount,
  page: Loose,
  index: number,
  monitors: ReadonlyMap<string, FoundMonitor>,
  warnings: Array<string>
): FoundPage => {
  const notes = makeNotes()
  const named = textAt(page, "title", "slug")
  const id = idOf(page, named, index)
  const name = named ?? id
  const domains = account.domainsOf(page)
  if (textAt(page, "custom_css") !== null) notes.say("Its CSS is not carried: the page has other elements")
  if (textAt(page, "password") !== null) notes.say("Its password is not carried; the page is private")
  if (textAt(page, "google_analytics_tag_id", "analytics_id") !== null) notes.say("Its analytics are not carried")
  if (textAt(page, "icon") !== null) notes.say("Its icon is a file of Uptime Kuma: set branding.logoUrl")
  if (domains.length > 0) {
    notes.say(`Its domains (${domains.join(", ")}) are not carried: set customDomain when you move the DNS record`)
  }
  const mode = textAt(page, "theme")
  const input = pageInput(notes, {
    name: cut(notes, "The name", name, 100),
    slug: textAt(page, "slug"),
    description: cutIfGiven(notes, "The description", textAt(page, "description"), 500),
    visibility: isOff(page, "published") || textAt(page, "password") !== null ? "private" : null,
    theme: mode === "dark" || mode === "light" ? { mode } : null,
    branding: {
      footerText: cutIfGiven(notes, "The footer", textAt(page, "footer_text"), 300),
      hidePoweredBy: isOff(page, "show_powered_by")
    },
    seo: { noindex: isOff(page, "search_engine_index") }
  })
  const shown = firstComponents(name, shownOn(account, page, monitors), warnings)
  return { ref: `page:${id}`, name, notes: notes.all, input, components: shown.map(componentOf(id)) }
}

/** The maintenance that is read: the newest. Finding the next window of each takes time. */
const mostMaintenance = 500

/** The monitors that a maintenance of an id affects: the monitor itself, or all that are in the group. */
const monitorsWithin = (account: KumaAccount, byId: ReadonlyMap<string, Loose>): ReadonlyMap<string, ReadonlyArray<string>> =>
  gather(
    account.monitors.flatMap((monitor) => {
      const id = textAt(monitor, "id")
      if (id === null || textAt(monitor, "type") === "group") return []
      return [id, ...groupIds(monitor, byId)].map((around) => [around, `monitor:${id}`] as const)
    })
  )

const announcementOf = (
  account: KumaAccount,
  window: Loose,
  pages: ReadonlyArray<FoundPage>,
  within: ReadonlyMap<string, ReadonlyArray<string>>
): KumaAnnouncement => {
  const refs = new Set(account.pagesOf(window).map((id) => `page:${id}`))
  const named = [...new Set(account.monitorsOf(window))]
  const affected = new Set(named.flatMap((id) => within.get(id) ?? []))
  const announcing = pages.filter(({ ref }) => refs.has(ref))
  const components = announcing.flatMap((page) => page.components)
    .filter(({ monitorRefs }) => monitorRefs.some((ref) => affected.has(ref)))
  const shown = new Set(components.flatMap(({ monitorRefs }) => monitorRefs))
  return {
    pageRefs: announcing.map(({ ref }) => ref),
    componentRefs: components.map(({ ref }) => ref),
    unshown: [...affected].filter((ref) => !shown.has(ref)).length
  }
}

/** The windows, and why the others are not carried. */
function* foundMaintenance(
  account: KumaAccount,
  pages: ReadonlyArray<FoundPage>,
  byId: ReadonlyMap<string, Loose>,
  now: DateTime.Utc
) {
  const within = monitorsWithin(account, byId)
  // Each in a step of its own: it may affect ten thousand monitors.
  const read = yield* mapInSteps(account.maintenance.slice(-mostMaintenance), 1, (window) =>
    Either.mapLeft(
      kumaMaintenance(window, announcementOf(account, window, pages, within), account.timezone, now),
      (why) =>
        `The maintenance "${textAt(window, "title") ?? ""}" (${textAt(window, "strategy") ?? "single"}) is not carried: ${why}`
    ))
  const [uncarried, carried] = Arr.separate(read)
  const older = account.maintenance.length - mostMaintenance
  const warnings = older > 0 ? [`${older} older maintenance windows are not carried`] : []
  return { carried, warnings: [...uncarried, ...warnings] }
}

export function* kumaInventory(account: KumaAccount, now: DateTime.Utc): Steps<Inventory> {
  const warnings: Array<string> = []
  const byId = new Map(account.monitors.map((monitor) => [textAt(monitor, "id") ?? "", monitor]))
  const monitors = yield* takeInSteps("monitors", account.monitors, warnings, (monitor, index) =>
    kumaMonitor(
      account.named(monitor),
      index,
      account.notificationsOf(monitor),
      [...groupNames(monitor, byId), ...account.tagsOf(monitor)]
    ))
  const found = new Map(monitors.map((monitor) => [monitor.ref, monitor]))
  const pages = yield* takeInSteps(
    "pages",
    account.pages,
    warnings,
    (page, index) => foundPage(account, page, index, found, warnings)
  )
  const maintenance = yield* foundMaintenance(account, pages, byId, now)
  return {
    ...emptyInventory,
    channels: yield* takeInSteps("channels", account.notifications, warnings, kumaChannel),
    monitors,
    pages,
    incidents: maintenance.carried,
    warnings: [
      ...account.warnings,
      ...warnings,
      ...maintenance.warnings,
      "Past checks and incidents of Uptime Kuma are not carried"
    ]
  }
}
