/**
 * An editor in place of a text area for code: colours, brackets, completions and snippets. The text area stays the field of the form.
 * It lives in a shadow root, because its styles are sheets that the view's policy lets only scripts make there.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  snippet,
  snippetCompletion
} from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { bracketMatching, HighlightStyle, indentOnInput, type LanguageSupport, syntaxHighlighting } from "@codemirror/language"
import { EditorState, type Extension } from "@codemirror/state"
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { make } from "../Dom.ts"

interface Props {
  readonly language: string
  readonly label: string
  readonly rows: number
  readonly snippets: ReadonlyArray<readonly [name: string, template: string]>
}

const isProps = (given: unknown): given is Props => typeof given === "object" && given !== null && "language" in given

const languages: Readonly<Record<string, () => Promise<LanguageSupport>>> = {
  javascript: () => import("@codemirror/lang-javascript").then(({ javascript }) => javascript()),
  json: () => import("@codemirror/lang-json").then(({ json }) => json()),
  css: () => import("@codemirror/lang-css").then(({ css }) => css()),
  yaml: () => import("@codemirror/lang-yaml").then(({ yaml }) => yaml())
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--calm-text)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--good-text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit], color: "var(--warn-text)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName), tags.className], color: "var(--code-name)" },
  { tag: [tags.comment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.invalid], color: "var(--bad-text)" }
])

const looks = (rows: number): Extension =>
  EditorView.theme({
    "&": {
      border: "1px solid color-mix(in srgb,var(--muted) 62%,var(--line))",
      borderRadius: "8px",
      background: "var(--surface)",
      color: "var(--text)",
      fontSize: ".875rem",
      overflow: "hidden"
    },
    "&.cm-focused": { outline: "2px solid var(--accent)" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", minHeight: `${rows * 1.5 * 0.875}rem`, maxHeight: "62vh" },
    ".cm-content": { caretColor: "var(--text)" },
    ".cm-cursor": { borderLeftColor: "var(--text)" },
    ".cm-gutters": { background: "var(--sunk)", color: "var(--muted)", border: "0" },
    ".cm-activeLine": { background: "color-mix(in srgb,var(--accent) 6%,transparent)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
      background: "color-mix(in srgb,var(--accent) 26%,transparent)"
    },
    ".cm-tooltip": {
      border: "1px solid var(--line)",
      borderRadius: "8px",
      background: "var(--surface)",
      color: "var(--text)",
      overflow: "hidden"
    },
    ".cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" }
  })

const completions = (language: LanguageSupport, { snippets }: Props): Extension =>
  snippets.length === 0 ? [] : language.language.data.of({
    autocomplete: snippets.map(([name, template]) => snippetCompletion(template, { label: name, type: "text" }))
  })

/** Puts a snippet where the cursor is; in a text that was never focused, at its end. */
const insert = (view: EditorView, template: string, isNew: boolean): void => {
  const { head } = view.state.selection.main
  const end = view.state.doc.length
  const [from, to] = isNew ? [end, end] : [head, head]
  const breaks = from > 0 && view.state.sliceDoc(from - 1, from) !== "\n" ? "\n" : ""
  if (breaks !== "") view.dispatch({ changes: { from, insert: breaks } })
  snippet(template)(view, null, from + breaks.length, to + breaks.length)
  view.focus()
}

const chooser = (view: EditorView, { snippets }: Props): HTMLElement => {
  const select = make("select", { "aria-label": "Insert a snippet", "class": "snippets" })
  select.append(make("option", { value: "" }, "Insert a snippet…"))
  for (const [index, [name]] of snippets.entries()) select.append(make("option", { value: String(index) }, name))
  let isNew = true
  view.contentDOM.addEventListener("focus", () => (isNew = false))
  select.addEventListener("change", () => {
    const chosen = snippets[Number(select.value)]
    if (select.value !== "" && chosen !== undefined) insert(view, chosen[1], isNew)
    select.value = ""
  })
  return select
}

/** Longer texts are not edited by hand, such as the file of a database: they stay in the text area. Characters. */
const largest = 200_000

/** Hides the text area from the reader, not from the form. */
const setBehind = (area: HTMLTextAreaElement, isBehind: boolean): void => {
  area.classList.toggle("behind", isBehind)
  area.tabIndex = isBehind ? -1 : 0
  if (isBehind) area.setAttribute("aria-hidden", "true")
  else area.removeAttribute("aria-hidden")
}

const replace = (element: HTMLElement, area: HTMLTextAreaElement, props: Props, language: LanguageSupport): void => {
  const host = make("div", { class: "code-editor" })
  const root = host.attachShadow({ mode: "open" })
  area.before(host)
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: area.value,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        highlightActiveLine(),
        // Tab leaves the editor, as it leaves every field.
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
        language,
        completions(language, props),
        syntaxHighlighting(colours),
        looks(props.rows),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": props.label, "spellcheck": "false" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || area.value === update.state.doc.toString()) return
          area.value = update.state.doc.toString()
          area.dispatchEvent(new Event("input", { bubbles: true }))
        })
      ]
    })
  })
  const ending = new AbortController()
  const { signal } = ending
  const giveUp = () => {
    ending.abort()
    view.destroy()
    host.remove()
    setBehind(area, false)
  }
  // A file that was read, or a preset.
  area.addEventListener("input", () => {
    const { doc } = view.state
    if (area.value.length > largest) giveUp()
    else if (area.value !== doc.toString()) view.dispatch({ changes: { from: 0, to: doc.length, insert: area.value } })
  }, { signal })
  // Its label and the links of a refusal lead to the text area.
  area.addEventListener("focus", () => view.focus(), { signal })
  setBehind(area, true)
  if (props.snippets.length > 0) element.prepend(chooser(view, props))
}

export const mount = (element: HTMLElement, given: unknown): void => {
  const area = element.querySelector("textarea")
  if (area === null || area.value.length > largest || !isProps(given)) return
  const load = languages[given.language]
  if (load !== undefined) void load().then((language) => replace(element, area, given, language))
}
