/** The editor of Markdown: a preview beside or in place of the text, formats by key, pictures by pasting, dropping or choosing. */
import { announce, make, makeButton } from "../Dom.ts"
import { uploadImage } from "./ImageUpload.ts"

interface Props {
  /** Sample values of a template's placeholders, for the preview; null for a text that is sent as it is. */
  readonly samples: Readonly<Record<string, string>> | null
}

const isProps = (props: unknown): props is Props => props !== null && typeof props === "object" && "samples" in props

/** A picture in a text is read at the width of a column. */
const longestSide = 2_000

const placeholder = /\{\{(\w+)\}\}/g

const changed = (area: HTMLTextAreaElement): void => {
  area.dispatchEvent(new Event("input", { bubbles: true }))
}

const insert = (area: HTMLTextAreaElement, text: string): void => {
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end")
  area.focus()
  changed(area)
}

/** `**bold**` around what is selected. */
const wrap = (area: HTMLTextAreaElement, before: string, after: string): void => {
  const { selectionEnd: end, selectionStart: start } = area
  area.setRangeText(`${before}${area.value.slice(start, end)}${after}`, start, end, "end")
  area.setSelectionRange(start + before.length, end + before.length)
  changed(area)
}

const marks: Readonly<Record<string, readonly [before: string, after: string]>> = {
  b: ["**", "**"],
  i: ["_", "_"],
  k: ["[", "](https://)"]
}

const followKeys = (area: HTMLTextAreaElement): void => {
  area.addEventListener("keydown", (event) => {
    const mark = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey ? marks[event.key.toLowerCase()] : undefined
    if (mark === undefined) return
    event.preventDefault()
    // Ctrl+K opens the palette elsewhere.
    event.stopPropagation()
    wrap(area, ...mark)
  })
}

/** Puts a picture where the cursor was, once it is uploaded. Its description is selected, for those who cannot see it. */
const addPicture = async (area: HTMLTextAreaElement, file: File, status: HTMLElement): Promise<void> => {
  const mark = `![Uploading ${file.name}…]()`
  insert(area, mark)
  status.textContent = `Uploading ${file.name}…`
  const uploaded = await uploadImage(file, longestSide)
  const at = area.value.indexOf(mark)
  const text = typeof uploaded === "string" ? "" : `![Describe the picture](${uploaded.url})`
  if (at !== -1) area.setRangeText(text, at, at + mark.length, "end")
  if (typeof uploaded !== "string" && at !== -1) {
    area.focus()
    area.setSelectionRange(at + 2, at + 2 + "Describe the picture".length)
  }
  changed(area)
  status.textContent = typeof uploaded === "string" ? uploaded : "Picture added. Say in its brackets what it shows."
}

const picturesIn = (data: DataTransfer | null): ReadonlyArray<File> =>
  [...(data?.files ?? [])].filter(({ type }) => type.startsWith("image/"))

const followPictures = (area: HTMLTextAreaElement, status: HTMLElement): HTMLElement => {
  const take = async (files: ReadonlyArray<File>) => {
    for (const file of files) await addPicture(area, file, status)
  }
  for (const type of ["paste", "drop"] as const) {
    area.addEventListener(type, (event) => {
      const files = picturesIn(
        event instanceof ClipboardEvent ? event.clipboardData : event instanceof DragEvent ? event.dataTransfer : null
      )
      if (files.length === 0) return
      event.preventDefault()
      void take(files)
    })
  }
  const chooser = make("input", { type: "file", accept: "image/*", hidden: "" })
  chooser.addEventListener("change", (event) => {
    // It is no field of the form.
    event.stopPropagation()
    void take([...(chooser.files ?? [])])
    chooser.value = ""
  })
  chooser.addEventListener("input", (event) => event.stopPropagation())
  const button = makeButton("Add picture", () => chooser.click())
  button.append(chooser)
  return button
}

const filled = (text: string, samples: Props["samples"]): string =>
  samples === null ? text : text.replace(placeholder, (whole, name: string) => samples[name] ?? whole)

/** Placeholders of a template that are still open. */
const openPlaceholders = (area: HTMLTextAreaElement, samples: Props["samples"]): string => {
  const left = samples === null ? [...new Set([...area.value.matchAll(placeholder)].map(([whole]) => whole))] : []
  return left.length === 0 ? "" : `Fill in ${left.join(" and ")} before you send this.`
}

const namesOf = (form: HTMLFormElement, boxes: string): string =>
  [...form.querySelectorAll<HTMLInputElement>(boxes)].flatMap(({ labels }) => labels?.[0]?.textContent?.trim() ?? []).join(", ")

