/** Sign-in links that the operator prints on the command line, on a server without a mail server. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newAgent, request } from "./support/Client.ts"
import { freshProgram, runProgram } from "./support/Program.ts"

/** A browser without a screen, on a server at plain http. */
const browserAt = (baseUrl: string) => {
  let cookie = ""
  const send = (path: string, init: RequestInit = {}) =>
    Effect.tap(
      request(`${baseUrl}${path}`, {
        redirect: "manual",
        ...init,
        headers: { ...init.headers, ...(cookie === "" ? {} : { cookie }) }
      }),
      ({ headers }) =>
        Effect.sync(() => {
          const [set] = headers.getSetCookie()
          if (set !== undefined) cookie = set.slice(0, set.indexOf(";"))
        })
    )
  return {
    get: (path: string) => send(path),
    submit: (path: string, fields: Record<string, string> = {}) =>
      send(path, {
        method: "POST",
        headers: { origin: baseUrl, "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString()
      })
  }
}

const pathOf = (text: string) => /\/auth\/link\/[0-9A-Za-z]{40}/.exec(text)?.[0] ?? "no link"

describe("the operator's sign-in link", () => {
  it.scopedLive(
    "proves the address, keeps what the account has, and reaches an account that holds no address by its id",
    () =>
      Effect.gen(function*() {
        const program = yield* freshProgram()
        const env = { BELLTOWER_URL: program.baseUrl }
        const email = "ada@example.com"
        const print = (who: string) => runProgram({ folder: program.folder, args: ["sign-in-link", who], env })

        /** Claims a new workspace with the address; returns the account. */
        const claimed = Effect.gen(function*() {
          const browser = browserAt(program.baseUrl)
          const { claimUrl } = yield* newAgent(program.baseUrl)
          const claim = new URL(claimUrl).pathname
          yield* browser.submit(pathOf((yield* browser.submit(`${claim}/email`, { email })).text))
          expect((yield* browser.submit(claim)).status).toBe(303)
          const { body } = yield* browser.get("/api/v1/me")
          return { browser, id: String(body.user.id), workspaceId: String(body.workspace.id) }
        })
        const first = yield* claimed
        const second = yield* claimed
        expect(second.id).not.toBe(first.id)
        expect((yield* first.browser.get("/app/mail")).text).toContain("once you have proved")

        const byAddress = yield* print(email)
        expect([byAddress.code, byAddress.stderr]).toEqual([0, ""])
        const browser = browserAt(program.baseUrl)
        expect((yield* browser.get(pathOf(byAddress.stdout))).text).toContain("keep this access")
        yield* browser.submit(pathOf(byAddress.stdout))
        expect((yield* browser.get("/api/v1/me")).body).toMatchObject({
          user: { id: first.id },
          workspace: { id: first.workspaceId }
        })
        expect((yield* browser.get("/app/mail")).text).not.toContain("once you have proved")

        const other = browserAt(program.baseUrl)
        yield* other.submit(pathOf((yield* print(second.id)).stdout))
        expect((yield* other.get("/api/v1/me")).body).toMatchObject({
          user: { id: second.id },
          workspace: { id: second.workspaceId }
        })
        const unknown = yield* print("usr_nobody")
        expect([unknown.code, unknown.stderr]).toEqual([1, "belltower: There is no account usr_nobody\n"])
      })
  )
})
