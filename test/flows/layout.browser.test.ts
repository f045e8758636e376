/** Every page in five widths: no text is clipped, covered or broken inside a word, and nothing reaches out of its place. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { linksIn, patternOf } from "../dashboard/AllForms.ts"
import { fillWorkspace } from "../dashboard/FullWorkspace.ts"
import { chromium } from "../support/browser/Browser.ts"
import type { Answer } from "../support/browser/Visitor.ts"
import { demoBrowser, type Watched } from "./support/DemoBrowser.ts"
import { layoutFaults } from "./support/LayoutFaults.ts"
import { rareViews } from "./support/RareViews.ts"
import { call, story } from "./support/Story.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: the layout of all pages in a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

/** The interface as the person of the page. */
const callerOf = ({ page }: Watched, origin: string) => ({
  api: (method: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const data = body === undefined ? {} : { data: body }
      const answer = await page.request.fetch(`/api/v1${path}`, { method, headers: { origin }, ...data })
      const text = await answer.text()
      const seen: Answer = { status: answer.status(), headers: new Headers(), text, marked: text, location: null }
      return { ...seen, body: JSON.parse(text) }
    })
})

/** Measures pages and the views to which their links lead. */
const everyView = async ({ page }: Watched, paths: ReadonlyArray<string>, widths?: ReadonlyArray<number>) => {
  const wrong: Array<string> = []
  const seen = new Set<string>()
  const waiting = [...paths]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (seen.has(patternOf(path))) continue
    const answer = await page.goto(path)
    // A drill deletes its monitor, to which what happened still links.
    if (answer?.status() === 404 && path.startsWith("/app/monitors/")) continue
    if (path.startsWith("/app") && answer?.status() !== 200) wrong.push(`${path}: ${answer?.status()}`)
    seen.add(patternOf(path))
    waiting.push(...linksIn(await answer?.text() ?? ""))
    wrong.push(...await layoutFaults(page, widths))
  }
  return { seen, wrong }
}

const personal = [
  "/app",
  "/app/workspaces",
  "/app/contact",
  "/app/digest",
  "/app/security",
  "/app/security/2fa",
  "/app/mail"
]

/** The pages that visitors of a status page see. */
const publicPaths = (slug: string, incident: string) =>
  ["", "/history", `/incidents/${incident}`, "/embed", "/subscribe"].map((path) => `/s/${slug}${path}`)

/** Measures a new workspace of the person, of which `fill` makes something; it answers more pages to look at. */
const inWorkspace = async (
  watched: Watched,
  name: string,
  fill: () => Promise<ReadonlyArray<string>>,
  widths?: ReadonlyArray<number>
) => {
  await watched.page.goto("/app")
  const { data } = await call(watched, "GET", "/me/workspaces")
  const own = data.find(({ current }: { readonly current: boolean }) => current)
  const made = await call(watched, "POST", "/me/workspaces", { name })
  await call(watched, "POST", `/me/workspaces/${made.id}/switch`)
  const paths = await fill()
  return everyView(watched, [...personal, ...paths], widths).finally(() =>
    call(watched, "POST", `/me/workspaces/${own.id}/switch`)
  )
}

/** Ends a test that hangs, ms. Fifty views in five widths take about half a minute, and on a crowded machine some minutes. */
const patience = 600_000

const names = [
  "W",
  "Produktionsdatenbankverbindungsüberwachung ",
  "שלוםעולם",
  "Verfügbarkeit der Bestellübersicht für Geschäftskunden in Österreich ",
  "監視対象の名前"
]

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("the layout in a browser", () => {
  layer(demoBrowser, { excludeTestServices: true, timeout: "170 seconds" })((it) => {
    it.effect("has room for names of any length and script in every view", () =>
      story(async ({ demo, open }) => {
        const watched = await open()
        let count = 0
        const longest = (_usual: string, length: number) =>
          [...(names[count++ % names.length] ?? "W").repeat(length)].slice(0, length).join("").trim()
        const { seen, wrong } = await inWorkspace(watched, longest("", 80), async () => {
          const { incident, page } = await Effect.runPromise(fillWorkspace(callerOf(watched, demo.baseUrl), longest))
          return publicPaths(page.slug, incident.id)
        })
        expect(wrong).toEqual([])
        expect(seen.size).toBeGreaterThan(50)
      }), patience)

    it.effect("fits every view of an empty workspace", () =>
      story(async ({ open }) => {
        const { wrong } = await inWorkspace(await open(), "Empty", async () => [], [320, 1024])
        expect(wrong).toEqual([])
      }), patience)

    it.effect("fits every view of a workspace in use, with many rows", () =>
      story(async ({ demo, open }) => {
        const watched = await open()
        await watched.page.goto("/app")
        const page = demo.pages[0]
        for (let index = 0; index < 40; index++) {
          await call(watched, "POST", `/pages/${page?.id}/components`, {
            name: `Region ${index} of the payment service`,
            manual: true,
            ...(index % 5 === 0 ? {} : { group: index % 5 === 1 ? "W".repeat(40) : `Datacenter ${index % 5}` })
          })
          const name = `Health of service ${index}`
          await call(watched, "POST", "/monitors", { name, kind: "heartbeat", periodSec: 86_400, tags: ["batch", name] })
        }
        const incident = await call(watched, "POST", "/incidents", {
          title: "Payments are delayed",
          message:
            "See https://status.example.com/incidents/2026/11/26/payments-are-delayed?from=mail&campaign=none for details.",
          pageIds: [page?.id]
        })
        await call(watched, "POST", "/me/2fa/setup")
        const rare = await rareViews(watched, demo)
        const { wrong } = await everyView(watched, [...rare, ...personal, ...publicPaths(page?.slug ?? "", incident.id)])
        expect(wrong).toEqual([])
      }), patience)

    it.effect("fits the pages of those who are not signed in", () =>
      story(async ({ browser, demo }) => {
        const context = await browser.newContext({ baseURL: demo.baseUrl, reducedMotion: "reduce" })
        const page = await context.newPage()
        const agent = await page.request.post("/api/v1/agent/bootstrap", {
          data: { agentName: "W".repeat(60), workspaceName: `${names[1]} of the company` }
        })
        const { pathname: claim } = new URL((await agent.json()).claimUrl)
        const paths = ["/", "/sign-in", claim, "/claim/unknown", "/auth/link/unknown", "/status", "/s/unknown", "/unknown"]
        const { wrong } = await everyView({ page, errors: [] }, paths)
        await context.close()
        expect(wrong).toEqual([])
      }))
  })
})
