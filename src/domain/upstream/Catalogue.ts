/** The third parties that are known, by slug. */
import type { CatalogueComponent, CatalogueEntry } from "../../../schema/upstream/Catalogue.ts"
import { suggestion } from "../tools/text/Nearest.ts"

export type Catalogue = ReadonlyMap<string, CatalogueEntry>

/** Later lists replace entries of earlier ones by slug. */
export const catalogueOf = (...lists: ReadonlyArray<ReadonlyArray<CatalogueEntry>>): Catalogue =>
  new Map(lists.flat().map((entry) => [entry.service, entry]))

/** The component that stands for the service as a whole, which every service has. */
export const wholeService = "all"

/** The components that can be asked for, the service as a whole last. */
export const componentsOf = ({ components = [], name }: CatalogueEntry): ReadonlyArray<CatalogueComponent> =>
  components.some(({ slug }) => slug === wholeService)
    ? components
    : [...components, { slug: wholeService, name, match: [] }]

/** The problems of declared third parties: unknown ones would never explain anything. */
export const undeclarable = (
  declared: ReadonlyArray<{ readonly service: string; readonly component?: string }>,
  catalogue: Catalogue
) =>
  declared.flatMap(({ component, service }, index) => {
    const entry = catalogue.get(service)
    if (entry === undefined) {
      const message = `Unknown service ${service}${suggestion(service, [...catalogue.keys()])}`
      return [{ path: `upstreams.${index}.service`, message }]
    }
    const slugs = componentsOf(entry).map(({ slug }) => slug)
    return component === undefined || slugs.includes(component)
      ? []
      : [{ path: `upstreams.${index}.component`, message: `Unknown component ${component}; use one of ${slugs.join(", ")}` }]
  })
