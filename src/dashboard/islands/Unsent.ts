/**
 * Typed values that are not sent yet. A choice that shows other fields carries them on; a link that would lose them asks first.
 * Errors lead to their fields.
 */
import { type Control, fieldsIn, isControl, make } from "./Dom.ts"

const isChanged = (control: Control): boolean => {
  // Written by the server from typed values.
  if (control.dataset["typed"] !== undefined) return control.value !== ""
  if (control instanceof HTMLSelectElement) {
    const usual = [...control.options].findIndex(({ defaultSelected }) => defaultSelected)
    return control.selectedIndex !== Math.max(usual, 0)
  }
  if (control instanceof HTMLInputElement && (control.type === "checkbox" || control.type === "radio")) {
    return control.checked !== control.defaultChecked
  }
  return control.type !== "hidden" && control.value !== control.defaultValue && control.value !== ""
}

/** Rows belong together: `components` of `components.0.status`. */
const groupOf = (name: string): string => (name.split(":", 1)[0] ?? "").split(/\.\d/, 1)[0] ?? ""

const changesIn = (form: HTMLFormElement): ReadonlyArray<readonly [string, string]> => {
  const named = [...form.elements].filter(isControl).filter(({ name }) => name !== "" && !name.startsWith("_"))
  const groups = new Set(named.filter(isChanged).map(({ name }) => groupOf(name)))
  return fieldsIn(form).filter(([name]) => groups.has(groupOf(name)))
}

const unsentForms = () => [...document.querySelectorAll<HTMLFormElement>("form[data-call][data-dirty]")]

/** The form being sent: leaving needs no question. */
let sent: HTMLFormElement | null = null

const hidden = (name: string, value: string): HTMLInputElement => make("input", { type: "hidden", name, value })

/** Shows the view at an address with the typed values. False if there are none. */
const carriedTo = (address: URL): boolean => {
  const form = unsentForms().find((one) => changesIn(one).length > 0)
  if (form === undefined) return false
  const workspace = document.getElementById("content")?.dataset["workspace"]
  const query = new URLSearchParams({
    ...(workspace === undefined ? {} : { workspace }),
    _back: `${address.pathname}${address.search}`
  })
  const action = `/app/show?${query.toString()}`
  const fields = [hidden("_form", form.getAttribute("id") ?? ""), ...changesIn(form).map(([name, value]) => hidden(name, value))]
  const carrier = make("form", { method: "post", action }, ...fields)
  document.body.append(carrier)
  sent = form
  carrier.submit()
  return true
}

/** A form that asks for the same view with another choice. */
const addressOf = (form: HTMLFormElement): URL => {
  const address = new URL(form.getAttribute("action") ?? location.href, location.href)
  address.search = new URLSearchParams(fieldsIn(form).map(([name, value]) => [name, value])).toString()
  return address
}

/** The control of an error's link; what an island has put in its place has another element. */
const leadToField = (link: HTMLAnchorElement): boolean => {
  const control = document.getElementById(link.hash.slice(1))
  if (control === null) return false
  for (let around = control.closest("details"); around !== null; around = around.parentElement?.closest("details") ?? null) {
    around.open = true
  }
  control.focus()
  control.scrollIntoView({ block: "center" })
  return true
}

/** Values that the browser fills in again after "Back" or a reload are kept in live updates, like those just typed. */
const keepRestored = (): void => {
  const [entry] = performance.getEntriesByType("navigation")
  if (!(entry instanceof PerformanceNavigationTiming) || entry.type === "navigate") return
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-call]:not([data-kept])")) {
    if (changesIn(form).length > 0) form.setAttribute("data-dirty", "")
  }
}

/** `freed` gives the buttons of forms back that the person decided not to send. */
export const followUnsent = (freed: () => void): void => {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null
    if (link === null || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const isTaken = link.matches("[data-refusal] a")
      ? leadToField(link)
      : link.dataset["carry"] !== undefined && carriedTo(new URL(link.href))
    if (isTaken) event.preventDefault()
  })
  document.addEventListener("submit", (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return
    if (form.dataset["carry"] !== undefined && carriedTo(addressOf(form))) return event.preventDefault()
    sent = form
  })
  addEventListener("pageshow", () => {
    sent = null
    keepRestored()
  })
  addEventListener("beforeunload", (event) => {
    if (unsentForms().every((form) => form === sent)) return
    event.preventDefault()
    // Runs if the person stays.
    setTimeout(() => {
      sent = null
      freed()
    }, 0)
  })
}
