/**
 * The editor of a page's look: previews colours, texts and pictures before they are published, shows the contrast of typed colours,
 * takes pictures, and keeps what is not published.
 */
import { render } from "preact"
import type { Theme } from "../../../../schema/page/Page.ts"
import { confinedCss } from "../../../domain/page/Theme.ts"
import { themeStyle } from "../../../pages/style/ThemeStyle.ts"
import { formBody, type Json } from "../../frame/FormBody.ts"
import { ContrastTable } from "../../views/page/ContrastTable.tsx"
import { followChanges } from "../Changes.ts"
import { fieldsIn, make, makeButton } from "../Dom.ts"
import { dataUrlOf, uploadImage } from "./ImageUpload.ts"

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  value !== null && typeof value === "object" && !Array.isArray(value)

const textOf = (value: Json | undefined): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

type Typed = ReturnType<typeof formBody>

/** The theme in the form, without values that the server would refuse. */
const themeOf = (typed: Typed): Theme => {
  const given = typed["theme"]
  const theme = isObject(given) ? given : {}
  const tokens = isObject(theme["tokens"]) ? theme["tokens"] : {}
  const [accent, mode, radius] = [textOf(theme["accent"]), theme["mode"], theme["radius"]]
  const preset = textOf(theme["preset"])
  const fontSans = textOf(theme["fontSans"])
  const fontMono = textOf(theme["fontMono"])
  const customCss = textOf(theme["customCss"])
  return {
    tokens: Object.fromEntries(
      Object.entries(tokens).flatMap(([name, value]) => typeof value === "string" ? [[name, value]] : [])
    ),
    ...(accent === undefined || !/^#[0-9a-fA-F]{6}$/.test(accent) ? {} : { accent }),
    ...(mode === "light" || mode === "dark" ? { mode } : {}),
    ...(typeof radius === "number" ? { radius } : {}),
    ...(preset === undefined ? {} : { preset }),
    ...(fontSans === undefined ? {} : { fontSans }),
    ...(fontMono === undefined ? {} : { fontMono }),
    ...(customCss === undefined ? {} : { customCss })
  }
}

/** The description of the previewed page, made if it has none. */
const aboutIn = (shown: Document): HTMLElement | null => {
  const about = shown.querySelector<HTMLElement>("main .about")
  if (about !== null) return about
  const made = shown.createElement("p")
  made.className = "about"
  shown.querySelector("main .banner")?.after(made)
  return made.isConnected ? made : null
}

const setText = (element: Element | null, text: string): void => {
  if (element !== null && element.textContent !== text) element.textContent = text
}

/** A logo stands in place of the name. */
const showLogo = (box: Element, name: string, logo: string | null): void => {
  const image = box.querySelector("img")
  if (logo === null) {
    if (image !== null || box.textContent !== name) box.textContent = name
    return
  }
  if (image?.getAttribute("src") === logo && image.alt === name) return
  const shown = box.ownerDocument.createElement("img")
  shown.src = logo
  shown.alt = name
  box.replaceChildren(shown)
}

/**
 * The logo that the form names, once it is loaded: the policy of the previewed page lets no picture in but the published ones and
 * data. One elsewhere shows once it is published.
 */
const makeLogos = (loaded: () => void) => {
  const known = new Map<string, string | null>()
  const load = async (url: string) => {
    const response = await fetch(url).catch(() => null)
    if (response?.ok === true) known.set(url, await dataUrlOf(await response.blob()))
    loaded()
  }
  return (typed: Typed): string | null => {
    const branding = isObject(typed["branding"]) ? typed["branding"] : {}
    const url = textOf(branding["logoUrl"]) ?? textOf(branding["logoDarkUrl"])
    if (url === undefined) return null
    if (url.startsWith("data:image/")) return url
    if (!url.startsWith(`${location.origin}/images/`)) return null
    if (!known.has(url)) {
      known.set(url, null)
      void load(url)
    }
    return known.get(url) ?? null
  }
}

/** Beside each address of a picture, a button that uploads one. */
const addUploads = (form: HTMLFormElement): void => {
  for (const field of form.querySelectorAll<HTMLInputElement>("input[data-picture]")) {
    const status = make("span", { class: "hint", role: "status" })
    const name = field.labels?.[0]?.firstChild?.textContent?.trim() ?? "picture"
    const chooser = make("input", { type: "file", accept: "image/*", hidden: "" })
    chooser.addEventListener("input", (event) => event.stopPropagation())
    chooser.addEventListener("change", (event) => {
      event.stopPropagation()
      const [file] = chooser.files ?? []
      if (file === undefined) return
      status.textContent = `Uploading ${file.name}…`
      void uploadImage(file, Number(field.dataset["picture"])).then((uploaded) => {
        status.textContent = typeof uploaded === "string" ? uploaded : "Uploaded. It is on the page once you publish."
        if (typeof uploaded === "string") return
        field.value = uploaded.url
        field.dispatchEvent(new Event("input", { bubbles: true }))
      })
      chooser.value = ""
    })
    const button = makeButton("Upload", () => chooser.click(), { "aria-label": `Upload: ${name}` })
    const pair = make("div", { class: "swatch" })
    field.replaceWith(pair)
    pair.append(field, button, chooser)
    pair.after(status)
  }
}

/** Shows the typed texts in the previewed page, whose own script shows the saved ones again when it reads the page again. */
const showTexts = ({ contentDocument: shown }: HTMLIFrameElement, typed: Typed, logo: string | null): void => {
  if (shown === null) return
  const branding = isObject(typed["branding"]) ? typed["branding"] : {}
  const brand = shown.querySelector(".brand")
  const name = textOf(branding["logoText"]) ?? textOf(typed["name"]) ?? ""
  if (brand !== null) showLogo(brand.querySelector("a") ?? brand, name, logo)
  const description = textOf(typed["description"]) ?? ""
  const about = description === "" ? shown.querySelector<HTMLElement>("main .about") : aboutIn(shown)
  setText(about, description)
  about?.toggleAttribute("hidden", description === "")
}

/** Replaces the style sheets of the previewed page. Its policy lets no new element in, but a script may set a sheet. */
const apply = (frame: HTMLIFrameElement, theme: Theme): void => {
  const [shown, view] = [frame.contentDocument, frame.contentWindow]
  if (shown === null || view === null || shown.querySelector("style") === null) return
  for (const sheet of shown.styleSheets) sheet.disabled = true
  const sheets = [themeStyle(theme), ...(theme.customCss === undefined ? [] : [confinedCss(theme.customCss)])]
  const Sheet = Reflect.get(view, "CSSStyleSheet")
  if (typeof Sheet !== "function") return
  shown.adoptedStyleSheets = sheets.map((text) => {
    const sheet: CSSStyleSheet = Reflect.construct(Sheet, [])
    sheet.replaceSync(text)
    return sheet
  })
}

/** Beside each colour field, the browser's own chooser, which keeps the field's text current. */
const addChoosers = (form: HTMLFormElement): void => {
  for (const field of form.querySelectorAll<HTMLInputElement>("input[data-color]")) {
    const label = `Choose: ${field.labels?.[0]?.textContent ?? "colour"}`
    const chooser = make("input", { "type": "color", "aria-label": label })
    const follow = () => {
      if (/^#[0-9a-fA-F]{6}$/.test(field.value)) chooser.value = field.value
    }
    follow()
    field.addEventListener("input", follow)
    chooser.addEventListener("input", () => {
      field.value = chooser.value
      field.dispatchEvent(new Event("input", { bubbles: true }))
    })
    const pair = make("div", { class: "swatch" })
    field.replaceWith(pair)
    pair.append(field, chooser)
  }
}

const isProps = (props: unknown): props is { readonly page: string } =>
  typeof props === "object" && props !== null && "page" in props

export const mount = (element: HTMLElement, props: unknown): void => {
  const form = document.getElementById("page-look")
  const [table, frame] = [element.querySelector("[data-contrast]"), element.querySelector("iframe")]
  if (!(form instanceof HTMLFormElement) || table === null || frame === null) return
  let waiting = false
  const logoOf = makeLogos(() => show())
  const show = () => {
    waiting = false
    const typed = formBody(fieldsIn(form))
    const theme = themeOf(typed)
    render(<ContrastTable theme={theme} />, table)
    apply(frame, theme)
    showTexts(frame, typed, logoOf(typed))
  }
  const followPage = () => {
    const main = frame.contentDocument?.querySelector("main")
    if (main !== null && main !== undefined) new MutationObserver(show).observe(main, { childList: true })
    show()
  }
  addChoosers(form)
  addUploads(form)
  const changes = form.querySelector<HTMLElement>("[data-changes]")
  if (changes !== null && isProps(props)) followChanges(form, changes, props.page)
  form.addEventListener("input", () => {
    if (waiting) return
    waiting = true
    requestAnimationFrame(show)
  })
  frame.addEventListener("load", followPage)
  followPage()
  const note = element.querySelector(".preview-note")
  if (note !== null) note.textContent = "Shows your changes as you make them. Visitors see them once you publish."
  const preview = element.querySelector<HTMLElement>(".page-preview")
  const links = [...element.querySelectorAll<HTMLAnchorElement>("[data-widths] a")]
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault()
      if (preview !== null) preview.dataset["width"] = link.search === "" ? "desktop" : "phone"
      for (const other of links) other.toggleAttribute("aria-current", false)
      link.setAttribute("aria-current", "true")
    })
  }
}
