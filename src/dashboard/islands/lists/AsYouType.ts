/** Filters a list while its search is typed: the view is read again at the new address, and the field keeps the focus. */
import { fieldsIn } from "../Dom.ts"
import { showAddress } from "../Live.ts"

/** After the last key, milliseconds. */
const pause = 180

const addressOf = (form: HTMLFormElement): string => {
  const query = new URLSearchParams(
    fieldsIn(form).filter(([, value]) => value.trim() !== "").map(([name, value]) => [name, value])
  )
  const text = query.toString()
  return `${new URL(form.action).pathname}${text === "" ? "" : `?${text}`}`
}

/** Rows that are selected would stay, and nobody would see that others match. */
const unselect = (): void => {
  for (const form of document.querySelectorAll<HTMLFormElement>("form.bulk[data-dirty]")) {
    form.reset()
    form.removeAttribute("data-dirty")
  }
}

export const followSearches = (): void => {
  let timer = 0
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== "search") return
    const form = target.closest<HTMLFormElement>("form[data-auto]")
    if (form === null) return
    // The server's answer has what was typed, so the form may change with the view.
    form.removeAttribute("data-dirty")
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      unselect()
      void showAddress(addressOf(form))
    }, pause)
  })
}
