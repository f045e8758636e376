/** Long words in rendered documents: marked where they may break, and nothing else is. */
import { expect, it } from "@effect/vitest"
import type { ComponentChildren } from "preact"
import { renderToString } from "preact-render-to-string"
import "../../src/pages/html/LongWords.ts"

const html = (children: ComponentChildren) => renderToString(<>{children}</>)
const long = "W".repeat(40)

it("leaves words of up to twenty letters, and scripts without spaces, as they are", () => {
  expect(html(<p>{"W".repeat(20)} are short</p>)).toBe(`<p>${"W".repeat(20)} are short</p>`)
  expect(html(<p>{"監視対象の名前".repeat(10)}</p>)).toBe(`<p>${"監視対象の名前".repeat(10)}</p>`)
})

it("keeps texts that follow each other one element, with the long word marked", () => {
  const marked = `<bdi>Delete <bdi class="long">${long}</bdi> now</bdi>`
  expect(html(<button>Delete {long} now</button>)).toBe(`<button>${marked}</button>`)
  expect(html(<p>{["Delete ", [long, " now"]]}</p>)).toBe(`<p>${marked}</p>`)
})

it("breaks addresses and ids after their punctuation first", () => {
  expect(html(<a href={`https://${long}`}>https://status.example.com/incidents</a>)).toBe(
    `<a href="https://${long}"><bdi><bdi class="long">https://<wbr/>status.<wbr/>example.<wbr/>com/<wbr/>incidents</bdi></bdi></a>`
  )
})

it("marks nothing in titles, options, fields and code", () => {
  const whole = (
    <>
      <title>{long}</title>
      <option>{long}</option>
      <textarea>{long}</textarea>
      <code>{long}</code>
    </>
  )
  expect(html(whole)).not.toContain("bdi")
})
