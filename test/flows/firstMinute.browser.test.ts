/** The first minutes of a person with a browser: from the sign-in page to the first alert and a status page that tells of it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chromium as playwright } from "playwright-core"
import { chromium } from "../support/browser/Browser.ts"
import { localMail } from "../support/services/LocalMail.ts"
import { freshProgram } from "./support/Program.ts"
import { newTarget } from "./support/Target.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: the first minute with a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

const linkIn = (text: string | undefined): string => /http\S+\/auth\/link\/[0-9A-Za-z]{40}/.exec(text ?? "")?.[0] ?? "no link"

describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("a person who has never been here", () => {
  it.scopedLive(
    "signs in by mail, watches an address, chooses where alerts go, shows it to the public, and hears of the first outage",
    () =>
      Effect.gen(function*() {
        const box = yield* localMail()
        const target = yield* newTarget
        const program = yield* freshProgram({ SMTP_URL: box.url })
        const browser = yield* Effect.acquireRelease(
          Effect.promise(() => playwright.launch({ executablePath: chromium ?? "", args: ["--no-sandbox"] })),
          (running) => Effect.promise(() => running.close())
        )
        const context = yield* Effect.promise(() => browser.newContext({ baseURL: program.baseUrl, locale: "en-US" }))
        context.setDefaultTimeout(30_000)
        const page = yield* Effect.promise(() => context.newPage())
        const errors: Array<string> = []
        page.on("pageerror", (error) => errors.push(error.message))
        page.on("console", (message) => {
          if (message.type() === "error") errors.push(`${page.url()}: ${message.text()}`)
        })
        const person = (acts: () => Promise<unknown>) => Effect.promise(acts)

        yield* person(async () => {
          await page.goto("/sign-in")
          await page.getByLabel("Email").fill("ada@example.com")
          await page.getByRole("button", { name: "Email me a sign-in link" }).click()
          await page.getByRole("heading", { name: "Check your email" }).waitFor()
        })
        const { mail } = yield* box.next
        expect(mail.subject).toBe("Sign in to Belltower")

        yield* person(async () => {
          await page.goto(linkIn(mail.text))
          await page.getByRole("button", { name: "Sign in" }).click()
          await page.getByLabel("Name").fill("Acme")
          await page.getByRole("button", { name: "Create workspace" }).click()
          await page.getByLabel("URL").fill(target.url)
          await page.getByLabel("Name").fill("Shop")
          await page.getByRole("button", { name: "Check it now" }).click()
          await page.getByText("The target answered as it should.").waitFor()
        })

        yield* person(async () => {
          const alerts = page.getByRole("region", { name: "Choose where alerts go" })
          expect(await alerts.getByLabel("Email address").inputValue()).toBe("ada@example.com")
          await alerts.getByRole("button", { name: "Create channel" }).click()
          await alerts.getByText("Done").waitFor()
          const users = page.getByRole("region", { name: "Tell your users" })
          await users.getByLabel("Name of the page").fill("Acme")
          await users.getByRole("button", { name: "Create page" }).click()
          await users.getByRole("button", { name: "Show on the page" }).click()
          await users.getByText("Done").waitFor()
          await users.getByRole("link", { name: "Acme" }).click()
          await page.getByRole("link", { name: "View the page" }).first().waitFor()
        })
        const shown = yield* Effect.promise(() => page.getByRole("link", { name: "View the page" }).first().getAttribute("href"))
        const visitor = yield* Effect.promise(() => context.newPage())
        yield* person(async () => {
          await visitor.goto(shown ?? "no link")
          await visitor.getByRole("heading", { name: "All systems operational" }).waitFor()
          await visitor.getByText("Shop").first().waitFor()
        })

        target.breaks()
        const alert = yield* box.next
        expect(alert.to).toEqual(["ada@example.com"])
        expect(alert.mail.subject).toContain("Shop is down")
        // The visitor's page follows by itself.
        yield* person(async () => {
          await visitor.getByRole("heading", { name: "Major outage" }).waitFor()
          await visitor.getByText("Shop is down").first().waitFor()
        })
        // The mail leads the person to the incident.
        const [incident = "no link"] = /http\S+\/app\/incidents\/\S+/.exec(alert.mail.text ?? "") ?? []
        yield* person(async () => {
          await page.goto(incident)
          await page.getByRole("button", { name: "Acknowledge", exact: true }).first().click()
          await page.getByRole("button", { name: "Acknowledge", exact: true }).first().waitFor({ state: "detached" })
        })
        const answer = yield* Effect.promise(() => page.request.get(incident.replace("/app/", "/api/v1/")))
        expect(yield* Effect.promise(() => answer.json())).toMatchObject({ acknowledgement: { by: "ada@example.com" } })
        expect(errors).toEqual([])
      }),
    180_000
  )
})
