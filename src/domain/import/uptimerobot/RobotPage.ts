/** A public status page (PSP) of UptimeRobot as a page with one component for each monitor. */
import { counted } from "../../tools/text/Counted.ts"
import { cut, foundComponent, makeNotes, type Notes, pageInput } from "../Carry.ts"
import type { FoundComponent, FoundMonitor, FoundPage } from "../Inventory.ts"
import { flagAt, idOf, listOf, type Loose, textAt, unescaped } from "../Loose.ts"
import { firstComponents } from "../TakeInSteps.ts"
import { sayUnread } from "../Unread.ts"

const idsOf = (page: Loose): ReadonlyArray<string> =>
  listOf(page["monitorIds"] ?? page["monitors"]).flatMap((id) => textAt({ id }, "id") ?? [])

const componentOf = (pageId: string) => ({ name, ref }: FoundMonitor): FoundComponent =>
  foundComponent(makeNotes(), `component:${pageId}:${ref.slice("monitor:".length)}`, { name }, { monitorRefs: [ref] })

/** No ids, or the id 0 of API v2, mean all monitors. */
const shownOn = (notes: Notes, page: Loose, monitors: ReadonlyArray<FoundMonitor>): ReadonlyArray<FoundMonitor> => {
  const ids = idsOf(page)
  if (page["monitors"] === 0 || page["monitors"] === "0" || ids.includes("0")) return monitors
  const refs = new Set(ids.map((id) => `monitor:${id}`))
  const shown = monitors.filter(({ ref }) => refs.has(ref))
  if (shown.length < refs.size) {
    notes.say(`It shows ${counted(refs.size - shown.length, "monitor")} that the account does not list`)
  }
  return shown
}

export const robotPage = (
  page: Loose,
  index: number,
  monitors: ReadonlyArray<FoundMonitor>,
  warnings: Array<string>
): FoundPage => {
  const notes = makeNotes()
  const named = textAt(page, "friendlyName", "friendly_name", "name")
  const id = idOf(page, named, index)
  const name = unescaped(named ?? `Status page ${id}`)
  sayUnread(notes, page, { texts: ["friendlyName", "friendly_name"], lists: ["monitorIds"] })
  const domain = textAt(page, "customDomain", "custom_domain", "custom_url")
  if (domain !== null) notes.say(`Its domain ${domain} is not carried: set customDomain when you move its DNS record`)
  if (flagAt(page, "isPasswordSet")) notes.say("Its password is not carried; the page is private")
  if (listOf(page["tagIds"]).length > 0) notes.say("Monitors that it shows by tag are not carried; add components for them")
  return {
    ref: `page:${id}`,
    name,
    input: pageInput(notes, {
      name: cut(notes, "The name", name, 100),
      visibility: flagAt(page, "isPasswordSet") ? "private" : null,
      seo: flagAt(page, "noIndex") ? { noindex: true } : null
    }),
    notes: notes.all,
    components: firstComponents(name, shownOn(notes, page, monitors), warnings).map(componentOf(id))
  }
}
