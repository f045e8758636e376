/** The guide for people, tried: its addresses open, its labels are there, its commands work. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import type { PeopleBlock } from "../../src/docs/people/Page.ts"
import { peopleHome, peoplePages, peoplePath } from "../../src/docs/people/Pages.ts"
import type { Json } from "../support/program/TestServer.ts"
import { linkOf, openedBy } from "./support/OpenedBy.ts"
import { freshProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

interface Typed {
  readonly code: number
  readonly said: string
}

/** Types a command, in which a refusal of the server fails. */
const typed = (command: string, env: Readonly<Record<string, string>>) =>
  Effect.async<Typed>((resume) => {
    const strict = command.replace("curl -s ", "curl -sS --fail-with-body ")
    execFile("sh", ["-e", "-c", strict], { env: { ...process.env, ...env }, encoding: "utf8" }, (error, stdout, stderr) =>
      resume(Effect.succeed({
        code: error === null ? 0 : typeof error.code === "number" ? error.code : 1,
        said: `${stdout}${stderr}`
      })))
  })

const blocksOf = (baseUrl: string) =>
  peoplePages.flatMap((page) =>
    page.sections(baseUrl).flatMap(({ blocks }) => blocks.map((block) => ({ page: page.slug, block })))
  )

const textsOf = (block: PeopleBlock): ReadonlyArray<string> => {
  switch (block._tag) {
    case "Text":
      return [block.text]
    case "List":
      return block.items
    case "Steps":
      return block.steps.map(({ text }) => text)
    case "Command":
      return []
  }
}

const labelsIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, label = ""]) => label)
const linksIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, href = ""]) => href)

/** The names that a view gives its parts: headings, fields, buttons and links. */
const namesIn = (html: string): ReadonlyArray<string> =>
  [...html.slice(html.indexOf("<main")).matchAll(/<(h[1-3]|legend|label|button|summary|a|b)\b[^>]*>([\s\S]*?)<\/\1>/g)]
    .map(([, , inside = ""]) => inside.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ").trim())

/** The id of a second member, who has accepted an invitation, which is in the mail that was captured. */
const invited = Effect.fnUntraced(function*(
  get: (path: string) => Effect.Effect<{ readonly html: string }>,
  make: (path: string, input: object) => Effect.Effect<Json>
) {
  const { id } = yield* make("/members", { email: "ben@example.com", role: "member" })
  const { data: [{ id: mail }] } = JSON.parse((yield* get("/api/v1/me/mails")).html)
  const [link = "no link"] = /http\S+\/invite\/[\w-]+/.exec(JSON.parse((yield* get(`/api/v1/me/mails/${mail}`)).html).text) ?? []
  yield* Effect.promise(() =>
    fetch(`${link}/join`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: new URL(link).origin, "sec-fetch-site": "same-origin" }
    })
  )
  const members: Json = JSON.parse((yield* get("/api/v1/members")).html)
  const { userId } = members.data.find(({ email }: Json) => email === "ben@example.com")
  expect([id, userId]).toEqual([expect.any(String), expect.stringMatching(/^usr_/)])
  return String(userId)
})

describe("The guide for people", () => {
  it("has eleven pages, and names labels in steps only, which say where they are", () => {
    expect(peoplePages).toHaveLength(11)
    expect(new Set(peoplePages.map(({ slug }) => slug)).size).toBe(11)
    const elsewhere = blocksOf("http://localhost").filter(({ block }) => block._tag !== "Steps")
      .flatMap(({ block, page }) => textsOf(block).flatMap(labelsIn).map((label) => `${page}: ${label}`))
    expect(elsewhere).toEqual([])
  })

  it.scopedLive(
    "is true of the product: each address opens, each label is in its view, and each command works",
    () =>
      Effect.gen(function*() {
        const target = yield* newTarget
        const program = yield* freshProgram()
        const { cookie } = yield* Effect.promise(() => openedBy(linkOf(program.stdout())))
        const { origin } = new URL(program.baseUrl)
        const get = (path: string) =>
          Effect.promise(async () => {
            const answer = await fetch(`${program.baseUrl}${path}`, { headers: { cookie } })
            return { status: answer.status, html: await answer.text() }
          })
        const make = (path: string, input: object) =>
          Effect.promise(async (): Promise<Json> => {
            const answer = await fetch(`${program.baseUrl}/api/v1${path}`, {
              method: "POST",
              headers: { cookie, origin, "sec-fetch-site": "same-origin", "content-type": "application/json" },
              body: JSON.stringify(input)
            })
            expect([path, answer.ok]).toEqual([path, true])
            return answer.json()
          })

        // Resources that the reader would have by then.
        const { secret: key } = yield* make("/api-keys", { name: "guide", scopes: ["read", "write"] })
        const monitor = yield* make("/monitors", { name: "Shop", url: target.url })
        const heartbeat = yield* make("/monitors", { name: "Backup", periodSec: 3600 })
        const channel = yield* make("/channels", { name: "Ops", type: "webhook", url: target.url })
        const page = yield* make("/pages", { name: "Acme" })
        yield* make(`/pages/${page.id}/components`, { name: "Shop", monitorIds: [monitor.id] })
        const open = { title: "Slow", message: "We look.", impact: "minor", pageIds: [page.id] }
        const [incident, another] = [yield* make("/incidents", open), yield* make("/incidents", open)]
        const { user } = JSON.parse((yield* get("/api/v1/agent/whoami")).html)
        const second = yield* invited(get, make)
        const schedule = yield* make("/oncall/schedules", {
          name: "Primary",
          timezone: "UTC",
          handoffDay: 0,
          handoffTime: "09:00",
          participants: [user.id, second]
        })
        const ids: Readonly<Record<string, string>> = {
          monitor: monitor.id,
          heartbeat: heartbeat.id,
          channel: channel.id,
          page: page.slug,
          incident: incident.id,
          schedule: schedule.id
        }
        const pathOf = (at: string) => at.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? `no ${name}`)

        const blocks = blocksOf(program.baseUrl)
        const steps = blocks.flatMap(({ block, page: slug }) =>
          block._tag === "Steps" ? block.steps.map((step) => ({ ...step, slug })) : []
        )
        for (const at of new Set(steps.map((step) => step.at))) {
          const { html, status } = yield* get(pathOf(at))
          expect([at, status]).toEqual([at, 200])
          const names = namesIn(html)
          const missing = steps.filter((step) => step.at === at)
            .flatMap(({ slug, text }) => labelsIn(text).map((label) => ({ slug, label })))
            .filter(({ label }) => !names.some((name) => name.startsWith(label)))
          expect([at, missing]).toEqual([at, []])
        }

        const links = blocks.flatMap(({ block }) => textsOf(block).flatMap(linksIn))
        for (const path of new Set([peopleHome, ...peoplePages.map(peoplePath), ...links])) {
          expect([path, (yield* get(path)).status]).toEqual([path, 200])
        }

        const env = {
          KEY: key,
          MONITOR: monitor.id,
          PAGE: page.slug,
          INCIDENT: another.id,
          TOKEN: new URL(heartbeat.pingUrl).pathname.split("/").at(-1) ?? ""
        }
        for (const { block, page: slug } of blocks) {
          if (block._tag !== "Command") continue
          const { code, said } = yield* typed(block.command.replace("https://shop.example.com/health", target.url), env)
          expect([slug, block.title, code, code === 0 ? "" : said]).toEqual([slug, block.title, 0, ""])
        }
      }),
    120_000
  )
})
