/** "Copy as API call": keeps the text of a form's call current with its fields, and copies. */
import { formBody } from "../frame/FormBody.ts"
import { type CallShape, snippetsOf } from "../frame/Snippets.ts"
import { announce, fieldsIn } from "./Dom.ts"

const isShape = (value: unknown): value is CallShape => typeof value === "object" && value !== null && "path" in value

const show = (details: HTMLDetailsElement): void => {
  const form = document.getElementById(details.dataset["form"] ?? "")
  const shape: unknown = JSON.parse(details.dataset["shape"] ?? "null")
  if (!(form instanceof HTMLFormElement) || !isShape(shape)) return
  const text = snippetsOf(details.dataset["base"] ?? location.origin, shape, formBody(fieldsIn(form)))
  const texts = [text.curl, text.typescript, text.mcp]
  for (const [index, pre] of [...details.querySelectorAll("pre")].entries()) pre.textContent = texts[index] ?? ""
}

/** Buttons that copy are hidden without a script, and where the browser lets no page copy: over plain HTTP. */
export const showCopyButtons = (): void => {
  if (!("clipboard" in navigator)) return
  for (const button of document.querySelectorAll<HTMLElement>("[data-copy][hidden]")) button.hidden = false
}

const copied = "Copied"

export const followCopies = (): void => {
  showCopyButtons()
  document.addEventListener("toggle", ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.matches(".call[data-form][open]")) show(target)
  }, true)
  document.addEventListener("input", ({ target }) => {
    const open = target instanceof Element ? target.closest("form")?.querySelector(".call[data-form][open]") : null
    if (open instanceof HTMLDetailsElement) show(open)
  })
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null
    if (button === null) return
    const source = document.getElementById(button.dataset["copy"] ?? "")
    void navigator.clipboard.writeText(button.dataset["text"] ?? source?.textContent ?? "").then(() => {
      announce(copied)
      // Pressed again before it has its own words back.
      if (button.textContent === copied) return
      const before = [...button.childNodes]
      button.replaceChildren(copied)
      setTimeout(() => button.replaceChildren(...before), 1500)
    })
  })
}
