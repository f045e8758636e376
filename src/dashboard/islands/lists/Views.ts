/** Saved views of a list: names for its addresses, kept in this browser for each workspace. */
import { addressChanged, make, makeButton } from "../Dom.ts"

/** The query of each view's address, by its name. */
type Saved = ReadonlyArray<readonly [name: string, query: string]>

const most = 20

const read = (key: string): Saved => [...new URLSearchParams(localStorage.getItem(key) ?? "")]

/** The address without its page. */
const currentQuery = (): string => {
  const query = new URLSearchParams(location.search)
  for (const name of [...query.keys()]) if (name === "after" || name === "trail" || query.get(name) === "") query.delete(name)
  query.sort()
  return query.toString()
}

const workspaceIn = (props: unknown): string =>
  typeof props === "object" && props !== null && "workspace" in props ? String(props.workspace) : ""

export const mount = (element: HTMLElement, props: unknown): void => {
  const key = `views-${workspaceIn(props)}`
  const keep = (views: Saved) => {
    localStorage.setItem(key, new URLSearchParams(views.map(([name, query]) => [name, query])).toString())
    show()
  }
  const without = (name: string): Saved => read(key).filter(([one]) => one !== name)
  const askName = () => {
    const input = make("input", { "aria-label": "Name of the view", "maxlength": "40", "required": "", "placeholder": "Name" })
    const form = make("form", {}, input, make("button", { class: "tight" }, "Save"), makeButton("Cancel", show))
    form.addEventListener("submit", (event) => {
      event.preventDefault()
      const name = input.value.trim()
      if (name === "") return
      keep([...without(name), [name, currentQuery()] as const].slice(-most))
    })
    element.querySelector("[data-save]")?.replaceWith(form)
    input.focus()
  }
  const show = () => {
    const views = read(key)
    const here = currentQuery()
    const links = views.map(([name, query]) => {
      const link = make(
        "a",
        { href: `${location.pathname}?${query}`, ...(query === here ? { "aria-current": "page" } : {}) },
        name
      )
      const forget = makeButton("✕", () => keep(without(name)), { "aria-label": `Forget ${name}` })
      return make("span", {}, link, forget)
    })
    const save = here === "" || views.some(([, query]) => query === here)
      ? []
      : [makeButton("Save this view", askName, { "data-save": "" })]
    element.replaceChildren(...links, ...save)
    element.classList.toggle("views", links.length + save.length > 0)
  }
  show()
  // The filter as it is typed changes the address.
  addEventListener(addressChanged, show)
}
