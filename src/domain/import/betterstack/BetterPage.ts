/** A status page of Better Stack: its sections become groups, its resources components. */
import { cut, foundComponent, makeNotes, pageInput } from "../Carry.ts"
import type { FoundComponent, FoundPage } from "../Inventory.ts"
import { flagAt, type Loose, recordOf, textAt } from "../Loose.ts"
import { firstComponents } from "../TakeInSteps.ts"
import { pageZone } from "../ZoneNames.ts"

/** The refs of what a resource shows. Groups of monitors are not resources of ours. */
const observed: Readonly<Record<string, string>> = { Monitor: "monitor", Heartbeat: "heartbeat" }

const componentOf = (sections: ReadonlyMap<string, string>) => (entry: Loose): ReadonlyArray<FoundComponent> => {
  const id = textAt(entry, "id")
  const resource = recordOf(entry["attributes"])
  if (id === null) return []
  const notes = makeNotes()
  const name = textAt(resource, "public_name") ?? `Resource ${id}`
  const type = textAt(resource, "resource_type") ?? ""
  const kind = observed[type]
  const resourceId = textAt(resource, "resource_id")
  if (kind === undefined) notes.say(`It shows a ${type === "" ? "resource" : type}, which is not carried: choose its monitors`)
  const group = sections.get(textAt(resource, "status_page_section_id") ?? "")
  return foundComponent(notes, `component:${id}`, { name, description: textAt(resource, "explanation"), group }, {
    monitorRefs: kind === undefined || resourceId === null ? [] : [`${kind}:${resourceId}`]
  })
}

export const betterPage = (
  entry: Loose,
  { resources, sections }: Readonly<Record<"sections" | "resources", ReadonlyArray<Loose>>>,
  warnings: Array<string>
): FoundPage | null => {
  const id = textAt(entry, "id")
  if (id === null) return null
  const page = recordOf(entry["attributes"])
  const notes = makeNotes()
  const name = textAt(page, "company_name", "subdomain") ?? `Status page ${id}`
  const domain = textAt(page, "custom_domain")
  const locked = flagAt(page, "password_enabled")
  if (domain !== null) notes.say(`Its domain ${domain} is not carried: set customDomain when you move its DNS record`)
  if (locked) notes.say("Its password is not carried; the page is private")
  const names = new Map(
    sections.map((section) => [textAt(section, "id") ?? "", textAt(recordOf(section["attributes"]), "name") ?? "Status"])
  )
  return {
    ref: `page:${id}`,
    name,
    input: pageInput(notes, {
      name: cut(notes, "The name", name, 100),
      visibility: locked ? "private" : null,
      branding: textAt(page, "company_url") === null ? null : { websiteUrl: textAt(page, "company_url") },
      settings: pageZone(notes, textAt(page, "timezone"))
    }),
    notes: notes.all,
    components: firstComponents(name, resources, warnings).flatMap(componentOf(names))
  }
}
