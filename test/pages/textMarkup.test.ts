/** Long words in rendered documents: marked where they may break, and nothing else is. */
import { expect, it } from "@effect/vitest"
import { type ComponentChildren, h } from "preact"
import { renderToString } from "preact-render-to-string"
import "../../src/pages/html/TextMarkup.ts"

const html = (tag: string, ...children: ReadonlyArray<ComponentChildren>) => renderToString(h(tag, null, ...children))
const long = "W".repeat(40)

it("leaves words of up to twenty letters, and scripts without spaces, as they are", () => {
  expect(html("p", `${"W".repeat(20)} is short`)).toBe(`<p>${"W".repeat(20)} is short</p>`)
  expect(html("p", "監視対象の名前".repeat(10))).toBe(`<p>${"監視対象の名前".repeat(10)}</p>`)
})

it("keeps texts that follow each other one element, with the long word marked", () => {
  const marked = `<bdi>Delete <bdi class="long">${long}</bdi> now</bdi>`
  expect(html("button", "Delete ", long, " now")).toBe(`<button>${marked}</button>`)
  expect(html("p", "Delete ", [long, " now"])).toBe(`<p>${marked}</p>`)
})

it("breaks addresses and ids after their punctuation first", () => {
  expect(html("p", "https://status.example.com/incidents")).toBe(
    "<p><bdi><bdi class=\"long\">https://<wbr/>status.<wbr/>example.<wbr/>com/<wbr/>incidents</bdi></bdi></p>"
  )
})

it("marks nothing in titles, options, fields and code", () => {
  for (const tag of ["title", "option", "textarea", "code"]) expect(html(tag, long)).toBe(`<${tag}>${long}</${tag}>`)
})

it("leaves the words of an element that breaks them itself, and isolates what is in it", () => {
  const breaks = (text: string) => renderToString(h("p", { class: "breaks" }, text))
  expect(breaks(long)).toBe(`<p class="breaks">${long}</p>`)
  expect(breaks("שירות")).toBe("<p class=\"breaks\"><bdi>שירות</bdi></p>")
})

it("isolates text from right to left, and leaves a sentence around it in one element", () => {
  expect(html("p", "שירות")).toBe("<p><bdi>שירות</bdi></p>")
  expect(html("button", "Delete ", "שירות", ": 5")).toBe("<button><bdi>Delete <bdi>שירות</bdi>: 5</bdi></button>")
  expect(html("p", h("b", null, "x"), "שירות")).toBe("<p><b>x</b><bdi>שירות</bdi></p>")
})

it("lets an element that takes the direction of its text find it", () => {
  expect(renderToString(h("p", { dir: "auto" }, "שירות"))).toBe("<p dir=\"auto\">שירות</p>")
  expect(renderToString(h("p", { dir: "auto" }, `שירות ${long}`))).toBe(
    `<p dir="auto">שירות <bdi class="long">${long}</bdi></p>`
  )
  expect(html("option", "שירות")).toBe("<option dir=\"auto\">שירות</option>")
})
