/**
 * What a form would change: named with both values, undone one by one or altogether. What was there before the last publication can be
 * brought back.
 */
import { lineDifference } from "../../domain/incident/LineDifference.ts"
import { type Control, isControl, make, makeButton } from "./Dom.ts"

/** Values by the names of their fields. */
type Values = Readonly<Record<string, string>>

interface Change {
  readonly name: string
  readonly label: string
  readonly before: string
  readonly after: string
}

/** The controls of a form by name; those of a radio group are together. */
const controlsOf = (form: HTMLFormElement): ReadonlyMap<string, ReadonlyArray<Control>> => {
  const found = new Map<string, Array<Control>>()
  for (const control of [...form.elements].filter(isControl)) {
    const { name, type } = control
    if (name === "" || name.startsWith("_") || type === "hidden") continue
    const same = found.get(name) ?? []
    same.push(control)
    found.set(name, same)
  }
  return found
}

const isChoice = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && (control.type === "radio" || control.type === "checkbox")

const chosen = (controls: ReadonlyArray<Control>, which: "checked" | "defaultChecked"): string =>
  controls.find((control) => isChoice(control) && control[which])?.value ?? ""

const valueOf = (controls: ReadonlyArray<Control>): string => {
  const [first] = controls
  return first === undefined ? "" : isChoice(first) ? chosen(controls, "checked") : first.value
}

/** The value that the server has. */
const savedOf = (controls: ReadonlyArray<Control>): string => {
  const [first] = controls
  if (first === undefined) return ""
  if (isChoice(first)) return chosen(controls, "defaultChecked")
  if (!(first instanceof HTMLSelectElement)) return first.defaultValue
  return ([...first.options].find(({ defaultSelected }) => defaultSelected) ?? first.options[0])?.value ?? ""
}

/** Sets a value and notifies everything that follows the form. */
const give = (controls: ReadonlyArray<Control>, value: string): void => {
  const [first] = controls
  if (first === undefined) return
  for (const control of controls) {
    if (isChoice(control)) control.checked = control.value === value
    else control.value = value
  }
  first.dispatchEvent(new Event("input", { bubbles: true }))
}

const labelOf = ([first]: ReadonlyArray<Control>): string =>
  (first?.type === "radio" ? first.closest("fieldset")?.querySelector("legend") : first?.labels?.[0]?.firstChild)?.textContent
    ?.trim() ?? "Field"

const pathOf = (name: string): string => name.split(":", 1)[0] ?? ""

/** `published` has the values that differ from those with which the form was shown, by the paths of their fields. */
const changesIn = (form: HTMLFormElement, published: Values): ReadonlyArray<Change> =>
  [...controlsOf(form)].flatMap(([name, controls]) => {
    const [before, after] = [published[pathOf(name)] ?? savedOf(controls), valueOf(controls)]
    return before === after ? [] : [{ name, label: labelOf(controls), before, after }]
  })

const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string")

/** A browser may keep nothing, for privacy or for lack of room; the form works without. */
const keptAt = (key: string) => {
  const within = <A>(use: () => A, otherwise: A): A => {
    // Storage throws where it is forbidden or full.
    try {
      return use()
    } catch {
      return otherwise
    }
  }
  return {
    read: (): Values | null =>
      within(() => {
        const value: unknown = JSON.parse(localStorage.getItem(key) ?? "null")
        return isValues(value) ? value : null
      }, null),
    keep: (values: Values): void => within(() => localStorage.setItem(key, JSON.stringify(values)), undefined)
  }
}

const fill = (form: HTMLFormElement, values: Values): void => {
  const controls = controlsOf(form)
  for (const [name, value] of Object.entries(values)) give(controls.get(name) ?? [], value)
}

/** An uploaded picture has no name that says anything. */
const shownValue = (value: string): string =>
  value === "" ? "nothing" : value.includes("/images/img_") ? "uploaded picture" : value

