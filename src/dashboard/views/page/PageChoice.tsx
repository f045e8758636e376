/** The pages and components that a form offers: of many pages, the components of one at a time, which the person chooses. */
import { Effect } from "effect"
import { read, readOrNull } from "../../frame/DashboardApi.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"
import { type Section, sectionsOf } from "./ComponentPicker.tsx"

/** Up to this many pages, all components are offered. */
const few = 3

/** All pages that a workspace can have. */
const mostPages = 200

export interface Offered {
  readonly pages: ReadonlyArray<readonly [id: string, name: string]>
  readonly sections: ReadonlyArray<Section>
  /** The page whose components are offered; null where all are. */
  readonly of: string | null
}

/** The page is chosen by `?page=`. */
export const readPageChoices = Effect.gen(function*() {
  const { query } = yield* Visit
  const { data } = yield* read("list_pages", { components: false, limit: mostPages })
  const pages = data.map(({ id, name }) => [id, name] as const)
  if (pages.length <= few) {
    const { data: whole } = yield* read("list_pages", { limit: few })
    return { pages, sections: sectionsOf(whole), of: null } satisfies Offered
  }
  const asked = query.get("page")
  const of = pages.find(([id]) => id === asked)?.[0] ?? pages[0]?.[0] ?? null
  const page = of === null ? null : yield* readOrNull("get_page", { pageId: of })
  return { pages, sections: page === null ? [] : sectionsOf([page]), of } satisfies Offered
})

/** Chooses the page; keeps the other parameters of the address. */
export const PagePicker = ({ choices: { of, pages } }: { readonly choices: Offered }) => {
  const { query } = useVisit()
  return of === null ? null : (
    <form method="get" class="inline" data-carry>
      {[...query].filter(([name]) => name !== "page").map(([name, value]) => <input type="hidden" name={name} value={value} />)}
      <div class="field">
        <label for="components-of">Components of</label>
        <select id="components-of" name="page">
          {pages.map(([id, name]) => <option value={id} selected={id === of}>{name}</option>)}
        </select>
      </div>
      <button class="plain">Show</button>
    </form>
  )
}
