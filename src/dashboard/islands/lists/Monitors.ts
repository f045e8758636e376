/** The keyboard and the selection of the list of monitors: j and k, Enter, x, ranges with Shift, and how many are selected. */
import { counted } from "../../../domain/tools/text/Counted.ts"
import { hasLetterKeys, isTyping } from "../Dom.ts"

const boxes = (): ReadonlyArray<HTMLInputElement> => [...document.querySelectorAll<HTMLInputElement>(".monitors [name=_row]")]

const titles = (): ReadonlyArray<HTMLAnchorElement> => [
  ...document.querySelectorAll<HTMLAnchorElement>(".monitors .lead .title")
]

const set = (box: HTMLInputElement, checked: boolean): void => {
  if (box.checked === checked) return
  box.checked = checked
  box.dispatchEvent(new Event("input", { bubbles: true }))
}

/** The box that was changed last: where a range begins. */
let last: HTMLInputElement | null = null

/** Gives all boxes between the last one and this one the state of this one. */
const range = (box: HTMLInputElement): void => {
  const all = boxes()
  const [from, to] = [last === null ? -1 : all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b)
  if (from === undefined || to === undefined || from < 0) return
  for (const one of all.slice(from, to + 1)) set(one, box.checked)
}

const showSelected = (): void => {
  const all = boxes()
  const selected = all.filter(({ checked }) => checked).length
  for (const element of document.querySelectorAll<HTMLElement>("[data-selected]")) {
    element.textContent = selected === 0 ? "" : `${counted(selected, element.dataset["selected"] ?? "row")} selected`
  }
  for (const box of document.querySelectorAll<HTMLInputElement>("[data-all=_row]")) {
    box.checked = selected > 0 && selected === all.length
    box.indeterminate = selected > 0 && selected < all.length
  }
  // Live updates keep a selection, also one that the browser has restored after "Back".
  document.querySelector("form.bulk")?.toggleAttribute("data-dirty", selected > 0)
}

const unselect = (): void => {
  for (const box of boxes()) set(box, false)
  last = null
}

/** The box of a row takes no text. */
const isBox = (target: EventTarget | null): boolean => target instanceof HTMLInputElement && target.type === "checkbox"

const rowOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest(".monitors tbody tr") : null

const move = (step: 1 | -1): void => {
  const all = titles()
  const at = all.findIndex((title) => title.closest("tr") === rowOf(document.activeElement))
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))]
  next?.focus()
  next?.closest("tr")?.scrollIntoView({ block: "nearest" })
}

const toggle = (extend: boolean): void => {
  const box = rowOf(document.activeElement)?.querySelector<HTMLInputElement>("[name=_row]") ?? null
  if (box === null) return
  set(box, !box.checked)
  if (extend) range(box)
  last = box
}

const keys: Readonly<Record<string, (shift: boolean) => void>> = {
  j: () => move(1),
  k: () => move(-1),
  x: toggle,
  X: toggle,
  Escape: unselect
}

export const mount = (): void => {
  document.addEventListener("click", (event) => {
    const { target } = event
    if (!(target instanceof HTMLElement)) return
    if (target.matches("[data-unselect]")) return unselect()
    if (!(target instanceof HTMLInputElement) || target.name !== "_row") return
    if (event.shiftKey) range(target)
    last = target
  })
  document.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement && target.name === "_row") showSelected()
  })
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (isTyping(event) && !isBox(event.target))) return
    if (document.querySelector("dialog[open]") !== null) return
    const act = keys[event.key]
    const isOff = event.key.length === 1 && !hasLetterKeys()
    if (act !== undefined && !isOff && titles().length > 0) act(event.shiftKey)
    // A browser would press the form's first button.
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault()
      rowOf(event.target)?.querySelector<HTMLAnchorElement>(".title")?.click()
    }
  })
  for (const button of document.querySelectorAll<HTMLElement>("[data-unselect]")) button.hidden = false
  showSelected()
}
