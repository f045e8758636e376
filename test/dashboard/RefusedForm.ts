/** The message and the values that a page must show after it refused a form. */
import { attributeOf, unescaped } from "../support/browser/FormIn.ts"
import type { Answer } from "../support/browser/Visitor.ts"
import type { Control, ServedForm } from "./AllForms.ts"

export type Sent = ReadonlyArray<readonly [name: string, value: string]>

/** The kinds of controls into which people type words. */
const words = new Set(["text", "search", "textarea"])

/** A text that no field of the workspace has. */
const sample = (index: number): string => `kept ${index} <&">`

/** Whether somebody types into the control; of a password, nothing is kept. */
export const isTyped = ({ kind, name }: Control): boolean => words.has(kind) && !name.startsWith("_")

/** The form as a person has filled it in: words where words can be typed. */
export const filled = ({ controls }: ServedForm): Sent =>
  controls.map((control, index) => [control.name, isTyped(control) ? sample(index) : control.value] as const)

/** The same with values that are accepted: what the form had, and words where any words are. */
export const plausible = ({ controls }: ServedForm): Sent =>
  controls.map(({ name, value }, index) =>
    [name, /^(?:name|title|message|note|reason|description|body)\b/.test(name) ? sample(index) : value] as const
  )

const isSecret = (name: string): boolean => /password|secret|token|key|code/i.test(name)

/** The text that must still be on the page: the words that were typed, but for secrets. */
const lostOf = (html: string, { controls }: ServedForm, sent: Sent): ReadonlyArray<string> => {
  const text = unescaped(html)
  return sent.filter(([name, value], index) => {
    const control = controls[index]
    return control !== undefined && isTyped(control) && value.trim() !== "" && !isSecret(name) && !text.includes(value)
  }).map(([name]) => `lost ${name}`)
}

/** Whether the place in a document is inside a disclosure that is closed. */
const isHidden = (html: string, at: number): boolean => {
  const open: Array<string> = []
  for (const [tag] of html.slice(0, at).matchAll(/<details\b[^>]*>|<\/details>/g)) {
    if (tag === "</details>") open.pop()
    else open.push(tag)
  }
  return open.some((tag) => !/\sopen(?=[\s=>])/.test(tag))
}

const alertIn = (html: string): { readonly at: number; readonly text: string } | null => {
  const found = /<(\w+)[^>]*role="alert"[^>]*>([\s\S]*?)<\/\1>/.exec(html)
  return found === null ? null : { at: found.index, text: (found[2] ?? "").replace(/<[^>]*>/g, " ").trim() }
}

/** Everything that is wrong with the page that answers a refused form. */
export const faultsOf = (form: ServedForm, sent: Sent, { headers, text }: Answer): ReadonlyArray<string> => {
  const alert = alertIn(text)
  return [
    headers.get("content-type")?.startsWith("text/html") === true ? null : "not a page",
    alert === null || alert.text.length < 12 ? "says nothing" : null,
    alert !== null && isHidden(text, alert.at) ? "says it in a closed disclosure" : null,
    /\{"error"|"code":|\n\s+at \w|\[object|undefined|_tag|Idempotency-Key/.test(text.replace(/<[^>]*>/g, " "))
      ? "shows internals"
      : null,
    /<a [^>]*href="\/(?:app|sign-in)/.test(text) ? null : "leads nowhere",
    ...lostOf(text, form, sent)
  ].filter((fault) => fault !== null)
}

/** Whether a control, of that name or any, is marked as refused, with words that it is described by. */
export const isMarked = (html: string, name: string | null = null): boolean =>
  [...html.matchAll(/<(?:input|select|textarea|div|fieldset)\b[^>]*aria-invalid="true"[^>]*>/g)].some(({ 0: tag, index }) => {
    const described = (attributeOf(tag, "aria-describedby") ?? "").split(" ")
    const says = described.some((id) => new RegExp(`id="${id}"[^>]*>[^<]{5,}`).test(html))
    return (name === null || attributeOf(tag, "name") === name) && says && !isHidden(html, index ?? 0)
  })