/** Values of placeholders that the form has; empty where nothing is chosen. */
const chosenIn = (form: HTMLFormElement): Readonly<Record<string, string>> => {
  const title = form.querySelector<HTMLInputElement>("input[name=title]")?.value ?? ""
  return {
    component: namesOf(form, ".pickable input[type=checkbox]:checked"),
    status_page: namesOf(form, "input[name^=pageIds][type=checkbox]:checked"),
    title: title.includes("{{") ? "" : title
  }
}

/** A button that puts what was chosen in place of placeholders, in the text and in the title; hidden while nothing fits. */
const makeFill = (area: HTMLTextAreaElement, form: HTMLFormElement) => {
  const fields = () => [form.querySelector<HTMLInputElement>("input[name=title]"), area].filter((one) => one !== null)
  const fitting = (text: string) => {
    const chosen = chosenIn(form)
    return text.replace(placeholder, (whole, name: string) => chosen[name] || whole)
  }
  const button = makeButton("Fill in from the form", () => {
    // The title may stand in the text.
    for (const field of fields()) {
      field.value = fitting(field.value)
      field.dispatchEvent(new Event("input", { bubbles: true }))
    }
    area.focus()
  })
  const renew = () => {
    button.hidden = fields().every(({ value }) => fitting(value) === value)
  }
  form.addEventListener("input", renew)
  form.addEventListener("change", renew)
  renew()
  return button
}

const htmlOf = async (text: string): Promise<string | null> => {
  const response = await fetch("/app/markdown", { method: "POST", headers: { "content-type": "text/plain" }, body: text })
    .catch(() => null)
  const answer: unknown = response?.ok === true ? await response.json().catch(() => null) : null
  return typeof answer === "object" && answer !== null && "html" in answer && typeof answer.html === "string" ? answer.html : null
}

/** The wait after the last key, ms. */
const quiet = 200

/** Shows the newest text. The HTML holds only what the reader of Markdown lets through: no HTML of the text, no script. */
const makeShow = (area: HTMLTextAreaElement, preview: HTMLElement, samples: Props["samples"]) => {
  let timer = 0
  let asked = 0
  const ask = async () => {
    const turn = ++asked
    const html = area.value.trim() === "" ? "" : await htmlOf(filled(area.value, samples))
    // An older answer may come later.
    if (turn !== asked) return
    if (html === null) preview.textContent = "The preview could not be made. Check your connection, then try again."
    else if (html === "") preview.textContent = "Nothing to preview yet."
    else preview.innerHTML = html
  }
  return (wait: number) => {
    clearTimeout(timer)
    timer = window.setTimeout(() => void ask(), wait)
  }
}

/** Shows the preview in place of the text, and the text again. */
const makeToggle = (area: HTMLTextAreaElement, preview: HTMLElement, renew: () => void): HTMLElement => {
  const toggle = makeButton("Preview", () => {
    preview.hidden = !preview.hidden
    area.hidden = !preview.hidden
    toggle.textContent = preview.hidden ? "Preview" : "Edit"
    renew()
    if (preview.hidden) area.focus()
    else announce("Preview shown")
  })
  return toggle
}

export const mount = (element: HTMLElement, props: unknown): void => {
  const area = element.querySelector("textarea")
  if (area === null || !isProps(props)) return
  const { samples } = props
  const beside = element.querySelector<HTMLElement>(".md-shown")
  const preview = beside ??
    make("div", { "class": "md-shown", "role": "region", "aria-label": "Preview", "tabindex": "0", "hidden": "" })
  const text = beside?.querySelector<HTMLElement>(".md") ?? make("div", { class: "md" })
  const show = makeShow(area, text, samples)
  const status = make("p", { class: "note", role: "status" })
  const left = make("p", { class: "issue", role: "status" })
  const renew = () => {
    left.textContent = openPlaceholders(area, samples)
    if (!preview.hidden) show(quiet)
  }
  const bar = make("div", { class: "md-bar" }, followPictures(area, status))
  if (beside === null) bar.prepend(makeToggle(area, preview, renew))
  for (const name of Object.keys(samples ?? {})) {
    bar.append(makeButton(`{{${name}}}`, () => insert(area, `{{${name}}}`), { "aria-label": `Insert ${name}` }))
  }
  if (samples === null && area.form !== null) bar.append(makeFill(area, area.form))
  area.before(bar)
  if (beside === null) {
    preview.append(text)
    area.after(preview)
  }
  area.after(status, left)
  followKeys(area)
  area.addEventListener("input", renew)
  // The preview that the server shows beside the text is current already.
  left.textContent = openPlaceholders(area, samples)
}
