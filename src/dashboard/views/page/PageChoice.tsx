/** The pages and components that a form offers: of many pages, the components of one at a time, which the person chooses. */
import { Effect } from "effect"
import { PlainSelect } from "../../design/Filters.tsx"
import { read, readOrNull } from "../../frame/View.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"
import { sectionsOf } from "./ComponentPicker.tsx"

/** Up to this many pages, all components are offered. */
const few = 3

/** All pages that a workspace can have. */
const mostPages = 200

/** The page is chosen by `?page=`; `of` is the page whose components are offered, null where all are. */
export const readPageChoices = Effect.gen(function*() {
  const { query } = yield* Visit
  const { data } = yield* read("list_pages", { components: false, limit: mostPages })
  const pages = data.map(({ id, name }) => [id, name] as const)
  if (pages.length <= few) {
    const { data: whole } = yield* read("list_pages", { limit: few })
    return { pages, sections: sectionsOf(whole), of: null }
  }
  const asked = query.get("page")
  const of = pages.find(([id]) => id === asked)?.[0] ?? pages[0]?.[0] ?? null
  const page = of === null ? null : yield* readOrNull("get_page", { pageId: of })
  return { pages, sections: page === null ? [] : sectionsOf([page]), of }
})

type Offered = Effect.Effect.Success<typeof readPageChoices>

/** Chooses the page; keeps the other parameters of the address. */
export const PagePicker = ({ choices: { of, pages } }: { readonly choices: Offered }) => {
  const { query } = useVisit()
  return of === null ? null : (
    <form method="get" class="inline" data-carry>
      {[...query].filter(([name]) => name !== "page").map(([name, value]) => <input type="hidden" name={name} value={value} />)}
      <PlainSelect id="components-of" label="Components of" name="page" value={of} options={pages} />
      <button class="plain">Show</button>
    </form>
  )
}
