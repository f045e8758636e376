/** The pages and components that a form offers: of many pages, the components of one at a time, which the person chooses. */
import { Effect } from "effect"
import type { Component } from "../../../../schema/component/Component.ts"
import { counted } from "../../design/Counted.ts"
import { useTyped } from "../../design/FieldState.tsx"
import { read, readOrNull } from "../../frame/DashboardApi.ts"
import { useVisit, Visit } from "../../frame/Visit.ts"

/** Components of so many pages are offered together. */
const few = 3

export interface Offered {
  readonly pages: ReadonlyArray<readonly [id: string, name: string]>
  readonly components: ReadonlyArray<Component>
  /** The page whose components are offered; null where all are. */
  readonly of: string | null
}

/** `?page=` chooses. */
export const readPageChoices = Effect.gen(function*() {
  const { query } = yield* Visit
  const { data } = yield* read("list_pages", { components: false, limit: 100 })
  const pages = data.map(({ id, name }) => [id, name] as const)
  if (pages.length <= few) {
    const { data: whole } = yield* read("list_pages", { limit: few })
    return { pages, components: whole.flatMap(({ components }) => components), of: null } satisfies Offered
  }
  const asked = query.get("page")
  const of = pages.find(([id]) => id === asked)?.[0] ?? pages[0]?.[0] ?? null
  const page = of === null ? null : yield* readOrNull("get_page", { pageId: of })
  return { pages, components: page?.components ?? [], of } satisfies Offered
})

/** Keeps the components of a field that are not among those offered. */
export const OtherComponents = ({ components, ids }: {
  readonly ids: ReadonlyArray<string>
  readonly components: ReadonlyArray<Pick<Component, "id">>
}) => {
  const typed = useTyped()?.get("componentIds:all")?.filter((id) => id !== "")
  const others = (typed ?? ids).filter((id) => !components.some((one) => one.id === id))
  return others.length === 0 ? null : (
    <p class="note">
      {others.map((id) => <input type="hidden" name="componentIds:all" value={id} />)}
      And {counted(others.length, "component")} of other pages.
    </p>
  )
}

/** Chooses the page; what else the address says stays. */
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