/** One line beside the other; of long texts the lines that differ. */
const difference = ({ after, before }: Change): HTMLElement =>
  before.includes("\n") || after.includes("\n")
    ? make(
      "pre",
      { class: "block diff", tabindex: "0" },
      ...lineDifference(before, after).filter(({ change }) => change !== "same").map(({ change, line }) =>
        make(change === "added" ? "ins" : "del", {}, `${change === "added" ? "+" : "-"} ${line}\n`)
      )
    )
    : make("span", {}, make("del", {}, shownValue(before)), " → ", make("ins", {}, shownValue(after)))

const counted = (changes: ReadonlyArray<Change>): string =>
  changes.length === 0
    ? "No changes"
    : changes.length === 1
    ? "1 change, not published"
    : `${changes.length} changes, not published`

const lineOf = (form: HTMLFormElement, change: Change): HTMLElement =>
  make(
    "li",
    {},
    make("b", {}, change.label),
    difference(change),
    makeButton("Undo", () => give(controlsOf(form).get(change.name) ?? [], change.before), {
      "aria-label": `Undo: ${change.label}`
    })
  )

const valuesOf = (form: HTMLFormElement, read: (controls: ReadonlyArray<Control>) => string): Values =>
  Object.fromEntries([...controlsOf(form)].map(([name, controls]) => [name, read(controls)]))

/** The steps that can be undone. Typing in one field is one step. */
const makeSteps = (form: HTMLFormElement) => {
  const done: Array<readonly [name: string, value: string]> = []
  let known = valuesOf(form, valueOf)
  return {
    count: (): number => done.length,
    note: (): void => {
      const now = valuesOf(form, valueOf)
      for (const [name, value] of Object.entries(now)) {
        const before = known[name] ?? ""
        if (before !== value && done.at(-1)?.[0] !== name) done.push([name, before])
      }
      known = now
    },
    /** The steps of undo begin at the current values. */
    begin: (): void => {
      known = valuesOf(form, valueOf)
      done.length = 0
    },
    undo: (): void => {
      const [name, value] = done.pop() ?? []
      if (name === undefined || value === undefined) return
      known = { ...known, [name]: value }
      const controls = controlsOf(form).get(name) ?? []
      give(controls, value)
      controls[0]?.focus()
    }
  }
}

/** `key` names the record that the form is about. `box` says which values are published where the form shows a draft. */
export const followChanges = (form: HTMLFormElement, box: HTMLElement, key: string): void => {
  const former = keptAt(`belltower.former.${key}`)
  const given: unknown = JSON.parse(box.dataset["changes"] ?? "{}")
  const published = isValues(given) ? given : {}
  const hasDraft = box.dataset["draft"] !== undefined
  const steps = makeSteps(form)
  const status = make("p", { role: "status" })
  const list = make("ul", { class: "plain-list" })
  const details = make("details", { class: "more" }, make("summary", {}, "Show changes"), list)
  const undo = makeButton("Undo", steps.undo)
  const discard = makeButton("Discard all", () => {
    for (const { before, name } of changesIn(form, published)) give(controlsOf(form).get(name) ?? [], before)
    if (!hasDraft) form.removeAttribute("data-dirty")
  })
  const back = makeButton("Bring back what was published before", () => {
    fill(form, former.read() ?? {})
    back.hidden = true
  })
  const show = () => {
    const changes = changesIn(form, published)
    status.textContent = counted(changes)
    list.replaceChildren(...changes.map((change) => lineOf(form, change)))
    for (const element of [details, discard]) element.hidden = changes.length === 0
    undo.hidden = steps.count() === 0
    return changes
  }
  form.addEventListener("input", () => {
    steps.note()
    show()
  })
  form.addEventListener("submit", ({ submitter }) => {
    if (!(submitter instanceof HTMLButtonElement) || submitter.value !== "publish") return
    const changes = changesIn(form, published)
    if (changes.length > 0) former.keep(Object.fromEntries(changes.map(({ before, name }) => [name, before])))
  })
  box.append(status, make("span", { class: "buttons" }, undo, discard, back), details)
  steps.begin()
  const changes = show()
  back.hidden = former.read() === null || changes.length > 0
}
