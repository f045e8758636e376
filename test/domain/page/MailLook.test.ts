/** The look of a page's mails: readable colours that mail programs know, logos from the web, and little of it for strangers. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { contrastOf } from "../../../src/domain/page/Contrast.ts"
import { mailLook } from "../../../src/domain/page/MailLook.ts"
import { presets } from "../../../src/domain/page/Theme.ts"
import { confirmationMail, newsMail } from "../../../src/notify/subscriber/SubscriberMail.ts"

const link = "https://belltower.test/x"

const logos = { logoUrl: "https://acme.example/logo.png", logoDarkUrl: "https://acme.example/dark.png" }

const news = (look: ReturnType<typeof mailLook>) =>
  newsMail({
    language: "en",
    tone: "down",
    manage: link,
    unsubscribe: link,
    look,
    content: {
      page: { id: "pg_1", slug: "acme", name: "Acme", url: link, status: "major_outage", statusText: "Major outage", api: link },
      data: {},
      told: { title: "Investigating: Shop is down", text: "We look.", facts: [], link }
    } as unknown as Parameters<typeof newsMail>[0]["content"]
  }).html ?? ""

describe("the look of a page's mails", () => {
  const hex = fc.stringMatching(/^#[0-9a-f]{6}$/)

  it.prop("is readable in all parts, whatever colours its owner chose", [fc.constantFrom(...presets), hex, hex, hex, hex], (
    [preset, accent, bg, surface, text]
  ) => {
    const look = mailLook({
      name: "Acme",
      branding: {},
      theme: { preset, accent, tokens: { bg, text, surface, line: "rgb(1 2 3)" } }
    })
    for (const colors of [look.light, look.dark]) {
      expect(contrastOf(colors?.text ?? "", colors?.surface ?? "")).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(colors?.accent ?? "", colors?.surface ?? "")).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(colors?.button ?? "", "#ffffff")).toBeGreaterThanOrEqual(4.5)
      expect(colors?.line).toMatch(/^#[0-9a-f]{3,6}$/)
    }
  })

  it("is the page's name, logos and colours in a mail with news", () => {
    const html = news(mailLook({ name: "Acme", branding: logos, theme: { preset: "paper", accent: "#7a3df0" } }))
    expect(html).toContain("src=\"https://acme.example/logo.png\" alt=\"Acme\"")
    expect(html).toContain("src=\"https://acme.example/dark.png\" alt=\"Acme\"")
    expect(html).toContain("background:#7a3df0;color:#ffffff")
    expect(html).toContain("background:#f6f1e7")
    const named = news(mailLook({ name: "A & B", branding: { logoUrl: "data:image/png;base64,AAAA" }, theme: {} }))
    expect(named).toContain("<b style=\"font-size:15px\">A &amp; B</b>")
    expect(named).not.toContain("<img")
  })

  it("has one set of colours where the page has", () => {
    const dark = news(mailLook({ name: "Acme", branding: logos, theme: { mode: "dark" } }))
    expect(dark).toContain("name=\"color-scheme\" content=\"dark\"")
    expect(dark).not.toContain("prefers-color-scheme")
    expect(dark.match(/<img/g)).toHaveLength(1)
    expect(dark).toContain("dark.png")
  })

  it("is its colours alone in the mail that a stranger may cause, and says what was chosen", () => {
    const look = mailLook({ name: "Win at https://evil.example/x", branding: logos, theme: { preset: "paper" } })
    const { html = "", text } = confirmationMail({
      language: "en",
      link,
      look,
      pageName: "Win at https://evil.example/x",
      choosesNews: true
    })
    expect(html).toContain("background:#f6f1e7")
    expect(html).not.toContain("<img")
    expect(html).not.toContain("evil.example")
    expect(text).toContain("the news that you chose")
  })
})
