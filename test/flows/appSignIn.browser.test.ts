/** A person connects an app in a real browser, which returns to the app after the form: its policy must let it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { chromium, openPage } from "../support/browser/Browser.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { linkOf } from "./support/OpenedBy.ts"
import { freshProgram } from "./support/Program.ts"

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

if (chromium === undefined) {
  console.warn("NOT TESTED: connecting an app with a real browser, since no Chromium is installed (set CHROMIUM to one)")
}

// Under CI the browser is required, so that the test is never skipped unnoticed.
describe.skipIf(chromium === undefined && process.env["CI"] === undefined)("a person with a browser", () => {
  it.scopedLive("connects an app, is sent back to it, and finds it among the connected apps", () =>
    Effect.gen(function*() {
      const program = yield* freshProgram()
      const link = linkOf(program.stdout())
      const baseUrl = new URL(link).origin
      const app = yield* httpTarget((_request, response) => response.end("<h1>Back in the app</h1>"))
      const post = (path: string, type: string, body: string) =>
        Effect.promise(() =>
          fetch(`${baseUrl}${path}`, { method: "POST", headers: { "content-type": type }, body }).then((answer) => answer.json())
        )
      const redirect_uri = `${app}/callback`
      const { client_id } = yield* post(
        "/oauth/register",
        "application/json",
        JSON.stringify({ client_name: "Desk", redirect_uris: [redirect_uri] })
      )
      const code_verifier = "v".repeat(43)
      const query = new URLSearchParams({
        client_id,
        redirect_uri,
        response_type: "code",
        state: "kept",
        code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
        code_challenge_method: "S256"
      })

      const page = yield* openPage(chromium ?? "")
      yield* page.goTo(`${baseUrl}/oauth/authorize?${query.toString()}`)
      expect(yield* page.read("h1")).toBe("Connect Desk")
      expect(yield* page.text).toContain("Sign in first")
      const asked = yield* page.path
      yield* page.goTo(link)
      yield* page.click("form button")
      yield* page.goTo(`${baseUrl}${asked}`)
      expect(yield* page.text).toContain("Desk wants to use Belltower for you")
      yield* page.evaluate(`${readFileSync(axe, "utf8")}; undefined`)
      expect(yield* page.evaluate("axe.run().then(({ violations }) => violations.map(({ id, help }) => id + ': ' + help))"))
        .toEqual([])
      yield* page.click("button[value=allow]")
      expect(yield* page.read("h1")).toBe("Back in the app")
      const returned = new URL(String(yield* page.evaluate("location.href")))
      expect([returned.origin, returned.searchParams.get("state")]).toEqual([app, "kept"])

      const code = returned.searchParams.get("code") ?? ""
      const fields = { grant_type: "authorization_code", client_id, redirect_uri, code_verifier, code }
      const given = yield* post("/oauth/token", "application/x-www-form-urlencoded", new URLSearchParams(fields).toString())
      expect(given.scope).toBe("read write")
      yield* page.goTo(`${baseUrl}/app/apps`)
      expect(yield* page.text).toContain("Desk")
      expect(yield* page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
    }))
})
