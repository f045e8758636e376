/** Scripts of forms: names from addresses, typed values kept in live updates, busy buttons, deletions that ask first. */

import { completed } from "../frame/FormBody.ts"
import { showBusy, showIdle } from "./Busy.ts"
import { followUnsent } from "./Unsent.ts"

const setBusy = (form: HTMLFormElement, pressed: HTMLElement | null): void => {
  for (const button of form.querySelectorAll("button")) button.setAttribute("aria-disabled", "true")
  showBusy(form, pressed)
}

const setFree = (): void => {
  showIdle()
  for (const form of document.querySelectorAll("form[aria-busy]")) {
    form.removeAttribute("aria-busy")
    for (const button of form.querySelectorAll("button")) button.removeAttribute("aria-disabled")
  }
}

/** Fills a name that nobody typed with the host of the address. */
const nameAfter = (address: HTMLInputElement): void => {
  const name = address.form?.querySelector<HTMLInputElement>(`input[data-host-of="${address.name.split(":", 1)[0] ?? ""}"]`)
  if (name === null || name === undefined || name.dataset["typed"] !== undefined) return
  const url = completed(address.name, address.value)
  name.value = URL.canParse(url) ? new URL(url).host : ""
}

/** Checks the boxes of a table, or unchecks them. */
const checkAll = ({ checked, dataset }: HTMLInputElement): void => {
  for (const box of document.querySelectorAll<HTMLInputElement>(`input[type=checkbox][name="${dataset["all"] ?? ""}"]`)) {
    box.checked = checked
    box.dispatchEvent(new Event("input", { bubbles: true }))
  }
}

export const followForms = (): void => {
  document.addEventListener("input", ({ target }) => {
    if (!(target instanceof Element)) return
    target.closest("form")?.setAttribute("data-dirty", "")
    if (!(target instanceof HTMLInputElement)) return
    if (target.dataset["hostOf"] !== undefined) target.dataset["typed"] = ""
    else if (target.inputMode === "url") nameAfter(target)
  })
  document.addEventListener("submit", (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return
    // A second click while the first is under way would submit again.
    if (form.getAttribute("aria-busy") === "true") return event.preventDefault()
    // The view stays where the answer is saved as a file.
    if (form.elements.namedItem("_file") !== null) return
    const { submitter } = event
    setTimeout(() => setBusy(form, submitter), 0)
  })
  // A page that comes back from the browser's cache is no longer busy.
  addEventListener("pageshow", setFree)
  followUnsent(setFree)
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof Element)) return
    if (target instanceof HTMLInputElement) {
      // Shows the completed address: `https://example.com` of `example.com`.
      if (target.name.includes(":")) target.value = completed(target.name, target.value)
      if (target.dataset["all"] !== undefined) checkAll(target)
    }
    // Filters apply as they change.
    if (target.matches("select,input[type=checkbox]")) target.closest<HTMLFormElement>("form[data-auto]")?.requestSubmit()
  })
}
