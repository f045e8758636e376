/** Closes what lies over the view: menus and sheets by Escape, menus also by a click elsewhere. They open without a script. */

const menus = ".workspace[open],.top>details[open]"
const sheets = ".acts details[open]"

export const followMenus = (): void => {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]") !== null) return
    // Within another one, the inner one comes last.
    const open = [...document.querySelectorAll<HTMLDetailsElement>(`${menus},${sheets}`)].at(-1)
    if (open === undefined) return
    open.open = false
    open.querySelector("summary")?.focus()
  })
  document.addEventListener("click", ({ target }) => {
    for (const open of document.querySelectorAll<HTMLDetailsElement>(menus)) {
      if (target instanceof Node && !open.contains(target)) open.open = false
    }
  })
}
