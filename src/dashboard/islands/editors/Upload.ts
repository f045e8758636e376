/** Reads a file into a text area: texts as they are, files of SQLite in base64. Nothing is sent before the form is. */
import { make } from "../Dom.ts"

interface UploadProps {
  readonly area: string
  readonly label: string
  /** Characters that the area may hold. */
  readonly largest: number
  readonly tooLarge: string
}

const isUpload = (props: unknown): props is UploadProps => props !== null && typeof props === "object" && "area" in props

const sqlite = "SQLite format 3\0"

const isSqlite = (bytes: Uint8Array): boolean => [...sqlite].every((letter, index) => bytes[index] === letter.charCodeAt(0))

/** In parts, because a call takes only so many arguments. */
const base64Of = (bytes: Uint8Array): string => {
  const parts: Array<string> = []
  for (let at = 0; at < bytes.length; at += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)))
  return btoa(parts.join(""))
}

/** Null for a file that is too large. */
const textOf = async (file: File, largest: number): Promise<string | null> => {
  if (file.size > largest) return null
  const bytes = new Uint8Array(await file.arrayBuffer())
  const text = isSqlite(bytes) ? base64Of(bytes) : new TextDecoder().decode(bytes)
  return text.length > largest ? null : text
}

export const mount = (element: HTMLElement, props: unknown): void => {
  if (!isUpload(props)) return
  const area = document.getElementById(props.area)
  if (!(area instanceof HTMLTextAreaElement)) return
  const id = `${props.area}-file`
  const file = make("input", { type: "file", id })
  const status = make("p", { class: "note", role: "status" })
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? []
    if (chosen === undefined) return
    void textOf(chosen, props.largest).then((text) => {
      area.value = text ?? ""
      area.dispatchEvent(new Event("input", { bubbles: true }))
      status.textContent = text === null ? props.tooLarge : `${chosen.name} is in the field below.`
    })
  })
  element.className = "field"
  element.append(make("label", { for: id }, props.label), file, status)
}
