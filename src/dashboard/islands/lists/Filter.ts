/**
 * Finds choices by their text in a long list of boxes. Checked ones stay in sight. Of components it also counts the chosen ones of
 * each group, and sets one status for all of them.
 */
import { counted } from "../../../domain/tools/text/Counted.ts"
import { make } from "../Dom.ts"

/** A shorter list needs no search. */
const mostInSight = 16

const boxIn = (choice: HTMLElement) => choice.querySelector<HTMLInputElement>("input[type=checkbox]")

const isChosen = (choice: HTMLElement): boolean => boxIn(choice)?.checked === true

const choicesIn = (within: ParentNode) => [...within.querySelectorAll<HTMLElement>(".pickable,.choices>.choice")]

const followGroups = (element: HTMLElement): void => {
  const groups = [...element.querySelectorAll("details")].map((group) => {
    const note = group.querySelector("[data-chosen]")
    return { note, choices: choicesIn(group), all: counted(choicesIn(group).length, "component") }
  })
  element.addEventListener("change", () => {
    for (const { all, choices, note } of groups) {
      const chosen = choices.filter(isChosen).length
      if (note !== null) note.textContent = chosen === 0 ? all : `${chosen} chosen`
    }
  })
}

const followSetAll = (element: HTMLElement): void => {
  const control = element.querySelector<HTMLElement>("[data-set-all]")
  const status = control?.querySelector("select") ?? null
  if (control === null || status === null) return
  control.hidden = false
  status.addEventListener("change", () => {
    for (const choice of choicesIn(element).filter(isChosen)) {
      const own = choice.querySelector("select")
      if (own !== null && status.value !== "") own.value = status.value
    }
  })
}

/** Shows the boxes with the text, opens their groups, and returns the number of boxes shown. */
const showLike = (element: HTMLElement, choices: ReadonlyArray<HTMLElement>, wanted: string): number => {
  for (const choice of choices) {
    choice.hidden = !isChosen(choice) && !(choice.querySelector("span")?.textContent ?? "").toLowerCase().includes(wanted)
  }
  for (const group of element.querySelectorAll("details")) {
    const some = choicesIn(group).some(({ hidden }) => !hidden)
    group.hidden = !some
    group.open = wanted === "" ? choicesIn(group).some(isChosen) : some
  }
  return choices.filter(({ hidden }) => !hidden).length
}

const addSearch = (element: HTMLElement, list: HTMLElement, choices: ReadonlyArray<HTMLElement>): void => {
  const group = element.closest("[role=group]")
  const named = document.getElementById(group?.getAttribute("aria-labelledby") ?? "") ??
    element.closest("fieldset")?.querySelector("legend")
  const label = `Find in ${named?.textContent ?? "the list"}`
  const search = make("input", { "type": "search", "placeholder": "Find by name", "aria-label": label })
  const status = make("p", { class: "note", role: "status" })
  search.addEventListener("input", (event) => {
    // It is no field of the form.
    event.stopPropagation()
    const wanted = search.value.trim().toLowerCase()
    const seen = showLike(element, choices, wanted)
    status.textContent = wanted === "" ? "" : `${seen} of ${choices.length} shown`
  })
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault()
  })
  list.before(search)
  list.after(status)
}

export const mount = (element: HTMLElement): void => {
  const list = element.querySelector<HTMLElement>(".choices,.picker")
  const choices = choicesIn(element)
  if (list === null) return
  followGroups(element)
  followSetAll(element)
  if (choices.length > mostInSight) addSearch(element, list, choices)
}
