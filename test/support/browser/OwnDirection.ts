/** Finds texts that people wrote and that a document does not show in their own direction. */
import { Parser } from "htmlparser2"

/** Machine texts, which run from left to right whatever they quote. */
const ofMachines = new Set(["script", "style", "code", "pre"])
const empty = new Set(["area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"])

const isolates = /\u2068(?:[^\u2068\u2069]|\u2068[^\u2068\u2069]*\u2069)*\u2069/g

/** Whether the marker stands in a text outside of isolates. */
export const isMixed = (text: string, marker: string): boolean => text.replace(isolates, "").includes(marker)

/** The texts of an HTML document with the marker, whose direction is that of the document. */
export const foreignTexts = (html: string, marker: string): ReadonlyArray<string> => {
  const open: Array<{ readonly name: string; readonly isOwn: boolean }> = []
  const found: Array<string> = []
  let text = ""
  const ends = () => {
    const isShown = !open.some(({ isOwn, name }) => isOwn || ofMachines.has(name))
    if (isShown && isMixed(text, marker)) found.push(`${open.map(({ name }) => name).join(" ")}: ${text.trim().slice(0, 200)}`)
    text = ""
  }
  const parser = new Parser({
    onopentag: (name, { class: look, dir, type, value = "" }) => {
      ends()
      const isTyped = name === "input" && (type === undefined || type === "text") && value.includes(marker)
      if (isTyped && dir !== "auto") found.push(`input: ${value}`)
      if (!empty.has(name)) open.push({ name, isOwn: name === "bdi" || dir === "auto" || look === "code" })
    },
    ontext: (more) => void (text += more),
    onclosetag: (name) => {
      ends()
      if (open.at(-1)?.name === name) open.pop()
    }
  })
  parser.end(html)
  return found
}
