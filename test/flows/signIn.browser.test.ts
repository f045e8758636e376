/** A new user in a real browser: from an agent's claim link to two-factor authentication and the next sign-in. */
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { Secret } from "otpauth"
import { codeAt } from "../../src/domain/people/Totp.ts"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { freshProgram, runProgram } from "./support/Program.ts"

if (chromium === undefined) {
  console.warn("NOT TESTED: signing in with a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

// Under CI the browser is required, so that the test is never skipped unnoticed.
describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("a new user with a browser", () => {
  it.scopedLive(
    "claims a workspace, sets up two-factor authentication, signs out, and signs in with it",
    () =>
      Effect.gen(function*() {
        const program = yield* freshProgram()
        const page = yield* openPage(chromium ?? "")
        const post = (path: string, body: object) =>
          Effect.promise(() =>
            fetch(`${program.baseUrl}/api/v1${path}`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify(body)
            }).then((response) => response.json())
          )
        const agent = yield* post("/agent/bootstrap", { agentName: "scout", workspaceName: "Acme" })

        // The claim, the email address, the sign-in link, the claim's button.
        yield* page.goTo(agent.claimUrl)
        expect(yield* page.text).toContain("Claim this workspace")
        yield* page.type("input[type=email]", "ada@example.com")
        yield* page.click("form button")
        expect(yield* page.text).toContain("This server sends no email")
        yield* page.click("a.button")
        expect(yield* page.text).toContain("You are about to sign in as ada@example.com")
        yield* page.click("form button")
        expect(yield* page.text).toContain("Claim as ada@example.com")
        yield* page.click("form button")
        expect([yield* page.path, yield* page.read("h1")]).toEqual(["/app", "Watch your first address"])
        // In the menu, which may be closed.
        expect(yield* page.evaluate("document.querySelector('header').parentElement.textContent.includes('Acme')")).toBe(true)
        const session = (yield* page.cookies).filter(({ name }) => name === "belltower_session")
        expect(session).toMatchObject([{ httpOnly: true, sameSite: "Lax", path: "/" }])

        // Two-factor authentication.
        yield* page.goTo(`${new URL(agent.claimUrl).origin}/app/security`)
        yield* page.click("#set-up button")
        const secret = Secret.fromBase32(String(yield* page.read("#secret")).replaceAll(" ", ""))
        const bytes = new Uint8Array(secret.buffer)
        expect(yield* page.evaluate("document.querySelector('.qr svg').getBoundingClientRect().width > 100")).toBe(true)
        yield* page.type("#enable input[name^=code]", codeAt(bytes, yield* Clock.currentTimeMillis))
        yield* page.click("#enable button")
        expect(yield* page.evaluate("document.querySelectorAll('#codes li').length")).toBe(10)
        const recovery = String(yield* page.read("#codes li"))

        // Sign out, then sign in with the operator's link and an unused code.
        yield* page.click("form[action='/sign-out'] button")
        expect(yield* page.path).toBe("/sign-in")
        const link = yield* runProgram({
          folder: program.folder,
          args: ["sign-in-link", "ada@example.com"],
          env: { BELLTOWER_URL: program.baseUrl.replace("127.0.0.1", "localhost") }
        })
        expect([link.code, link.stderr]).toEqual([0, ""])
        yield* page.goTo(link.stdout.trim())
        yield* page.click("form button")
        expect(yield* page.path).toBe("/auth/second-factor")
        // The next step's code is already valid, and certainly unused.
        yield* page.type("input[name=code]", codeAt(bytes, (yield* Clock.currentTimeMillis) + 30_000))
        yield* page.click("form button")
        expect([yield* page.path, yield* page.read("h1")]).toEqual(["/app", "Watch your first address"])

        // And with a recovery code.
        yield* page.click("form[action='/sign-out'] button")
        const again = yield* runProgram({
          folder: program.folder,
          args: ["sign-in-link", "ada@example.com"],
          env: { BELLTOWER_URL: program.baseUrl.replace("127.0.0.1", "localhost") }
        })
        yield* page.goTo(again.stdout.trim())
        yield* page.click("form button")
        yield* page.type("input[name=code]", recovery)
        yield* page.click("form button")
        expect(yield* page.path).toBe("/app")
        yield* page.goTo(`${new URL(agent.claimUrl).origin}/app/security`)
        expect(yield* page.text).toContain("9 recovery codes left")
      }),
    120_000
  )
})
