/** Rows of fields in an order: adds buttons to move, remove and add rows, and keeps the names of their fields in order. */
import { make, makeButton } from "./Dom.ts"

let copies = 0

const containersIn = (row: HTMLElement): ReadonlyArray<HTMLElement> =>
  [...row.querySelectorAll<HTMLElement>("[data-rows]")].filter((inner) => inner.parentElement?.closest("[data-row]") === row)

const rowsOf = (container: HTMLElement): ReadonlyArray<HTMLElement> =>
  [...container.children].filter((child): child is HTMLElement =>
    child instanceof HTMLElement && child.dataset["row"] !== undefined
  )

/** The fields of a row itself, not of rows within it. */
const fieldsOf = (row: HTMLElement): ReadonlyArray<HTMLInputElement | HTMLSelectElement> =>
  [...row.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input[name],select[name]")].filter((field) =>
    field.closest("[data-row]") === row
  )

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Gives the rows their numbers, as `levels.0`, `levels.1`. */
const number = (container: HTMLElement, path: string): void => {
  const own = new RegExp(`^.*?${escaped(container.dataset["rows"] ?? "")}\\.\\d+(?=[.:]|$)`)
  const nested = new RegExp(`^.*\\.${escaped(container.dataset["rows"] ?? "")}\\.\\d+(?=[.:]|$)`)
  for (const [at, row] of rowsOf(container).entries()) {
    const numbered = `${path}.${at}`
    for (const field of fieldsOf(row)) field.name = field.name.replace(path.includes(".") ? nested : own, numbered)
    for (const inner of containersIn(row)) number(inner, `${numbered}.${inner.dataset["rows"] ?? ""}`)
    const label = fieldsOf(row)[0]?.labels?.[0]
    // A label that ends with the row's number, as "Level 2".
    const space = label?.firstChild instanceof Text ? label.firstChild.data.lastIndexOf(" ") : -1
    if (label?.firstChild instanceof Text && space >= 0 && /^\d{1,4}$/.test(label.firstChild.data.slice(space + 1))) {
      label.firstChild.data = `${label.firstChild.data.slice(0, space)} ${at + 1}`
    }
  }
}

/** A copy of a row whose ids are its own. */
const copyOf = (pattern: HTMLElement): HTMLElement => {
  const copy = pattern.cloneNode(true)
  if (!(copy instanceof HTMLElement)) return pattern
  const suffix = `-copy${++copies}`
  for (const element of copy.querySelectorAll("[id]")) element.id += suffix
  for (const attribute of ["for", "aria-describedby"]) {
    for (const element of copy.querySelectorAll(`[${attribute}]`)) {
      element.setAttribute(attribute, `${element.getAttribute(attribute) ?? ""}${suffix}`)
    }
  }
  return copy
}

const waitOf = (row: HTMLElement): HTMLInputElement | null => {
  const wait = row.querySelector<HTMLInputElement>(".wait input")
  return wait?.closest("[data-row]") === row ? wait : null
}

/** The first row has no wait, so a row that moves down from it takes the wait of the row that moves up. */
const exchangeWaits = (one: HTMLElement, other: HTMLElement): void => {
  const [wait, otherWait] = [waitOf(one), waitOf(other)]
  if (wait === null || otherWait === null) return
  const before = wait.value
  wait.value = otherWait.value
  otherWait.value = before
}

const isBlank = (row: HTMLElement): boolean =>
  [...row.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input[name],select[name]")].every(({ value }) => value === "")

const setUp = (container: HTMLElement, changed: () => void): void => {
  const what = container.dataset["what"] ?? "row"
  const rows = rowsOf(container)
  const last = rows.at(-1)
  if (last === undefined) return
  // The pattern is copied before it gets buttons, so that copies get their own.
  const pattern = copyOf(last)
  for (const row of rows.filter(isBlank).slice(rows.every(isBlank) ? 1 : 0)) row.remove()
  const move = (row: HTMLElement, by: -1 | 1) => {
    const other = by === -1 ? row.previousElementSibling : row.nextElementSibling
    if (!(other instanceof HTMLElement) || other.dataset["row"] === undefined) return
    if ([row, other].some((one) => one === rowsOf(container)[0])) exchangeWaits(row, other)
    if (by === -1) other.before(row)
    else other.after(row)
    changed()
  }
  const equip = (row: HTMLElement) => {
    const up = makeButton("↑", () => {
      move(row, -1)
      up.focus()
    }, { "aria-label": `Move ${what} up` })
    const down = makeButton("↓", () => {
      move(row, 1)
      down.focus()
    }, { "aria-label": `Move ${what} down` })
    const remove = makeButton("✕", () => {
      if (rowsOf(container).length === 1) return
      const next = row.nextElementSibling?.querySelector<HTMLElement>("select,input,button")
      row.remove()
      changed()
      next?.focus()
    }, { "aria-label": `Remove ${what}` })
    row.append(make("div", { class: "ordered-tools" }, up, down, remove))
    for (const inner of containersIn(row)) setUp(inner, changed)
  }
  for (const row of rowsOf(container)) equip(row)
  const add = makeButton(container.dataset["add"] ?? "Add", () => {
    const row = copyOf(pattern)
    // A wait that suits most; the first level has none.
    for (const wait of row.querySelectorAll<HTMLInputElement>(".wait input")) wait.value = "5 min"
    add.before(row)
    equip(row)
    changed()
    row.querySelector<HTMLElement>("select,input")?.focus()
  })
  container.append(add)
}

export const mount = (element: HTMLElement): void => {
  const container = element.querySelector<HTMLElement>("[data-rows]")
  if (container === null) return
  const changed = () => {
    number(container, container.dataset["rows"] ?? "")
    for (const first of container.querySelectorAll<HTMLInputElement>("[data-row]:first-child .wait input")) {
      if (first.value === "" && first.closest("[data-rows]") === container) first.value = "0 min"
    }
    element.dispatchEvent(new Event("input", { bubbles: true }))
  }
  setUp(container, changed)
  number(container, container.dataset["rows"] ?? "")
}
