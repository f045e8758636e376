/** Every form that the dashboard serves to a person, found by following the links of its views, as a browser would find them. */
import { Effect } from "effect"
import { views } from "../../src/dashboard/views/Views.ts"
import { attributeOf, controlTags, fieldOf, unescaped } from "../support/browser/FormIn.ts"
import type { Visitor } from "../support/browser/Visitor.ts"

export interface Control {
  readonly name: string
  readonly value: string
  /** `hidden`, `select`, `textarea`, or the type of an input. */
  readonly kind: string
  readonly required: boolean
  /** The least number that the control takes. */
  readonly min: string | null
  /** The values that a select offers. */
  readonly options: ReadonlyArray<string>
}

export interface ServedForm {
  /** Its view and its id there, without the ids of records; empty for forms of the frame around all views. */
  readonly place: string
  /** The place, where it is sent, and the names of its fields: the same for forms that differ only in their record. */
  readonly key: string
  readonly path: string
  readonly action: string
  readonly controls: ReadonlyArray<Control>
}

const patterns = views.map(({ path }) => ({ path, matches: new RegExp(`^${path.replace(/:\w+/g, "[^/?]+")}$`) }))

const withoutIds = (text: string): string => text.replace(/[a-z]{2,6}_(?:[0-9a-z]{20,}|[0-9A-Za-z]{40})/g, "*")

/** The path of the view that serves an address, or the address's own path. */
export const patternOf = (address: string): string => {
  const [path = ""] = address.split(/[?#]/)
  // Static paths win over parameters, like in the router.
  return views.find((view) => view.path === path)?.path ?? patterns.find(({ matches }) => matches.test(path))?.path ??
    withoutIds(path)
}

const kindOf = (tag: string): string =>
  /^<input/.test(tag) ? attributeOf(tag, "type") ?? "text" : /^<select/.test(tag) ? "select" : "textarea"

/** The controls that a browser would send; the first box of the rows of a table is checked. */
const controlsIn = (inner: string): ReadonlyArray<Control> => {
  const row = /<input[^>]*name="_row"[^>]*>/.exec(inner)?.[0]
  return (inner.match(controlTags) ?? []).flatMap((tag) => {
    const sent = tag === row ? [["_row", attributeOf(tag, "value") ?? ""] as const] : fieldOf(tag)
    return sent.map(([name, value]) => ({
      name,
      value,
      kind: kindOf(tag),
      required: /^<[^>]*\srequired(?=[\s>=/])/.test(tag),
      min: attributeOf(tag, "min"),
      options: [...tag.matchAll(/<option[^>]*>/g)].map(([option]) => attributeOf(option, "value") ?? "")
    }))
  })
}

/** The fields of the button that Enter presses. */
const pressed = (buttons: ReadonlyArray<string>): ReadonlyArray<Control> =>
  buttons.slice(0, 1).flatMap((tag) => {
    const name = attributeOf(tag, "name")
    return name === null
      ? []
      : [{ name, value: attributeOf(tag, "value") ?? "", kind: "hidden", required: false, min: null, options: [] }]
  })

/** The forms that a page posts; one for each button that sends them elsewhere. */
export const formsIn = (path: string, html: string): ReadonlyArray<ServedForm> =>
  [...html.matchAll(/(<form[^>]*>)([\s\S]*?)<\/form>/g)].flatMap(([, open = "", inner = ""]) => {
    if (attributeOf(open, "method") !== "post") return []
    const buttons = [...inner.matchAll(/<button[^>]*>/g)].map(([tag]) => tag).filter((tag) =>
      attributeOf(tag, "type") !== "button"
    )
    const actions = [attributeOf(open, "action"), ...buttons.map((tag) => attributeOf(tag, "formaction"))]
      .filter((action) => action !== null)
    const controls = [...controlsIn(inner), ...pressed(buttons)]
    const names = [...new Set(controls.map(({ name }) => name.replace(/\d+/g, "0")))].filter((name) => !name.startsWith("_"))
    const id = attributeOf(open, "id")
    // Forms without an id belong to the frame, which is the same in all views.
    const place = id === null ? "" : withoutIds(`${patternOf(path)}#${id}`)
    return [...new Set(actions)].map((action) => ({
      place,
      key: `${place} ${withoutIds(action.replace(/\?.*/, ""))} ${names.join(" ")}`,
      path,
      action,
      controls
    }))
  })

/** Pages of one view that are looked at: its tabs and kinds. */
const mostOfOne = 16

/** The parts of an address that choose the form, besides its path. */
const choosing = /^[^?]*(?:\?(?:source|type|kind|template)=[^&]*)?$/

/** The links of a page to views, without those that only change what a list shows. */
export const linksIn = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = ""]) => unescaped(href).replace(/#.*/, ""))
    .filter((href) => /^\/app(?:[/?]|$)/.test(href) && choosing.test(href))

/** Follows all links from the overview. */
export const everyForm = Effect.fn("everyForm")(function*(visitor: Visitor, more: ReadonlyArray<string> = []) {
  const pages = new Map<string, number>()
  const documents = new Map<string, string>()
  const seen = new Set<string>()
  const forms = new Map<string, ServedForm>()
  const waiting = ["/app", ...more]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const pattern = patternOf(path)
    if (seen.has(path) || (pages.get(pattern) ?? 0) >= mostOfOne) continue
    seen.add(path)
    const { marked, status, text } = yield* visitor.get(path)
    // A drill deletes its monitor, to which what happened still links.
    if (status === 404) continue
    if (status !== 200) return yield* Effect.dieMessage(`${path} answered ${status}: ${text}`)
    documents.set(path, marked)
    pages.set(pattern, (pages.get(pattern) ?? 0) + 1)
    for (const form of formsIn(path, text)) if (!forms.has(form.key)) forms.set(form.key, form)
    waiting.push(...linksIn(text))
  }
  return { forms: [...forms.values()], patterns: [...pages.keys()], documents }
})
