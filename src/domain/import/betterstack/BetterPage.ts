/** A status page of Better Stack: its sections become groups, its resources components. */
import { cut, foundComponent, makeNotes, pageInput } from "../Carry.ts"
import type { FoundComponent, FoundPage } from "../Inventory.ts"
import { entryOf, flagAt, idOf, type Loose, numberAt, recordOf, textAt } from "../Loose.ts"
import { firstComponents } from "../TakeInSteps.ts"
import { groupOf, sayUnread } from "../Unread.ts"
import { pageZone } from "../ZoneNames.ts"

/** The refs of what a resource shows. Groups of monitors are not resources of ours. */
const observed: Readonly<Record<string, string>> = { Monitor: "monitor", Heartbeat: "heartbeat" }

const componentOf = (sections: ReadonlyMap<string, string>) => (entry: Loose, index: number): FoundComponent => {
  const resource = recordOf(entry["attributes"])
  const notes = makeNotes()
  const named = textAt(resource, "public_name")
  const id = idOf(entry, named, index)
  const name = named ?? `Resource ${id}`
  const type = textAt(resource, "resource_type") ?? ""
  const kind = entryOf(observed, type)
  const resourceId = textAt(resource, "resource_id")
  if (kind === undefined) notes.say(`It shows a ${type === "" ? "resource" : type}, which is not carried: choose its monitors`)
  else if (resourceId === null) notes.say(`It does not say which ${kind} it shows: choose its monitors`)
  const group = groupOf(notes, sections, resource, "status_page_section_id")
  sayUnread(notes, resource, { texts: ["public_name", "resource_type", "resource_id", "explanation"] })
  return foundComponent(notes, `component:${id}`, { name, description: textAt(resource, "explanation"), group }, {
    monitorRefs: kind === undefined || resourceId === null ? [] : [`${kind}:${resourceId}`]
  })
}

const positionOf = (entry: Loose): number => numberAt(recordOf(entry["attributes"]), "position") ?? 0

/** In the order of the page: by the positions of their sections, then by their own. */
const inPageOrder = (sections: ReadonlyArray<Loose>, resources: ReadonlyArray<Loose>): ReadonlyArray<Loose> => {
  const positions = new Map(sections.map((section) => [textAt(section, "id"), positionOf(section)]))
  const sectionOf = (entry: Loose) => positions.get(textAt(recordOf(entry["attributes"]), "status_page_section_id")) ?? 0
  return [...resources].sort((one, other) => sectionOf(one) - sectionOf(other) || positionOf(one) - positionOf(other))
}

export const betterPage = (
  entry: Loose,
  index: number,
  { resources, sections }: Readonly<Record<"sections" | "resources", ReadonlyArray<Loose>>>,
  warnings: Array<string>
): FoundPage => {
  const page = recordOf(entry["attributes"])
  const notes = makeNotes()
  const named = textAt(page, "company_name", "subdomain")
  const id = idOf(entry, named, index)
  const name = named ?? `Status page ${id}`
  sayUnread(notes, entry, { records: ["attributes"] })
  sayUnread(notes, page, { texts: ["company_name", "company_url", "timezone"] })
  const domain = textAt(page, "custom_domain")
  const locked = flagAt(page, "password_enabled")
  if (domain !== null) notes.say(`Its domain ${domain} is not carried: set customDomain when you move its DNS record`)
  if (locked) notes.say("Its password is not carried; the page is private")
  for (const section of sections) sayUnread(notes, recordOf(section["attributes"]), { texts: ["name"] })
  for (const section of sections) sayUnread(notes, section, { records: ["attributes"] })
  const names = new Map(
    sections.map((section) => [textAt(section, "id") ?? "", textAt(recordOf(section["attributes"]), "name") ?? "Status"])
  )
  return {
    ref: `page:${id}`,
    name,
    input: pageInput(notes, {
      name: cut(notes, "The name", name, 100),
      visibility: locked ? "private" : null,
      seo: flagAt(page, "hide_from_search_engines") ? { noindex: true } : null,
      branding: textAt(page, "company_url") === null ? null : { websiteUrl: textAt(page, "company_url") },
      settings: pageZone(notes, textAt(page, "timezone"))
    }),
    notes: notes.all,
    components: inPageOrder(sections, firstComponents(name, resources, warnings)).map(componentOf(names))
  }
}
